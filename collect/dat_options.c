/* SPDX-License-Identifier: MIT */
#include "collect/dat_local.h"

#include "collect/bytes.h"
#include "model/err.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUFFERS 4096

struct dat_buffer *dat_add_buffer(struct dat *d, const char *name,
				  struct err *err)
{
	struct dat_info *i = &d->info;
	struct dat_buffer *new;

	/* The top buffer is there from the start. */
	if (i->nr_buffers && !name[0])
		return &i->buffer[0];
	if (i->nr_buffers == MAX_BUFFERS) {
		err_set(err, ERR_FORMAT, "'%s': more than %d buffers", d->path,
			MAX_BUFFERS);
		return NULL;
	}
	new = realloc(i->buffer, (size_t)(i->nr_buffers + 1) * sizeof(*new));
	if (!new) {
		err_nomem(err);
		return NULL;
	}
	i->buffer = new;
	new = &i->buffer[i->nr_buffers];
	*new = (struct dat_buffer){ .name = strdup(name), .clock = strdup("") };
	i->nr_buffers++;
	if (!new->name || !new->clock) {
		err_nomem(err);
		return NULL;
	}
	return new;
}

int dat_add_cpu(struct dat *d, struct dat_buffer *b, const struct dat_cpu *cpu,
		struct err *err)
{
	struct dat_cpu *new;

	if (cpu->cpu < 0 || cpu->cpu >= CPUMASK_MAX)
		return err_set(err, ERR_FORMAT, "'%s': trace data of CPU %d",
			       d->path, cpu->cpu);
	if (cpu->offset < 0 || cpu->size < 0 ||
	    cpu->offset > INT64_MAX - cpu->size)
		return err_set(err, ERR_FORMAT,
			       "'%s': data of CPU %d: offset 0x%llx, size 0x%llx",
			       d->path, cpu->cpu, (unsigned long long)cpu->offset,
			       (unsigned long long)cpu->size);
	if ((b->nr_cpus & (b->nr_cpus - 1)) == 0) {
		size_t nr = b->nr_cpus ? (size_t)b->nr_cpus * 2 : 1;

		new = realloc(b->cpu, nr * sizeof(*new));
		if (!new)
			return err_nomem(err);
		b->cpu = new;
	}
	b->cpu[b->nr_cpus++] = *cpu;
	return 0;
}

static void set_text(char **to, const uint8_t *data, size_t len, struct err *err)
{
	char *copy = strndup((const char *)data, strnlen((const char *)data, len));

	if (!copy) {
		err_nomem(err);
		return;
	}
	free(*to);
	*to = copy;
}

/* "local global [mono] boot" */
static void take_clock(struct dat *d, const uint8_t *data, size_t len,
		       struct err *err)
{
	const uint8_t *open = memchr(data, '[', len), *close;

	if (!open)
		return;
	open++;
	close = memchr(open, ']', len - (size_t)(open - data));
	if (close)
		set_text(&d->info.clock, open, (size_t)(close - open), err);
}

/* A line "NAME: NUMBER" of a stats file; 0 where there is none. */
static int64_t stat_number(const char *text, const char *name)
{
	size_t len = strlen(name);
	long long v;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) == 0) {
			v = strtoll(line + len, NULL, 10);
			return v > 0 && v < INT64_MAX / 4 ? v : 0;
		}
	}
	return 0;
}

/* The first one of a CPU is the top buffer's. */
static void take_stat(struct dat *d, const uint8_t *data, size_t len,
		      struct err *err)
{
	struct dat_info *i = &d->info;
	struct dat_stat *new;
	char *text = NULL;
	int64_t cpu;

	set_text(&text, data, len, err);
	if (!text)
		return;
	cpu = stat_number(text, "CPU: ");
	for (int n = 0; n < i->nr_stats; n++)
		if (i->stat[n].cpu == cpu)
			goto out;
	if (cpu >= CPUMASK_MAX || i->nr_stats >= CPUMASK_MAX)
		goto out;
	new = realloc(i->stat, (size_t)(i->nr_stats + 1) * sizeof(*new));
	if (!new) {
		err_nomem(err);
		goto out;
	}
	i->stat = new;
	new[i->nr_stats++] = (struct dat_stat){
		.cpu = (int)cpu,
		.lost = stat_number(text, "overrun: ") +
			stat_number(text, "commit overrun: ") +
			stat_number(text, "dropped events: "),
	};
out:
	free(text);
}

static int read_cpus(struct dat *d, struct dat_buffer *b, struct dat_cursor *c,
		     struct err *err)
{
	uint64_t page_size, nr, cpu, offset, size;

	if (dat_cursor_number(c, 4, &page_size, err) < 0 ||
	    dat_cursor_number(c, 4, &nr, err) < 0)
		return err->code;
	if (page_size && (page_size < RING_PAGE_MIN || page_size > RING_PAGE_MAX))
		return err_set(err, ERR_FORMAT, "'%s': buffer '%s': pages of %llu bytes",
			       d->path, b->name, (unsigned long long)page_size);
	b->page_size = (size_t)page_size;
	for (uint64_t i = 0; i < nr; i++) {
		struct dat_cpu at;

		if (dat_cursor_number(c, 4, &cpu, err) < 0 ||
		    dat_cursor_number(c, 8, &offset, err) < 0 ||
		    dat_cursor_number(c, 8, &size, err) < 0)
			return err->code;
		at.cpu = cpu < CPUMASK_MAX ? (int)cpu : -1;
		at.offset = (int64_t)offset;
		at.size = (int64_t)size;
		if (dat_add_cpu(d, b, &at, err) < 0)
			return err->code;
	}
	return 0;
}

/* v6: offset, name.  v7: offset, name, clock, page size, CPUs. */
static int take_buffer(struct dat *d, bool is_text, const uint8_t *data,
		       size_t len, struct err *err)
{
	struct dat_cursor *c = malloc(sizeof(*c));
	char name[256], clock[64];
	struct dat_buffer *b;
	uint64_t offset;

	if (!c)
		return err_nomem(err);
	dat_cursor_mem(c, d, "the option of a buffer", data, len);
	if (dat_cursor_number(c, 8, &offset, err) < 0 ||
	    dat_cursor_text(c, name, sizeof(name), err) < 0)
		goto out;
	b = dat_add_buffer(d, name, err);
	if (!b || b->nr_cpus)
		goto out;
	b->is_text = is_text;
	if (d->info.version == 6) {
		b->table_offset = (int64_t)offset;
		goto out;
	}
	if (dat_cursor_text(c, clock, sizeof(clock), err) < 0)
		goto out;
	set_text(&b->clock, (const uint8_t *)clock, sizeof(clock), err);
	if (!is_text && !err->code)
		read_cpus(d, b, c, err);
out:
	free(c);
	return err->code;
}

static void take_offset(struct dat *d, const uint8_t *data, size_t len,
			struct err *err)
{
	char *text = NULL;

	set_text(&text, data, len, err);
	if (text)
		d->info.offset_ns = strtoll(text, NULL, 0);
	free(text);
}

bool dat_take_option(struct dat *d, int id, const uint8_t *data, size_t len,
		     struct err *err)
{
	bool big = d->info.big_endian;

	switch (id) {
	case DAT_OPTION_CPUSTAT:
		take_stat(d, data, len, err);
		return true;
	case DAT_OPTION_BUFFER:
	case DAT_OPTION_BUFFER_TEXT:
		take_buffer(d, id == DAT_OPTION_BUFFER_TEXT, data, len, err);
		return true;
	case DAT_OPTION_TRACECLOCK:
		take_clock(d, data, len, err);
		return true;
	case DAT_OPTION_UNAME:
		set_text(&d->info.uname, data, len, err);
		return true;
	case DAT_OPTION_VERSION:
		set_text(&d->info.tool, data, len, err);
		return true;
	case DAT_OPTION_OFFSET:
		take_offset(d, data, len, err);
		return true;
	case DAT_OPTION_CPUCOUNT:
		if (len >= 4 && bytes_u32(data, big) <= CPUMASK_MAX)
			d->info.nr_cpus = (int)bytes_u32(data, big);
		return true;
	case DAT_OPTION_TSC2NSEC:
		if (len < 8 || bytes_u32(data + 4, big) > 63)
			return true;
		d->info.tsc_mult = bytes_u32(data, big);
		d->info.tsc_shift = bytes_u32(data + 4, big);
		return true;
	case DAT_OPTION_SAVED_TGIDS:
		set_text(&d->tgids, data, len, err);
		return true;
	}
	return false;
}

/* SPDX-License-Identifier: MIT */
#include "collect/dat_local.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_LEN 10		/* "flyrecord" and its like, padded */

static int read_options(struct dat *d, struct dat_cursor *c, struct err *err)
{
	uint8_t *data = NULL;
	uint64_t id, size;

	c->what = "options";
	for (;;) {
		if (dat_cursor_number(c, 2, &id, err) < 0)
			break;
		if (id == DAT_OPTION_DONE)
			break;
		if (dat_cursor_number(c, 4, &size, err) < 0)
			break;
		if (size > DAT_OPTION_MAX || size > (uint64_t)dat_cursor_left(c)) {
			if (dat_cursor_skip(c, size, err) < 0)
				break;
			continue;
		}
		free(data);
		data = malloc((size_t)size + 1);
		if (!data) {
			err_nomem(err);
			break;
		}
		if (dat_cursor_bytes(c, data, (size_t)size, err) < 0)
			break;
		data[size] = '\0';
		dat_take_option(d, (int)id, data, (size_t)size, err);
		if (err->code)
			break;
	}
	free(data);
	return err->code;
}

/* The kind of trace that follows, padded to TYPE_LEN bytes. */
static int read_type(struct dat_cursor *c, char *type, struct err *err)
{
	int64_t at = c->pos;

	if (dat_cursor_bytes(c, type, TYPE_LEN, err) < 0)
		return err->code;
	type[TYPE_LEN] = '\0';
	if (strcmp(type, "options  ") == 0 || strcmp(type, "latency  ") == 0 ||
	    strcmp(type, "flyrecord") == 0)
		return 0;
	return err_set(err, ERR_FORMAT,
		       "'%s': %s at 0x%llx: neither options, latency nor flyrecord",
		       c->d->path, c->what, (unsigned long long)at);
}

int dat_read_cpu_table(struct dat *d, struct dat_buffer *b,
		       struct dat_cursor *c, struct err *err)
{
	char type[TYPE_LEN + 1];

	c->what = "the table of CPUs";
	if (read_type(c, type, err) < 0)
		return err->code;
	b->is_text = type[0] == 'l';
	if (type[0] == 'o')
		return err_set(err, ERR_FORMAT, "'%s': options within options",
			       d->path);
	for (int cpu = 0; cpu < d->info.nr_cpus && !b->is_text; cpu++) {
		struct dat_cpu at = { .cpu = cpu };
		uint64_t offset, size;

		if (dat_cursor_number(c, 8, &offset, err) < 0 ||
		    dat_cursor_number(c, 8, &size, err) < 0)
			return err->code;
		at.offset = (int64_t)offset;
		at.size = (int64_t)size;
		if (dat_add_cpu(d, b, &at, err) < 0)
			return err->code;
	}
	return 0;
}

/* kallsyms, printk formats and cmdlines: a size, then so many bytes. */
static int skip_tables(struct dat *d, struct dat_cursor *c, struct err *err)
{
	uint64_t size;

	c->what = "kallsyms";
	if (dat_cursor_number(c, 4, &size, err) < 0 ||
	    dat_cursor_skip(c, size, err) < 0)
		return err->code;
	c->what = "printk formats";
	if (dat_cursor_number(c, 4, &size, err) < 0 ||
	    dat_cursor_skip(c, size, err) < 0)
		return err->code;
	c->what = "saved names";
	if (dat_cursor_number(c, 8, &size, err) < 0)
		return err->code;
	d->cmdlines = (struct dat_part){ c->pos, (int64_t)size, false };
	return dat_cursor_skip(c, size, err);
}

int dat_open_plain(struct dat *d, struct dat_cursor *c, struct err *err)
{
	char type[TYPE_LEN + 1];
	uint64_t cpus;

	d->info.compression = strdup("none");
	if (!d->info.compression)
		return err_nomem(err);
	if (dat_read_headers(d, c, err) < 0 || dat_skip_formats(d, c, err) < 0 ||
	    skip_tables(d, c, err) < 0)
		return err->code;
	c->what = "the number of CPUs";
	if (dat_cursor_number(c, 4, &cpus, err) < 0)
		return err->code;
	if (cpus > CPUMASK_MAX)
		return err_set(err, ERR_FORMAT, "'%s': %llu CPUs", d->path,
			       (unsigned long long)cpus);
	d->info.nr_cpus = (int)cpus;
	if (read_type(c, type, err) < 0)
		return err->code;
	if (type[0] == 'o') {
		if (read_options(d, c, err) < 0)
			return err->code;
	} else {
		c->pos -= TYPE_LEN;
	}
	return dat_read_cpu_table(d, &d->info.buffer[0], c, err);
}

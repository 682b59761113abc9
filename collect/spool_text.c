/* SPDX-License-Identifier: MIT */
#include "collect/spool_local.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collect/fields.h"
#include "model/err.h"

bool spool_text_open(struct spool_text *t, const char *dir, const char *name)
{
	*t = (struct spool_text){ 0 };
	snprintf(t->path, sizeof(t->path), "%.*s/%s", PATH_MAX - 300, dir, name);
	t->f = fopen(t->path, "re");
	return t->f != NULL;
}

void spool_text_close(struct spool_text *t)
{
	if (t->f)
		fclose(t->f);
	free(t->line);
	*t = (struct spool_text){ 0 };
}

int spool_text_bad(const struct spool_text *t, const char *why, struct err *err)
{
	return err_set(err, ERR_FORMAT, "'%s' line %" PRId64 ": %s", t->path,
		       t->nr, why);
}

int spool_text_next(struct spool_text *t, struct err *err)
{
	ssize_t len;

	errno = 0;
	len = getline(&t->line, &t->size, t->f);
	if (len < 0 && errno)
		return err_set(err, errno == ENOMEM ? ERR_NOMEM : ERR_IO,
			       "cannot read '%s': %s", t->path, strerror(errno));
	if (len <= 0 || t->line[len - 1] != '\n')
		return 0;
	t->nr++;
	if (strlen(t->line) != (size_t)len)
		return spool_text_bad(t, "it holds a zero byte", err);
	t->nr_fields = fields_split(t->line, t->field, SPOOL_MAX_FIELDS);
	for (int i = t->nr_fields; i < SPOOL_MAX_FIELDS; i++)
		t->field[i] = t->line + len - 1;
	return 1;
}

int spool_text_int(struct spool_text *t, int field, int64_t min, int64_t max,
		   int64_t *value, struct err *err)
{
	char why[120];

	if (fields_int(t->field[field], min, max, value))
		return 0;
	snprintf(why, sizeof(why), "field %d is '%.40s', not a number from %"
		 PRId64 " to %" PRId64, field + 1, t->field[field], min, max);
	return spool_text_bad(t, why, err);
}

static int read_info_line(struct spool_text *t, struct spool_info *i,
			  struct err *err)
{
	struct {
		const char *key;
		char *text;
		size_t size;
	} const text[] = {
		{ "tool", i->tool, sizeof(i->tool) },
		{ "kernel", i->kernel, sizeof(i->kernel) },
		{ "arch", i->arch, sizeof(i->arch) },
		{ "clock", i->clock, sizeof(i->clock) },
	};
	struct {
		const char *key;
		int64_t *value, min, max;
	} const number[] = {
		{ "page_size", &i->page_size, 512, 1 << 24 },
		{ "page_bytes", &i->page_bytes, RING_PAGE_MIN, RING_PAGE_MAX },
		{ "big_endian", &i->big_endian, 0, 1 },
		{ "start_ns", &i->start_ns, 0, INT64_MAX },
		{ "nr_cpus", &i->nr_cpus, 1, CPUMASK_MAX },
		{ "faults", &i->faults, 0, 1 },
	};

	for (size_t n = 0; n < sizeof(text) / sizeof(text[0]); n++)
		if (!strcmp(t->field[0], text[n].key))
			snprintf(text[n].text, text[n].size, "%s", t->field[1]);
	for (size_t n = 0; n < sizeof(number) / sizeof(number[0]); n++)
		if (!strcmp(t->field[0], number[n].key))
			return spool_text_int(t, 1, number[n].min, number[n].max,
					      number[n].value, err);
	if (strcmp(t->field[0], "command"))
		return 0;
	free(i->command);
	i->command = strdup(t->field[1]);
	return i->command ? 0 : err_nomem(err);
}

int spool_read_info(const char *dir, struct spool_info *i, struct err *err)
{
	struct spool_text t;
	int version = 0, got;

	*i = (struct spool_info){ 0 };
	if (!spool_text_open(&t, dir, SPOOL_MARKER))
		return err_set(err, ERR_IO, "cannot open '%s': %s", t.path,
			       strerror(errno));
	got = spool_text_next(&t, err);
	if (got == 1 && (sscanf(t.field[0], SPOOL_MARKER " %d", &version) != 1 ||
			 version < 1))
		got = spool_text_bad(&t, "this is not the head of a spool", err);
	else if (got == 1 && version > SPOOL_VERSION)
		got = err_set(err, ERR_VERSION,
			      "'%s' is version %d, made by a newer homenode", dir,
			      version);
	while (got == 1) {
		got = spool_text_next(&t, err);
		if (got == 1 && read_info_line(&t, i, err) < 0)
			got = err->code;
	}
	if (got == 0 && (!i->page_bytes || !i->nr_cpus || !i->page_size))
		got = spool_text_bad(&t, "the head of the spool is cut off", err);
	spool_text_close(&t);
	return got;
}

static int read_stats(struct spool_text *t, struct spool_end *e, struct err *err)
{
	struct cpu_stats s, *new;
	int64_t *const value[] = { &s.entries, &s.read, &s.overrun,
				   &s.commit_overrun, &s.dropped };
	int64_t cpu;

	if (spool_text_int(t, 1, 0, CPUMASK_MAX - 1, &cpu, err) < 0)
		return err->code;
	for (int i = 0; i < 5; i++)
		if (spool_text_int(t, 2 + i, 0, INT64_C(1) << 50, value[i],
				   err) < 0)
			return err->code;
	if (cpu >= e->nr_cpus) {
		new = realloc(e->stats, ((size_t)cpu + 1) * sizeof(*new));
		if (!new)
			return err_nomem(err);
		memset(new + e->nr_cpus, 0,
		       (size_t)(cpu + 1 - e->nr_cpus) * sizeof(*new));
		e->stats = new;
		e->nr_cpus = (int)cpu + 1;
	}
	e->stats[cpu] = s;
	return 0;
}

int spool_read_end(const char *dir, struct spool_end *e, struct err *err)
{
	struct spool_text t;
	int got = 1;

	*e = (struct spool_end){ 0 };
	if (!spool_text_open(&t, dir, "tail"))
		return 0;
	while (got == 1) {
		got = spool_text_next(&t, err);
		if (got == 1 && !strcmp(t.field[0], "cpu"))
			got = read_stats(&t, e, err) < 0 ? err->code : 1;
		else if (got == 1 && !strcmp(t.field[0], "end")) {
			if (spool_text_int(&t, 1, 0, INT64_MAX, &e->end_ns,
					   err) < 0)
				got = err->code;
			snprintf(e->reason, sizeof(e->reason), "%s", t.field[2]);
			e->has_end = got == 1;
		}
	}
	spool_text_close(&t);
	return got;
}

/* SPDX-License-Identifier: MIT */
#include "collect/spool_local.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "collect/decoder.h"
#include "collect/fields.h"
#include "collect/procfs.h"
#include "model/err.h"

#define TEXT_MAX (64 * 1024)	/* of a format */


struct import {
	const char *dir;
	const struct spool_watch *watch;
	struct spool_info info;
	struct spool_end end;
	struct ring_format format;
	struct decoder *decoder;
	struct ingest *in;
	struct spool_source *source;
};

static void note(const struct import *im, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void note(const struct import *im, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!im->watch || !im->watch->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	im->watch->note(im->watch->ctx, text);
}

static char *load(const char *dir, const char *name, long *len, struct err *err)
{
	char path[PATH_MAX];
	char *text = malloc(TEXT_MAX);

	if (!text) {
		err_nomem(err);
		return NULL;
	}
	snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 300, dir, name);
	*len = procfs_read(path, text, TEXT_MAX);
	if (*len >= 0)
		return text;
	err_set(err, ERR_IO, "cannot read '%s': %s", path, strerror(errno));
	free(text);
	return NULL;
}

static int read_format(struct import *im, struct err *err)
{
	long len;
	char *text = load(im->dir, "header_page", &len, err);
	int code;

	if (!text)
		return err->code;
	im->format.big_endian = im->info.big_endian;
	code = ring_format_parse(&im->format, text, (size_t)len, err);
	free(text);
	if (code < 0)
		return err_prefix(err, "'%s/header_page'", im->dir);
	im->format.page_size = (size_t)im->info.page_bytes;
	return decoder_new(&im->decoder, im->info.big_endian, err);
}

/* "sched.sched_switch.format" */
static int add_format(struct import *im, const char *name, struct err *err)
{
	const char *dot = strchr(name, '.'), *end = strrchr(name, '.');
	char system[64], *text;
	long len;
	int code;

	if (!dot || dot == end || strcmp(end, ".format") ||
	    (size_t)(dot - name) >= sizeof(system))
		return 0;
	snprintf(system, sizeof(system), "%.*s", (int)(dot - name), name);
	text = load(im->dir, name, &len, err);
	if (!text)
		return err->code;
	code = decoder_add_format(im->decoder, system, text, (size_t)len, err);
	free(text);
	return code < 0 ? err_prefix(err, "'%s/%s'", im->dir, name) : 0;
}

static int read_formats(struct import *im, struct err *err)
{
	DIR *d = opendir(im->dir);
	struct dirent *ent;
	int code = 0;

	if (!d)
		return err_set(err, ERR_IO, "cannot open '%s': %s", im->dir,
			       strerror(errno));
	while (code == 0 && (ent = readdir(d)))
		code = add_format(im, ent->d_name, err);
	closedir(d);
	return code;
}

static int topo_line(struct spool_text *t, struct topo *topo, struct err *err)
{
	int64_t n[10] = { 0 };
	bool is_node = !strcmp(t->field[0], "node");
	bool is_cpu = !strcmp(t->field[0], "cpu");
	int nr = is_node ? 3 : is_cpu ? 9 : 3;

	for (int i = 1; i <= nr; i++)
		if (spool_text_int(t, i, -1, INT64_C(1) << 60, &n[i], err) < 0)
			return err->code;
	if (n[1] < 0 || n[1] >= (is_cpu ? CPUMASK_MAX : TOPO_MAX_NODES))
		return spool_text_bad(t, "a number is out of range", err);
	if (is_node) {
		if (topo_add_node(topo, (int)n[1], err) < 0)
			return err->code;
		topo->node[n[1]].online = n[2] > 0;
		topo->node[n[1]].mem_bytes = n[3];
		return 0;
	}
	if (!is_cpu) {
		if (n[1] >= topo->nr_node_ids || n[2] < 0 ||
		    n[2] >= topo->nr_node_ids || n[3] <= 0 || n[3] > 10000)
			return spool_text_bad(t, "not a distance", err);
		topo->distance[n[1] * topo->nr_node_ids + n[2]] = (int)n[3];
		return 0;
	}
	for (int i = 3; i <= 9; i++)
		if (n[i] < -1 || n[i] > INT_MAX)
			return spool_text_bad(t, "a number is out of range", err);
	if (n[3] < 0 || n[3] >= TOPO_MAX_NODES)
		return spool_text_bad(t, "a CPU without a node", err);
	if (topo_add_cpu(topo, (int)n[1], (int)n[3], err) < 0)
		return err->code;
	topo->cpu[n[1]] = (struct topo_cpu){
		.present = true, .online = n[2] > 0, .node = (int)n[3],
		.package = (int)n[4], .die = (int)n[5], .cluster = (int)n[6],
		.llc = (int)n[7], .core = (int)n[8], .smt = (int)n[9],
	};
	return 0;
}

static int read_topo(struct import *im, struct err *err)
{
	struct topo topo = { 0 };
	struct spool_text t;
	int got = 1;

	if (!spool_text_open(&t, im->dir, "topology")) {
		note(im, "the topology is missing: one node is assumed");
		return 0;
	}
	while (got == 1) {
		got = spool_text_next(&t, err);
		if (got == 1 && topo_line(&t, &topo, err) < 0)
			got = err->code;
	}
	if (got == 0 && topo.nr_cpu_ids) {
		got = topo_finish(&topo, err);
		if (got < 0)
			err_prefix(err, "'%s'", t.path);
	}
	if (got == 0 && topo.nr_cpu_ids)
		got = ingest_topo(im->in, &topo, err);
	topo_release(&topo);
	spool_text_close(&t);
	return got;
}

static int read_knobs(struct import *im, struct err *err)
{
	struct spool_text t;
	int got = 1;

	if (!spool_text_open(&t, im->dir, "knobs"))
		return 0;
	while (got == 1) {
		got = spool_text_next(&t, err);
		if (got == 1 && ingest_knob(im->in, t.field[0], t.field[1],
					    err) < 0)
			got = err->code;
	}
	spool_text_close(&t);
	return got;
}

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static int task_line(struct import *im, struct spool_text *t, struct err *err)
{
	int64_t ts, tid, pid, nice, flags;
	struct cpumask cpus = { 0 };
	struct task_fact f;
	int code;

	if (spool_text_int(t, 0, INT64_MIN, INT64_MAX, &ts, err) < 0 ||
	    spool_text_int(t, 1, 1, INT_MAX, &tid, err) < 0 ||
	    spool_text_int(t, 2, -1, INT_MAX, &pid, err) < 0 ||
	    spool_text_int(t, 3, -128, 127, &nice, err) < 0 ||
	    spool_text_int(t, 4, 0, UINT32_MAX, &flags, err) < 0)
		return err->code;
	if (cpumask_parse(&cpus, t->field[5], err) < 0)
		return err_prefix(err, "'%s' line %" PRId64, t->path, t->nr);
	f = (struct task_fact){
		.ts = ts, .tid = (int)tid, .pid = (int)pid,
		.comm = or_null(t->field[8]), .cgroup = or_null(t->field[6]),
		.nspid = or_null(t->field[7]), .affinity = &cpus,
		.nice = (int)nice, .flags = (uint32_t)flags,
	};
	code = ingest_task_fact(im->in, &f, err);
	cpumask_release(&cpus);
	return code;
}

static int read_tasks(struct import *im, struct err *err)
{
	struct spool_text t;
	int got = 1;

	if (!spool_text_open(&t, im->dir, "tasks"))
		return 0;
	while (got == 1) {
		got = spool_text_next(&t, err);
		if (got == 1 && task_line(im, &t, err) < 0)
			got = err->code;
	}
	spool_text_close(&t);
	return got;
}

/* "0:12,3:4" */
static bool parse_pages(char *text, int64_t pages[TOPO_MAX_NODES], int *nr)
{
	*nr = 0;
	while (*text) {
		char *end;
		long node = strtol(text, &end, 10);
		long long n;

		if (end == text || *end != ':' || node < 0 || node >= TOPO_MAX_NODES)
			return false;
		text = end + 1;
		n = strtoll(text, &end, 10);
		if (end == text || (*end && *end != ',') || n < 0)
			return false;
		for (; *nr <= node; ++*nr)
			pages[*nr] = 0;
		pages[node] = n;
		text = *end ? end + 1 : end;
	}
	return true;
}

static int place_line(struct import *im, struct spool_text *t, struct err *err)
{
	int64_t ts, pid, kind, pages[TOPO_MAX_NODES];
	struct placement_fact f = { 0 };

	if (spool_text_int(t, 1, 0, INT64_MAX, &ts, err) < 0 ||
	    spool_text_int(t, 2, 1, INT_MAX, &pid, err) < 0)
		return err->code;
	if (!strcmp(t->field[0], "e"))
		return ingest_placement_end(im->in, (int)pid, ts, err);
	if (strcmp(t->field[0], "a") || strlen(t->field[3]) != 1 ||
	    !strchr("meq", t->field[3][0]))
		return spool_text_bad(t, "not a sample of an area", err);
	if (spool_text_int(t, 4, 0, AREA_INFERRED, &kind, err) < 0)
		return err->code;
	f.ts = ts;
	f.pid = (int)pid;
	f.source = t->field[3][0];
	f.kind = (int)kind;
	f.start = strtoull(t->field[5], NULL, 10);
	f.bytes = strtoull(t->field[6], NULL, 10);
	f.name = t->field[8];
	f.pages = pages;
	if (!parse_pages(t->field[7], pages, &f.nr_node_ids))
		return spool_text_bad(t, "not a list NODE:PAGES,...", err);
	return ingest_placement(im->in, &f, err);
}

static int read_places(struct import *im, struct err *err)
{
	struct spool_text t;
	int got = 1;

	if (!spool_text_open(&t, im->dir, "places"))
		return 0;
	while (got == 1) {
		got = spool_text_next(&t, err);
		if (got == 1 && place_line(im, &t, err) < 0)
			got = err->code;
	}
	spool_text_close(&t);
	return got;
}

static int put_capture(struct import *im, struct err *err)
{
	struct capture c = {
		.source = (char *)"live", .kernel = im->info.kernel,
		.arch = im->info.arch, .clock = im->info.clock,
		.tool = im->info.tool,
		.command = im->info.command,
		.page_size = im->info.page_size,
		.nr_cpus = (int)im->info.nr_cpus,
		.has_faults = im->info.faults,
		.states = *decoder_states(im->decoder),
	};

	return ingest_capture(im->in, &c, err);
}

static int read_head(struct import *im, struct err *err)
{
	if (spool_read_info(im->dir, &im->info, err) < 0 ||
	    spool_read_end(im->dir, &im->end, err) < 0 ||
	    read_format(im, err) < 0 || read_formats(im, err) < 0 ||
	    put_capture(im, err) < 0 || read_topo(im, err) < 0 ||
	    read_knobs(im, err) < 0)
		return err->code;
	if (!im->end.has_end)
		note(im, "the recorder was killed: the last second or so is "
			 "missing");
	return ingest_knob(im->in, "homenode.ended",
			   im->end.has_end ? im->end.reason : "killed", err);
}

static int read_events(struct import *im, struct err *err)
{
	const struct spool_watch *w = im->watch;
	struct record_source src;

	if (spool_source_new(&im->source, im->dir, &im->info, &im->end,
			     &im->format, im->decoder, err) < 0)
		return err->code;
	spool_source_record(im->source, &src);
	if (ingest_run(im->in, &src, w ? w->progress : NULL, w ? w->ctx : NULL,
		       err) < 0 ||
	    spool_source_finish(im->source, im->in, err) < 0)
		return err->code;
	return 0;
}

static int put_skipped(void *ctx, const char *name, int64_t count,
		       struct err *err)
{
	return ingest_skipped(ctx, name, count, err);
}

int spool_import(const char *dir, struct store *s,
		 const struct spool_watch *watch, struct ingest_totals *totals,
		 struct err *err)
{
	struct import im = { .dir = dir, .watch = watch };
	int code = ingest_new(&im.in, s, err);

	if (code == 0)
		code = store_begin(s, err);
	if (code == 0)
		code = read_head(&im, err);
	if (code == 0)
		code = read_tasks(&im, err);
	if (code == 0)
		code = store_end(s, err);
	if (code == 0)
		code = read_events(&im, err);
	if (code == 0)
		code = store_begin(s, err);
	if (code == 0)
		code = read_places(&im, err);
	if (code == 0)
		code = decoder_each_skipped(im.decoder, put_skipped, im.in, err);
	if (code == 0)
		code = store_end(s, err);
	if (code == 0 && ingest_finish(im.in, err) < 0)
		code = err_prefix(err, "'%s'", dir);
	if (code == 0 && totals)
		*totals = *ingest_totals(im.in);
	spool_source_free(im.source);
	decoder_free(im.decoder);
	ingest_free(im.in);
	free(im.info.command);
	free(im.end.stats);
	return code;
}

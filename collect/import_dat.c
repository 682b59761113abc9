/* SPDX-License-Identifier: MIT */
#include "collect/import_local.h"

#include "collect/dat.h"
#include "collect/decoder.h"
#include "collect/merge.h"
#include "model/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 131072	/* of the saved ones that are taken */

struct import {
	const char *path;
	const struct import_options *o;
	const struct spool_watch *watch;
	struct ingest *in;
	struct dat *dat;
	const struct dat_info *info;
	int buffer;
	const char *clock;
	struct decoder *decoder;
	struct ring_format format;
	struct merge *merge;
	int nr_names;
};

/* "Linux HOST RELEASE MACHINE"; a host's name may have blanks, too. */
static void split_uname(const char *uname, char *kernel, char *arch, size_t size)
{
	const char *last = strrchr(uname, ' '), *before = NULL;

	kernel[0] = arch[0] = '\0';
	if (!last)
		return;
	before = memrchr(uname, ' ', (size_t)(last - uname));
	snprintf(arch, size, "%s", last + 1);
	if (before)
		snprintf(kernel, size, "%.*s", (int)(last - before - 1),
			 before + 1);
}

static int put_capture(struct import *im, struct err *err)
{
	const struct dat_info *i = im->info;
	char source[32], kernel[256], arch[256];
	struct capture c = {
		.source = source, .kernel = kernel, .arch = arch,
		.clock = (char *)im->clock,
		.tool = (char *)"homenode " HOMENODE_VERSION,
		.command = (char *)"",
		.page_size = (int64_t)i->page_size,
		.nr_cpus = i->nr_cpus,
		.states = *decoder_states(im->decoder),
	};

	snprintf(source, sizeof(source), "trace.dat v%d", i->version);
	split_uname(i->uname ? i->uname : "", kernel, arch, sizeof(kernel));
	return ingest_capture(im->in, &c, err);
}

static int add_format(void *ctx, const char *system, const char *text,
		      size_t len, struct err *err)
{
	return decoder_add_format(ctx, system, text, len, err);
}

static int add_name(void *ctx, int pid, const char *name, int tgid,
		    struct err *err)
{
	struct import *im = ctx;
	struct task_fact f = {
		.ts = INT64_MAX, .tid = pid, .pid = tgid > 0 ? tgid : -1,
		.comm = name, .weak_comm = name != NULL, .nice = NICE_UNKNOWN,
	};

	if (pid == 0 || im->nr_names == MAX_NAMES ||
	    (name && strcmp(name, "<...>") == 0))
		return 0;
	im->nr_names++;
	return ingest_task_fact(im->in, &f, err);
}

/* Without a unit there is no time: say so instead of taking ticks for ns. */
static int check_clock(const struct import *im, struct err *err)
{
	static const char *const counters[] = { "counter", "x86-tsc", "tsc2nsec" };
	const char *clock = im->clock;

	if (im->info->tsc_mult)
		return 0;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (strcmp(clock, counters[i]) == 0)
			return err_set(err, ERR_FORMAT,
				       "'%s': its clock '%s' does not count time, and the file does not tell how to turn it into ns",
				       im->path, clock);
	return 0;
}

static int pick_buffer(struct import *im, struct err *err)
{
	const struct dat_info *i = im->info;
	const char *want = im->o->buffer ? im->o->buffer : "";
	char list[300] = "";
	size_t len = 0;

	im->buffer = -1;
	for (int n = 0; n < i->nr_buffers; n++) {
		const char *name = i->buffer[n].name;

		if (strcmp(name, want) == 0) {
			im->buffer = n;
			continue;
		}
		if (len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len,
						"%s'%.60s'", len ? ", " : "", name);
	}
	if (im->buffer < 0)
		return err_set(err, ERR_USAGE, "'%s' has no buffer '%.60s', only %s",
			       im->path, want, list);
	im->clock = i->buffer[im->buffer].clock;
	if (!im->clock[0])
		im->clock = i->clock ? i->clock : "";
	if (i->nr_buffers > 1)
		import_note(im->watch, "further buffers of the file are left out (--buffer NAME takes one): %s",
			    list);
	return ingest_repair(im->in, "buffer_left_out", i->nr_buffers - 1, err);
}

static int64_t to_ns(const struct dat_info *i, int64_t ts)
{
	__int128 ns = ts;

	if (ts == LOSS_FROM_START || ts == LOSS_TO_END)
		return ts;
	if (i->tsc_mult)
		ns = ns * i->tsc_mult >> i->tsc_shift;
	ns += i->offset_ns;
	if (ns > INT64_MAX / 2)
		return INT64_MAX / 2;
	return ns < INT64_MIN / 2 ? INT64_MIN / 2 : (int64_t)ns;
}

static int next_record(void *ctx, struct record *r, struct err *err)
{
	const struct import *im = ctx;
	int got = merge_next(im->merge, r, err);

	if (got <= 0 || (!im->info->tsc_mult && !im->info->offset_ns))
		return got;
	if (r->what == RECORD_LOSS) {
		r->loss.from_ns = to_ns(im->info, r->loss.from_ns);
		r->loss.to_ns = to_ns(im->info, r->loss.to_ns);
	} else {
		r->event.ts = to_ns(im->info, r->event.ts);
	}
	return got;
}

static double progress(void *ctx)
{
	const struct import *im = ctx;

	return dat_progress(im->dat);
}

static int put_skipped(void *ctx, const char *name, int64_t count,
		       struct err *err)
{
	return ingest_skipped(ctx, name, count, err);
}

/* task_newtask tells thread from process, and is not kept. */
static int put_clones(struct import *im, struct err *err)
{
	const struct dat_buffer *b = &im->info->buffer[im->buffer];
	int64_t count = 0;

	for (int i = 0; i < b->nr_cpus; i++)
		count += decoder_clones(im->decoder, b->cpu[i].cpu);
	return count ? ingest_skipped(im->in, "task_newtask", count, err) : 0;
}

/* What the pages and the counters told on the way. */
static int put_findings(struct import *im, struct err *err)
{
	const struct dat_info *i = im->info;
	const char *damage = merge_damage(im->merge);
	int code;

	if (merge_damaged(im->merge))
		import_note(im->watch, "%" PRId64 " pages are damaged, the first: %s",
			    merge_damaged(im->merge), damage);
	if (dat_damage(im->dat)[0])
		import_note(im->watch, "data is damaged: %s", dat_damage(im->dat));
	code = ingest_repair(im->in, "damaged_page", merge_damaged(im->merge), err);
	if (code == 0)
		code = ingest_repair(im->in, "damaged_data",
				     dat_damage(im->dat)[0] != '\0', err);
	if (code == 0)
		code = ingest_repair(im->in, "backward_time",
				     merge_backward(im->merge), err);
	if (code == 0)
		code = decoder_each_skipped(im->decoder, put_skipped, im->in, err);
	if (code == 0)
		code = put_clones(im, err);
	for (int n = 0; n < i->nr_stats && code == 0 && im->buffer == 0; n++)
		code = ingest_lost(im->in, i->stat[n].cpu, i->stat[n].lost, err);
	return code;
}

static int run(struct import *im, struct err *err)
{
	struct record_source src = {
		.ctx = im, .next = next_record, .progress = progress,
	};
	struct page_stream *streams = NULL;
	int nr, code;

	code = dat_streams(im->dat, im->buffer, im->o->partial, &im->format,
			   &streams, &nr, err);
	if (code == 0)
		code = merge_new(&im->merge, streams, nr, &im->format,
				 im->decoder, err);
	if (code == 0)
		code = ingest_run(im->in, &src, im->watch ? im->watch->progress :
				  NULL, im->watch ? im->watch->ctx : NULL, err);
	if (code == 0)
		code = put_findings(im, err);
	free(streams);
	return code;
}

static int prepare(struct import *im, struct err *err)
{
	int code = dat_open(&im->dat, im->path, err);

	if (code < 0)
		return code;
	im->info = dat_info(im->dat);
	code = pick_buffer(im, err);
	if (code == 0)
		code = check_clock(im, err);
	if (code == 0)
		code = decoder_new(&im->decoder, im->info->big_endian, err);
	if (code == 0)
		code = dat_each_format(im->dat, add_format, im->decoder, err);
	if (code == 0)
		code = put_capture(im, err);
	if (code == 0)
		code = dat_each_name(im->dat, add_name, im, err);
	return code;
}

int import_dat(const char *path, const struct import_options *o,
	       struct ingest *in, const struct spool_watch *watch,
	       struct err *err)
{
	struct import im = { .path = path, .o = o, .watch = watch, .in = in };
	int code = prepare(&im, err);

	if (code == 0)
		code = import_settings(in, o, im.clock, err);
	if (code == 0)
		code = run(&im, err);
	if (code == 0)
		code = import_samples(in, o, (int64_t)im.info->page_size, err);
	if (code == 0 && ingest_finish(in, err) < 0)
		code = err->code == ERR_FORMAT ? err_prefix(err, "'%s'", path) :
						 err->code;
	if (code == 0)
		import_remarks(ingest_totals(in), o, watch);
	merge_free(im.merge);
	decoder_free(im.decoder);
	dat_close(im.dat);
	return code;
}

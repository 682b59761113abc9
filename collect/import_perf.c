/* SPDX-License-Identifier: MIT */
#include "collect/import_local.h"

#include "collect/perf.h"
#include "model/err.h"

#include <inttypes.h>

struct import {
	const char *path;
	const struct import_options *o;
	const struct spool_watch *watch;
	struct ingest *in;
	struct perf *perf;
};

static int next_record(void *ctx, struct record *r, struct err *err)
{
	const struct import *im = ctx;

	return perf_next(im->perf, r, err);
}

static double progress(void *ctx)
{
	const struct import *im = ctx;

	return perf_progress(im->perf);
}

static int put_skipped(void *ctx, const char *name, int64_t count,
		       struct err *err)
{
	return ingest_skipped(ctx, name, count, err);
}

/* Known for sure after the records only, in what came through a pipe. */
static int put_head(struct import *im, struct err *err)
{
	const struct perf_info *i = perf_info(im->perf);
	const struct capture c = {
		.source = (char *)(i->is_pipe ? "perf.data (pipe)" : "perf.data"),
		.kernel = (char *)i->kernel, .arch = (char *)i->arch,
		.clock = (char *)i->clock,
		.tool = (char *)"homenode " HOMENODE_VERSION,
		.command = (char *)i->command, .page_size = i->page_size,
		.nr_cpus = i->nr_cpus,
		.states = *decoder_states(perf_decoder(im->perf)),
	};
	int code = ingest_capture(im->in, &c, err);

	if (code == 0 && !im->o->topology && i->has_topo)
		code = ingest_topo(im->in, &i->topo, err);
	return code;
}

static int put_findings(struct import *im, struct err *err)
{
	const struct perf *p = im->perf;
	int code = put_head(im, err);

	if (perf_damage(p)[0])
		import_note(im->watch, "the file is damaged: %s", perf_damage(p));
	else if (perf_info(p)->is_cut)
		import_note(im->watch, "perf did not come to the file's end");
	if (perf_unplaced(p))
		import_note(im->watch, "%" PRId64 " events are lost, on which CPUs is not told",
			    perf_unplaced(p));
	if (code == 0)
		code = ingest_repair(im->in, "damaged_data",
				     perf_damage(p)[0] != '\0', err);
	if (code == 0)
		code = ingest_repair(im->in, "damaged_sample",
				     perf_bad_samples(p), err);
	if (code == 0)
		code = ingest_repair(im->in, "lost_unplaced", perf_unplaced(p),
				     err);
	if (code == 0)
		code = ingest_repair(im->in, "out_of_order", perf_late(p), err);
	if (code == 0)
		code = decoder_each_skipped(perf_decoder(p), put_skipped, im->in,
					    err);
	if (code == 0)
		code = perf_each_skipped(p, put_skipped, im->in, err);
	if (code == 0)
		code = sighted_put(perf_sighted(p), im->in, err);
	return code;
}

static int run(struct import *im, struct err *err)
{
	struct record_source src = {
		.ctx = im, .next = next_record, .progress = progress,
	};
	const struct spool_watch *w = im->watch;
	int code = perf_open(&im->perf, im->path, im->o->partial, err);

	if (code == 0)
		code = import_settings(im->in, im->o, perf_info(im->perf)->clock,
				       err);
	if (code == 0)
		code = ingest_run(im->in, &src, w ? w->progress : NULL,
				  w ? w->ctx : NULL, err);
	if (code == 0)
		code = put_findings(im, err);
	if (code == 0)
		code = import_samples(im->in, im->o,
				      perf_info(im->perf)->page_size, err);
	return code;
}

int import_perf(const char *path, const struct import_options *o,
		struct ingest *in, const struct spool_watch *watch,
		struct err *err)
{
	struct import im = { .path = path, .o = o, .watch = watch, .in = in };
	struct import_options told = *o;
	int code = run(&im, err);

	if (code == 0 && ingest_finish(in, err) < 0)
		code = err->code == ERR_FORMAT ? err_prefix(err, "'%s'", path) :
						 err->code;
	if (code == 0 && !told.topology && perf_info(im.perf)->has_topo)
		told.topology = path;
	if (code == 0)
		import_remarks(ingest_totals(in), &told, watch);
	perf_close(im.perf);
	return code;
}

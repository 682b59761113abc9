/* SPDX-License-Identifier: MIT */
#include "collect/import_local.h"

#include "collect/text.h"
#include "model/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAGE_SIZE 4096		/* where the text does not tell */

struct import {
	const char *path;
	const struct spool_watch *watch;
	struct ingest *in;
	struct text *text;
	int64_t missed;		/* lines not understood */
	char first[400];	/* of them, as a note */
};

static int next_record(void *ctx, struct record *r, struct err *err)
{
	const struct import *im = ctx;

	return text_next(im->text, r, err);
}

static double progress(void *ctx)
{
	const struct import *im = ctx;

	return text_progress(im->text);
}

static int put_skipped(void *ctx, const char *name, int64_t count,
		       struct err *err)
{
	return ingest_skipped(ctx, name, count, err);
}

static int note_miss(void *ctx, const char *what, int64_t count, int64_t line,
		     const char *first)
{
	struct import *im = ctx;
	char text[400];

	snprintf(text, sizeof(text),
		 "%" PRId64 " line%s not understood (%s), the first is line %" PRId64 ": '%s'",
		 count, count == 1 ? "" : "s", what, line, first);
	if (!im->missed)
		memcpy(im->first, text, sizeof(text));
	im->missed += count;
	if (text_nr_understood(im->text))
		import_note(im->watch, "%s", text);
	return 0;
}

static int put_capture(struct import *im, struct err *err)
{
	const struct text_head *h = text_head(im->text);
	const struct capture c = {
		.source = (char *)"text", .kernel = (char *)h->kernel,
		.arch = (char *)h->arch, .clock = (char *)h->clock,
		.tool = (char *)"homenode " HOMENODE_VERSION,
		.command = (char *)"",
		.page_size = h->page_size > 0 ? h->page_size : PAGE_SIZE,
		.states = h->states,
	};

	return ingest_capture(im->in, &c, err);
}

/* What the lines told on the way. */
static int put_findings(struct import *im, struct err *err)
{
	const struct text *t = im->text;
	const int64_t gone = text_head(t)->overwritten;
	int code;

	text_each_miss(t, note_miss, im);
	if (!text_nr_understood(t))
		return err_set(err, ERR_FORMAT,
			       "'%s' is no trace: %s", im->path,
			       im->missed ? im->first : "it has no line of an event");
	if (gone)
		import_note(im->watch, "the buffer had overwritten %" PRId64 " older events when this text was made of it",
			    gone);
	code = put_capture(im, err);
	if (code == 0)
		code = ingest_repair(im->in, "lines_not_understood", im->missed,
				     err);
	if (code == 0)
		code = ingest_repair(im->in, "lost_unplaced", gone, err);
	if (code == 0)
		code = ingest_repair(im->in, "backward_time", text_backward(t),
				     err);
	if (code == 0)
		code = ingest_repair(im->in, "out_of_order", text_late(t), err);
	if (code == 0)
		code = text_each_skipped(t, put_skipped, im->in, err);
	if (code == 0)
		code = sighted_put(text_tasks(t), im->in, err);
	return code;
}

static int run(struct import *im, const struct import_options *o,
	       struct err *err)
{
	struct record_source src = {
		.ctx = im, .next = next_record, .progress = progress,
	};
	const struct spool_watch *w = im->watch;
	int code = text_open(&im->text, im->path, o->unit_ns, err);

	if (code == 0)
		code = import_settings(im->in, o, text_head(im->text)->clock, err);
	if (code == 0)
		code = ingest_run(im->in, &src, w ? w->progress : NULL,
				  w ? w->ctx : NULL, err);
	if (code == 0)
		code = put_findings(im, err);
	return code;
}

bool import_text_is(const uint8_t *bytes, size_t len)
{
	return !memchr(bytes, 0, len);
}

int import_text(const char *path, const struct import_options *o,
		struct ingest *in, const struct spool_watch *watch,
		struct err *err)
{
	struct import im = { .path = path, .watch = watch, .in = in };
	int code = run(&im, o, err);

	if (code == 0)
		code = import_samples(in, o, PAGE_SIZE, err);
	if (code == 0 && ingest_finish(in, err) < 0)
		code = err->code == ERR_FORMAT ? err_prefix(err, "'%s'", path) :
						 err->code;
	if (code == 0)
		import_remarks(ingest_totals(in), o, watch);
	text_close(im.text);
	return code;
}

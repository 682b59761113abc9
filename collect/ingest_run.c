/* SPDX-License-Identifier: MIT */
#include "collect/ingest_local.h"

#include "model/err.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_EVENTS 2048
#define NR_BATCHES 4

/* What the reader hands to the writer at a time. */
struct batch {
	struct event event[BATCH_EVENTS];
	int nr_events;
	struct name_log names;
	struct loss *loss;
	int nr_losses, size_losses;
	double done;
};

/* A ring of batches: the reader fills [filled], the writer empties [written],
 * both count on for ever. */
struct queue {
	struct ingest *in;
	struct record_source *src;
	struct batch *batch[NR_BATCHES];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned filled, written;
	bool reader_done, stopped;
	struct err err;		/* the reader's */
};

static int add_loss(struct batch *b, const struct loss *l, struct err *err)
{
	if (b->nr_losses == b->size_losses) {
		int size = b->size_losses ? b->size_losses * 2 : 16;
		struct loss *new = realloc(b->loss, (size_t)size * sizeof(*new));

		if (!new)
			return err_nomem(err);
		b->loss = new;
		b->size_losses = size;
	}
	b->loss[b->nr_losses++] = *l;
	return 0;
}

static int take(struct ingest *in, struct record *r, struct batch *b,
		struct err *err)
{
	struct ingest_totals *t = &in->totals;
	struct loss write;
	bool write_now;

	if (r->what == RECORD_LOSS) {
		if (ingest_take_loss(in, &r->loss, &write_now, &write, err) < 0)
			return err->code;
		return write_now ? add_loss(b, &write, err) : 0;
	}
	in->lives.log = &b->names;
	if (lives_event(&in->lives, r, err) < 0)
		return err->code;
	if (!cpumask_test(&in->seen_cpus, r->event.cpu) &&
	    cpumask_set(&in->seen_cpus, r->event.cpu) < 0)
		return err_nomem(err);
	if (!t->events || r->event.ts < t->start_ns)
		t->start_ns = r->event.ts;
	if (!t->events || r->event.ts > t->end_ns)
		t->end_ns = r->event.ts;
	t->events++;
	t->by_kind[r->event.kind]++;
	b->event[b->nr_events++] = r->event;
	return 0;
}

/* Fills one batch: 1, 0 nothing is left, or an error. */
static int fill(struct queue *q, struct batch *b, struct err *err)
{
	struct record r;
	int got = 0;

	b->nr_events = b->names.nr = b->nr_losses = 0;
	while (b->nr_events < BATCH_EVENTS && b->nr_losses < BATCH_EVENTS) {
		r.fork = FORK_UNKNOWN;
		got = q->src->next(q->src->ctx, &r, err);
		if (got <= 0)
			break;
		if (take(q->in, &r, b, err) < 0)
			return err->code;
	}
	if (q->src->progress)
		b->done = q->src->progress(q->src->ctx);
	if (got < 0)
		return got;
	return b->nr_events || b->nr_losses;
}

static void *reader(void *ctx)
{
	struct queue *q = ctx;
	int got = 1;

	while (got > 0) {
		struct batch *b;

		pthread_mutex_lock(&q->lock);
		while (q->filled - q->written == NR_BATCHES && !q->stopped)
			pthread_cond_wait(&q->changed, &q->lock);
		b = q->batch[q->filled % NR_BATCHES];
		if (q->stopped)
			b = NULL;
		pthread_mutex_unlock(&q->lock);
		if (!b)
			break;
		got = fill(q, b, &q->err);
		pthread_mutex_lock(&q->lock);
		if (got > 0)
			q->filled++;
		else
			q->reader_done = true;
		pthread_cond_signal(&q->changed);
		pthread_mutex_unlock(&q->lock);
	}
	return NULL;
}

static int write_batch(struct ingest *in, const struct batch *b, struct err *err)
{
	struct ingest_totals *t = &in->totals;
	int code = 0;

	for (int i = 0; i < b->nr_events && code == 0; i++)
		code = store_put_event(in->store, &b->event[i], err);
	for (int i = 0; i < b->names.nr && code == 0; i++)
		code = store_put_name(in->store, b->names.change[i].task,
				      b->names.change[i].from_ns,
				      b->names.change[i].comm, err);
	for (int i = 0; i < b->nr_losses && code == 0; i++) {
		t->loss_intervals++;
		if (b->loss[i].events > 0)
			t->lost += b->loss[i].events;
		code = store_put_loss(in->store, &b->loss[i], err);
	}
	return code;
}

static int writer(struct queue *q, int (*progress)(void *ctx, double done),
		  void *ctx, struct err *err)
{
	int code = 0;

	while (code == 0) {
		struct batch *b = NULL;

		pthread_mutex_lock(&q->lock);
		while (q->filled == q->written && !q->reader_done)
			pthread_cond_wait(&q->changed, &q->lock);
		if (q->filled != q->written)
			b = q->batch[q->written % NR_BATCHES];
		pthread_mutex_unlock(&q->lock);
		if (!b)
			break;
		code = write_batch(q->in, b, err);
		if (code == 0 && progress && progress(ctx, b->done))
			code = err_set(err, ERR_STOPPED, "stopped");
		pthread_mutex_lock(&q->lock);
		q->written++;
		if (code < 0)
			q->stopped = true;
		pthread_cond_signal(&q->changed);
		pthread_mutex_unlock(&q->lock);
	}
	return code;
}

static void queue_release(struct queue *q)
{
	for (int i = 0; i < NR_BATCHES; i++) {
		if (!q->batch[i])
			continue;
		name_log_release(&q->batch[i]->names);
		free(q->batch[i]->loss);
		free(q->batch[i]);
	}
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
}

static int by_tid(const void *pa, const void *pb)
{
	const struct known_name *a = pa, *b = pb;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Names that facts give from the start on. */
static int know_names(struct ingest *in, struct err *err)
{
	int nr = 0;

	in->known = malloc(((size_t)in->nr_facts + 1) * sizeof(*in->known));
	if (!in->known)
		return err_nomem(err);
	for (int i = 0; i < in->nr_facts; i++) {
		const struct task_fact *f = &in->fact[i].f;

		if (f->comm && !f->weak_comm && f->ts == INT64_MIN)
			in->known[nr++] = (struct known_name){ f->tid, f->comm };
	}
	qsort(in->known, (size_t)nr, sizeof(*in->known), by_tid);
	lives_init(&in->lives, in->known, nr);
	return 0;
}

int ingest_run(struct ingest *in, struct record_source *src,
	       int (*progress)(void *ctx, double done), void *ctx,
	       struct err *err)
{
	struct queue q = { .in = in, .src = src };
	pthread_t thread;
	int code = 0, failed;

	pthread_mutex_init(&q.lock, NULL);
	pthread_cond_init(&q.changed, NULL);
	for (int i = 0; i < NR_BATCHES && code == 0; i++) {
		q.batch[i] = calloc(1, sizeof(*q.batch[i]));
		if (!q.batch[i])
			code = err_nomem(err);
	}
	if (code == 0)
		code = know_names(in, err);
	if (code == 0)
		code = store_begin(in->store, err);
	if (code < 0)
		goto out;
	failed = pthread_create(&thread, NULL, reader, &q);
	if (failed) {
		code = err_set(err, ERR_IO, "cannot start a thread: %s",
			       strerror(failed));
		goto out;
	}
	code = writer(&q, progress, ctx, err);
	pthread_join(thread, NULL);
	if (code == 0 && q.err.code)
		code = err_set(err, q.err.code, "%s", q.err.text);
	if (code == 0)
		code = store_end(in->store, err);
	in->has_run = true;
out:
	in->lives.log = &in->late_names;
	queue_release(&q);
	return code;
}

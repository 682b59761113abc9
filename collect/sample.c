/* SPDX-License-Identifier: MIT */
#include "collect/sample_local.h"

#include <stdlib.h>
#include <string.h>

#include "collect/clock.h"
#include "collect/procfs.h"
#include "model/err.h"

#define CREDIT_MAX_NS INT64_C(20000000)	/* budget that can be saved up */
#define IDLE_NS INT64_C(1000000000)	/* nothing to do: ask again then */
#define NEVER INT64_MIN
#define TINY_TURNS 8		/* intervals between two looks at its size */

struct process {
	int pid;
	int64_t due_ns;		/* its next turn */
	int slow_reads;		/* of numa_maps, in a row */
	bool was_read, tiny;
	struct sample last;	/* what was read last */
	int64_t before_ns;	/* the reading before it, if equal; NEVER */
	int64_t given_ns;	/* what of it was handed on last; NEVER */
};

struct sampler {
	struct sampler_setup setup;
	struct process *process;
	int nr, size;
	bool no_maps;		/* the kernel has no numa_maps */
	int64_t credit_ns;	/* time that may be spent now */
	int64_t credited_ns;	/* when the credit was brought up to date */
	struct sampler_totals totals;
};

static int64_t now(const struct sampler *s)
{
	return s->setup.now ? s->setup.now(s->setup.ctx) : clock_now();
}

static int64_t spent(const struct sampler *s)
{
	return s->setup.spent ? s->setup.spent(s->setup.ctx) :
				clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

int sampler_new(struct sampler **s, const struct sampler_setup *setup,
		struct err *err)
{
	*s = calloc(1, sizeof(**s));
	if (!*s)
		return err_nomem(err);
	(*s)->setup = *setup;
	(*s)->totals.max_stride = 1;
	(*s)->credit_ns = CREDIT_MAX_NS;
	(*s)->credited_ns = now(*s);
	return 0;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->nr; i++)
		sample_release(&s->process[i].last);
	free(s->process);
	free(s);
}

const struct sampler_totals *sampler_totals(const struct sampler *s)
{
	return &s->totals;
}

/* Hands on what was read last as of ts, a time at which it was read so. */
static int give_at(struct sampler *s, struct process *p, int64_t ts,
		   struct err *err)
{
	const struct sample *m = &p->last;
	int code = 0;

	p->given_ns = ts;
	for (int i = 0; i < m->nr && code == 0; i++) {
		const struct sample_area *a = &m->area[i];
		const struct placement_fact f = {
			.ts = ts,
			.pid = p->pid,
			.start = a->start,
			.bytes = a->bytes,
			.kind = a->kind,
			.name = m->names + a->name,
			.source = m->source,
			.nr_node_ids = a->nr_node_ids,
			.pages = m->pages + a->pages,
		};

		code = s->setup.area(s->setup.ctx, &f, err);
	}
	return code < 0 ? code :
			  s->setup.end(s->setup.ctx, p->pid, ts, err);
}

/* Hands on the last two readings, if equal, as far as that was not done. */
static int give(struct sampler *s, struct process *p, struct err *err)
{
	int code = 0;

	if (p->before_ns > p->given_ns)
		code = give_at(s, p, p->before_ns, err);
	if (code >= 0 && p->last.nr && p->last.ts > p->given_ns)
		code = give_at(s, p, p->last.ts, err);
	return code;
}

static int drop(struct sampler *s, struct process *p, struct err *err)
{
	int code = give(s, p, err);

	sample_release(&p->last);
	*p = s->process[--s->nr];
	return code;
}

int sampler_add(struct sampler *s, int pid, struct err *err)
{
	for (int i = 0; i < s->nr; i++)
		if (s->process[i].pid == pid) {
			if (drop(s, &s->process[i], err) < 0)
				return err->code;
			break;
		}
	if (s->nr == s->size) {
		int size = s->size ? s->size * 2 : 64;
		struct process *new = realloc(s->process,
					      (size_t)size * sizeof(*new));

		if (!new)
			return err_nomem(err);
		s->process = new;
		s->size = size;
	}
	s->process[s->nr++] = (struct process){
		.pid = pid, .due_ns = now(s), .before_ns = NEVER,
		.given_ns = NEVER,
	};
	return 0;
}

static int keep(struct sampler *s, struct process *p, struct sample *new,
		struct err *err)
{
	int code = 0;

	if (!p->was_read)
		s->totals.processes++;
	p->was_read = true;
	if (new->source == 'm')
		s->totals.reads++;
	else
		s->totals.queries++;
	if (p->last.nr && sample_equal(&p->last, new)) {
		bool second = p->before_ns == NEVER;

		p->before_ns = p->last.ts;
		p->last.ts = new->ts;
		sample_release(new);
		return second ? give(s, p, err) : 0;
	}
	code = give(s, p, err);
	sample_release(&p->last);
	p->before_ns = NEVER;
	p->last = *new;
	*new = (struct sample){ 0 };
	return code < 0 ? code : give(s, p, err);
}

static bool is_tiny(const struct sampler *s, const struct process *p)
{
	int64_t pages = procfs_resident(s->setup.proc, p->pid);

	return pages >= 0 && pages * s->setup.page_size < SAMPLE_TINY_BYTES;
}

/* One turn of a process: enum sample_result, or an error. */
static int read_process(struct sampler *s, struct process *p, struct err *err)
{
	struct sample new = { 0 };
	int result = SAMPLE_NO_MAPS, code;
	int64_t before = spent(s);

	new.ts = now(s);
	if (!s->no_maps && p->slow_reads < SAMPLE_SLOW_READS) {
		result = sample_read_maps(&s->setup, p->pid, &new, err);
		p->slow_reads = spent(s) - before > SAMPLE_SLOW_NS ?
					p->slow_reads + 1 : 0;
		s->no_maps = result == SAMPLE_NO_MAPS;
	}
	if (result == SAMPLE_NO_MAPS) {
		sample_release(&new);
		new.ts = now(s);
		result = sample_query(&s->setup, p->pid, &new,
				      &s->totals.max_stride, err);
	}
	if (result != SAMPLE_OK) {
		sample_release(&new);
		s->totals.refused += result == SAMPLE_REFUSED;
		return result;
	}
	code = keep(s, p, &new, err);
	return code < 0 ? code : SAMPLE_OK;
}

/* How long something may not happen again that took `cost`. */
static int64_t pause_of(const struct sampler *s, int64_t cost)
{
	double pause = s->setup.budget > 0 ? (double)cost / s->setup.budget :
					     3600e9;

	return pause < 3600e9 ? (int64_t)pause : INT64_C(3600000000000);
}

static int take_turn(struct sampler *s, struct process *p, struct err *err)
{
	int64_t start = now(s), before = spent(s), pause;
	int result = SAMPLE_OK;

	p->tiny = is_tiny(s, p);
	/* Where the budget is short, tiny ones must not take it from others. */
	if (!p->tiny || (!p->was_read && s->credit_ns >= CREDIT_MAX_NS / 2))
		result = read_process(s, p, err);
	if (result < 0)
		return result;
	before = spent(s) - before;
	s->credit_ns -= before;
	s->totals.spent_ns += before;
	if (result != SAMPLE_OK)
		return drop(s, p, err);
	pause = pause_of(s, now(s) - start);
	if (pause < s->setup.interval_ns)
		pause = s->setup.interval_ns;
	p->due_ns = start + pause * (p->tiny ? TINY_TURNS : 1);
	return 0;
}

static void update_credit(struct sampler *s)
{
	int64_t t = now(s);

	s->credit_ns += (int64_t)((double)(t - s->credited_ns) * s->setup.budget);
	if (s->credit_ns > CREDIT_MAX_NS)
		s->credit_ns = CREDIT_MAX_NS;
	s->credited_ns = t;
}

static struct process *first_due(struct sampler *s)
{
	struct process *first = NULL;

	for (int i = 0; i < s->nr; i++)
		if (!first || s->process[i].due_ns < first->due_ns)
			first = &s->process[i];
	return first;
}

int sampler_run(struct sampler *s, int64_t *next, struct err *err)
{
	for (int turns = s->nr;; turns--) {
		struct process *p = first_due(s);
		int64_t t = now(s);

		update_credit(s);
		*next = t + IDLE_NS;
		if (p && p->due_ns < *next)
			*next = p->due_ns;
		if (s->credit_ns <= 0) {
			int64_t later = t + pause_of(s, 1 - s->credit_ns);

			*next = later > *next ? later : *next;
		}
		if (!p || p->due_ns > t || s->credit_ns <= 0 || turns <= 0)
			return 0;
		if (take_turn(s, p, err) < 0)
			return err->code;
	}
}

int sampler_last(struct sampler *s, int64_t deadline, struct err *err)
{
	int code = 0;

	for (int i = s->nr; i-- > 0 && code >= 0 && now(s) < deadline;)
		if (!s->process[i].was_read || !s->process[i].tiny)
			code = read_process(s, &s->process[i], err);
	for (int i = 0; i < s->nr && code >= 0; i++)
		code = give(s, &s->process[i], err);
	return code < 0 ? code : 0;
}

/* SPDX-License-Identifier: MIT */
#include "model/stall.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/err.h"
#include "model/event.h"

#define GAP_NS 1000000

int stall_init(struct stall *s, int nr_cpus, int64_t page_size,
	       int64_t tick_ns, struct err *err)
{
	*s = (struct stall){
		.nr_cpus = nr_cpus,
		.page_size = page_size > 0 ? page_size : 4096,
		.tick_ns = tick_ns,
		.cpu = calloc((size_t)nr_cpus + 1, sizeof(*s->cpu)),
	};
	return s->cpu ? 0 : err_nomem(err);
}

void stall_release(struct stall *s)
{
	free(s->cpu);
	*s = (struct stall){ 0 };
}

static void add_pair(struct stall *s, int64_t ns)
{
	s->pairs++;
	if (ns <= GAP_NS) {
		s->run_ns += ns;
		return;
	}
	s->gaps++;
	s->gap_ns += ns;
	s->ticks += ns < s->tick_ns ? (double)ns / (double)s->tick_ns : 1;
}

static void add_move(struct stall *s, struct stall_cpu *c,
		     const struct event *ev)
{
	if (ev->pages.reason != REASON_NUMA_MISPLACED ||
	    ev->pages.succeeded != 1)
		return;
	if (c->move_tid == ev->tid && ev->ts >= c->move_ts) {
		s->moves++;
		s->move_ns += ev->ts - c->move_ts;
	}
	c->move_tid = ev->tid;
	c->move_ts = ev->ts;
}

void stall_event(struct stall *s, const struct event *ev)
{
	struct stall_cpu *c;
	uint64_t page;

	if (ev->cpu < 0 || ev->cpu >= s->nr_cpus)
		return;
	c = &s->cpu[ev->cpu];
	if (ev->kind == EVENT_SWITCH)
		c->tid = c->move_tid = 0;
	if (ev->kind == EVENT_MIGRATE_PAGES)
		add_move(s, c, ev);
	if (ev->kind != EVENT_PAGE_FAULT_USER)
		return;
	page = ev->fault.address / (uint64_t)s->page_size;
	if (c->tid == ev->tid && c->tid && ev->ts >= c->ts &&
	    (page == c->page + 1 || page + 1 == c->page))
		add_pair(s, ev->ts - c->ts);
	c->tid = ev->tid;
	c->ts = ev->ts;
	c->page = page;
}

static bool is_known(const struct stall *s)
{
	return s->pairs >= STALL_MIN_PAIRS && s->gaps <= s->pairs / 10 &&
		s->run_ns > 0;
}

int64_t stall_tick(const struct stall *s)
{
	double all = (double)s->run_ns + (double)s->gap_ns, ns;

	if (!is_known(s))
		return 0;
	ns = all / ((double)s->run_ns / (double)s->tick_ns + s->ticks);
	return ns > (double)s->tick_ns ? (int64_t)ns : s->tick_ns;
}

int64_t stall_touch(const struct stall *s)
{
	return is_known(s) ? (s->run_ns + s->gap_ns) / s->pairs : 0;
}

int64_t stall_move(const struct stall *s)
{
	return s->moves >= STALL_MIN_PAIRS ? s->move_ns / s->moves : 0;
}

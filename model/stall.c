/* SPDX-License-Identifier: MIT */
#include "model/stall.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/err.h"
#include "model/event.h"

#define GAP_NS 1000000
#define WAS_PRESENT 1		/* error code: the page was there, to be copied */

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
	seen_release(&s->seen);
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
	c->again = false;
	if (c->move_tid == ev->tid && ev->ts >= c->move_ts) {
		s->moves++;
		s->move_ns += ev->ts - c->move_ts;
	}
	c->move_tid = ev->tid;
	c->move_ts = ev->ts;
}

/* A page of this task: no two have the same number unless the address has more
 * than 52 bits. */
static uint64_t key_of(const struct event *ev, uint64_t page)
{
	return page << 24 ^ (uint64_t)(uint32_t)ev->tid;
}

static void add_fault(struct stall *s, struct stall_cpu *c,
		      const struct event *ev)
{
	uint64_t page = ev->fault.address / (uint64_t)s->page_size;
	bool again = seen_add(&s->seen, key_of(ev, page)) &&
		!(ev->fault.error_code & WAS_PRESENT);
	int64_t ns = ev->ts - c->ts;

	if (c->tid == ev->tid && c->tid && ns >= 0) {
		if (page == c->page + 1 || page + 1 == c->page)
			add_pair(s, ns);
		if (again && c->again) {
			s->hints++;
			s->hint_gaps += ns > GAP_NS;
			s->hint_ns += ns;
		}
	}
	c->tid = ev->tid;
	c->ts = ev->ts;
	c->page = page;
	c->again = again;
}

void stall_event(struct stall *s, const struct event *ev)
{
	struct stall_cpu *c;

	if (ev->cpu < 0 || ev->cpu >= s->nr_cpus)
		return;
	c = &s->cpu[ev->cpu];
	if (ev->kind == EVENT_SWITCH)
		c->tid = c->move_tid = 0;
	if (ev->kind == EVENT_MIGRATE_PAGES)
		add_move(s, c, ev);
	if (ev->kind == EVENT_PAGE_FAULT_USER)
		add_fault(s, c, ev);
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

int64_t stall_touch_running(const struct stall *s)
{
	int64_t pairs = s->pairs - s->gaps;

	return is_known(s) && pairs > 0 ? s->run_ns / pairs : 0;
}

int64_t stall_hint(const struct stall *s)
{
	bool is_burst = s->hint_gaps <= s->hints / 10;

	return s->hints >= STALL_MIN_PAIRS && is_burst ?
		s->hint_ns / s->hints : 0;
}

int64_t stall_move(const struct stall *s)
{
	return s->moves >= STALL_MIN_PAIRS ? s->move_ns / s->moves : 0;
}

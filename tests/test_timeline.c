/* SPDX-License-Identifier: MIT */
/*
 * The timeline on events written by hand.  What it tells is written down as
 *
 *	1@0 100-200 S r90 w2	span of tid 1 on CPU 0, asleep after it, ready
 *				since 90, woken by tid 2; flags: c open at the
 *				start, e at the end, u unsure, m mended
 *	wake 1 by 2 at 90	also early, kept, gone
 *	fork 1>3 at 50		exec 1 at 60, exit 1 at 70
 *	move 1 0>1 wake
 *
 * and every expectation follows from the rules in model/timeline.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/err.h"
#include "model/timeline.h"
#include "tests/support/events_text.h"

struct run {
	struct events_text ev;
	struct timeline *tl;
	char text[4096];
	size_t len;
	int64_t last_end;	/* spans come in order of their end */
	int64_t free_at[8];	/* and do not overlap on a CPU */
};

static void say(struct run *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct run *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->len += (size_t)vsnprintf(r->text + r->len,
				    sizeof(r->text) - r->len, fmt, ap);
	va_end(ap);
	assert_true(r->len < sizeof(r->text));
}

static int tid_of(const struct run *r, int task)
{
	return task < 0 ? 0 : r->ev.tasks.task[task].tid;
}

static int take_off(void *ctx, const struct span *s, struct err *err)
{
	struct run *r = ctx;
	char flags[5] = "", *f = flags;

	assert_true(s->start_ns <= s->end_ns);
	assert_true(s->end_ns >= r->last_end);
	assert_true(s->start_ns >= r->free_at[s->cpu]);
	r->last_end = s->end_ns;
	r->free_at[s->cpu] = s->end_ns;
	if (s->flags & SPAN_F_CENSORED_START)
		*f++ = 'c';
	if (s->flags & SPAN_F_CENSORED_END)
		*f++ = 'e';
	if (s->flags & SPAN_F_UNSURE)
		*f++ = 'u';
	if (s->flags & SPAN_F_REPAIRED)
		*f++ = 'm';
	*f = '\0';
	say(r, "%d@%d %lld-%lld %c%s r%lld w%d\n", tid_of(r, s->task), s->cpu,
	    (long long)s->start_ns, (long long)s->end_ns,
	    "RSDTIPX?"[s->state], flags, (long long)s->ready_ns,
	    tid_of(r, s->waker));
	return 0;
}

static int take_wake(void *ctx, const struct timeline_wake *w,
		     struct err *err)
{
	static const char *const name[] = {
		[TIMELINE_WAKE] = "wake", [TIMELINE_WAKE_EARLY] = "early",
		[TIMELINE_WAKE_KEPT] = "kept", [TIMELINE_WAKE_GONE] = "gone",
	};
	struct run *r = ctx;

	say(r, "%s %d by %d at %lld\n", name[w->kind], tid_of(r, w->task),
	    tid_of(r, w->waker), (long long)w->ts);
	return 0;
}

static int take_fork(void *ctx, int64_t ts, int parent, int child,
		     struct err *err)
{
	struct run *r = ctx;

	say(r, "fork %d>%d at %lld\n", tid_of(r, parent), tid_of(r, child),
	    (long long)ts);
	return 0;
}

static int take_exec(void *ctx, int64_t ts, int task, struct err *err)
{
	say(ctx, "exec %d at %lld\n", tid_of(ctx, task), (long long)ts);
	return 0;
}

static int take_exit(void *ctx, int64_t ts, int task, struct err *err)
{
	say(ctx, "exit %d at %lld\n", tid_of(ctx, task), (long long)ts);
	return 0;
}

static int take_move(void *ctx, const struct move *m, struct err *err)
{
	static const char *const why[] = {
		[MOVE_WAKE] = "wake", [MOVE_FORK] = "fork",
		[MOVE_EXEC] = "exec", [MOVE_BALANCE] = "balance",
		[MOVE_NUMA] = "numa", [MOVE_AFFINITY] = "affinity",
	};

	say(ctx, "move %d %d>%d %s\n", tid_of(ctx, m->task), m->from, m->to,
	    why[m->why]);
	return 0;
}

static const struct timeline_ops ops = {
	.off = take_off, .wake = take_wake, .fork = take_fork,
	.exec = take_exec, .exit = take_exit, .move = take_move,
};

static void follow(struct run *r, const char *events,
		   const struct timeline_loss *loss, int nr_loss)
{
	struct timeline_args args = {
		.loss = loss, .nr_loss = nr_loss, .ops = &ops, .ctx = r,
	};
	struct err err = { 0 };

	memset(r, 0, sizeof(*r));
	for (int i = 0; i < 8; i++)
		r->free_at[i] = INT64_MIN;
	r->last_end = INT64_MIN;
	events_text_parse(&r->ev, events);
	args.tasks = &r->ev.tasks;
	args.start_ns = r->ev.start_ns;
	args.end_ns = r->ev.end_ns;
	assert_int_equal(timeline_new(&r->tl, &args, &err), 0);
	for (size_t i = 0; i < r->ev.nr; i++)
		assert_int_equal(timeline_event(r->tl, &r->ev.event[i], &err),
				 0);
	assert_int_equal(timeline_finish(r->tl, &err), 0);
}

static void done(struct run *r)
{
	timeline_free(r->tl);
	events_text_release(&r->ev);
}

/* The n counts in the order of their pairs, all others 0. */
static void expect_counts(const struct run *r, const int (*want)[2], int nr)
{
	for (int k = 0; k < TIMELINE_NR_REPAIRS; k++) {
		int64_t n = 0;

		for (int i = 0; i < nr; i++)
			if (want[i][0] == k)
				n = want[i][1];
		if (timeline_count(r->tl, k) != n)
			fail_msg("%s: %lld instead of %lld",
				 timeline_repair_name(k),
				 (long long)timeline_count(r->tl, k),
				 (long long)n);
	}
}

#define COUNTS(r, ...)                                                     \
	do {                                                               \
		const int want_[][2] = { __VA_ARGS__ };                    \
		expect_counts(r, want_, (int)(sizeof(want_) /              \
					      sizeof(want_[0])));          \
	} while (0)

static void sleep_and_wake(void **state)
{
	struct run r;

	/* 1 runs from before the start; 2 wakes it on CPU 1 at 150; it goes on
	 * CPU 0 at 160.  2 is first seen on CPU 1 at 120. */
	follow(&r, "100 0 1 switch S 0; 120 1 0 switch R 2;"
	       "150 1 2 waking 1; 155 1 2 wakeup 1; 160 0 0 switch R 1;"
	       "170 1 2 switch S 0; 200 0 1 switch S 0", NULL, 0);
	assert_string_equal(r.text,
			    "1@0 100-100 Sc r-1 w0\n"
			    "wake 1 by 2 at 150\n"
			    "2@1 120-170 S r-1 w0\n"
			    "1@0 160-200 S r150 w2\n");
	COUNTS(&r, { TIMELINE_CENSORED_START, 1 });
	done(&r);
}

static void preempted(void **state)
{
	struct run r;

	follow(&r, "start 0; 10 0 1 switch R 2; 30 0 2 switch S 1;"
	       "50 0 1 switch S 0", NULL, 0);
	assert_string_equal(r.text,
			    "1@0 0-10 Rc r-1 w0\n"
			    "2@0 10-30 S r-1 w0\n"
			    "1@0 30-50 S r10 w0\n");
	done(&r);
}

static void external_wakers(void **state)
{
	struct run r;

	/* In a hard interrupt, in a soft one, from the idle task: nobody. */
	follow(&r, "start 0; 5 0 1 switch S 2; 6 0 2 waking 1 h;"
	       "7 0 2 switch R 1; 8 0 1 switch S 2; 9 0 2 waking 1 s;"
	       "10 0 2 switch S 1; 11 0 1 switch S 0; 12 0 0 waking 1;"
	       "13 0 0 switch R 1", NULL, 0);
	assert_string_equal(r.text,
			    "1@0 0-5 Sc r-1 w0\n"
			    "wake 1 by 0 at 6\n"
			    "2@0 5-7 R r-1 w0\n"
			    "1@0 7-8 S r6 w0\n"
			    "wake 1 by 0 at 9\n"
			    "2@0 8-10 S r7 w0\n"
			    "1@0 10-11 S r9 w0\n"
			    "wake 1 by 0 at 12\n"
			    "1@0 13-13 Re r12 w0\n");
	done(&r);
}

/* GOTCHAS 9: a waking that hits a task that is still going to sleep. */
static void early_wake(void **state)
{
	struct run r;

	follow(&r, "start 0; 1 1 0 switch R 2; 2 0 1 fault 1 4;"
	       "10 1 2 waking 1; 20 0 1 switch S 0; 22 1 2 wakeup 1;"
	       "30 0 0 switch R 1;"
	       "40 0 1 switch S 0", NULL, 0);
	assert_string_equal(r.text,
			    "early 1 by 2 at 10\n"
			    "1@0 0-20 Sc r-1 w0\n"
			    "kept 1 by 2 at 20\n"
			    "1@0 30-40 S r20 w2\n"
			    "2@1 1-40 Re r-1 w0\n");
	done(&r);
}

static void early_wake_dropped(void **state)
{
	struct run r;

	/* First the wake-up is complete while 1 runs (its sleep was called off),
	 * then 1 is preempted with a waking pending. */
	follow(&r, "start 0; 1 1 0 switch R 2; 2 0 1 fault 1 4;"
	       "10 1 2 waking 1; 11 1 2 wakeup 1; 20 0 1 switch S 0;"
	       "25 1 2 waking 1; 30 0 0 switch R 1; 31 1 2 waking 1;"
	       "35 0 1 switch R 0; 36 0 0 switch R 1", NULL, 0);
	assert_string_equal(r.text,
			    "early 1 by 2 at 10\n"
			    "gone 1 by 2 at 11\n"
			    "1@0 0-20 Sc r-1 w0\n"
			    "wake 1 by 2 at 25\n"
			    "early 1 by 2 at 31\n"
			    "1@0 30-35 R r25 w2\n"
			    "gone 1 by 2 at 35\n"
			    "1@0 36-36 Re r35 w0\n"
			    "2@1 1-36 Re r-1 w0\n");
	COUNTS(&r, { TIMELINE_CENSORED_START, 1 },
	       { TIMELINE_CENSORED_END, 2 }, { TIMELINE_WAKE_RUNNING, 2 },
	       { TIMELINE_WAKE_DROPPED, 2 });
	done(&r);
}

/* GOTCHAS 10: ready is the first wake-up after the sleep. */
static void repeated_wakes(void **state)
{
	struct run r;

	follow(&r, "start 0; 1 1 0 switch R 2; 5 0 1 switch S 0;"
	       "10 1 2 waking 1; 11 1 2 wakeup 1; 12 1 2 waking 1;"
	       "13 1 2 wakeup 1; 20 0 0 switch R 1", NULL, 0);
	assert_non_null(strstr(r.text, "1@0 20-20 Re r10 w2\n"));
	COUNTS(&r, { TIMELINE_CENSORED_START, 1 },
	       { TIMELINE_CENSORED_END, 2 }, { TIMELINE_WAKE_REPEATED, 1 });
	done(&r);
}

/* Kernels that have no sched_waking. */
static void wakeups_only(void **state)
{
	struct run r;

	follow(&r, "start 0; 1 1 0 switch R 2; 5 0 1 switch S 0;"
	       "10 1 2 wakeup 1; 20 0 0 switch R 1; 22 0 1 switch S 0", NULL,
	       0);
	assert_non_null(strstr(r.text, "1@0 20-22 S r10 w2\n"));
	done(&r);
}

static void no_wake_seen(void **state)
{
	struct run r;

	follow(&r, "start 0; 5 0 1 switch S 0; 20 0 0 switch R 1;"
	       "22 0 1 switch S 0", NULL, 0);
	assert_string_equal(r.text, "1@0 0-5 Sc r-1 w0\n"
			    "1@0 20-22 S r-1 w0\n");
	COUNTS(&r, { TIMELINE_CENSORED_START, 1 }, { TIMELINE_NO_WAKE, 1 });
	done(&r);
}

static void life(void **state)
{
	struct run r;

	follow(&r, "start 0; 10 0 1 fork 5; 12 0 1 new 5;"
	       "15 1 0 switch R 5; 20 1 5 exec; 25 1 5 exit;"
	       "30 1 5 switch X 0; 40 0 1 switch S 0", NULL, 0);
	assert_string_equal(r.text,
			    "fork 1>5 at 10\n"
			    "wake 5 by 1 at 12\n"
			    "exec 5 at 20\n"
			    "exit 5 at 25\n"
			    "5@1 15-30 X r12 w1\n"
			    "1@0 0-40 Sc r-1 w0\n");
	done(&r);
}

/* A tid is used again: identity is (tid, start). */
static void tid_reused(void **state)
{
	struct run r;

	follow(&r, "start 0; 10 0 1 fork 5; 11 0 1 new 5; 12 0 1 switch S 5;"
	       "20 0 5 switch X 1; 30 0 1 fork 5; 31 0 1 new 5;"
	       "32 0 1 switch S 5; 40 0 5 switch X 0", NULL, 0);
	assert_int_equal(r.ev.tasks.nr, 3);
	assert_string_equal(r.text,
			    "fork 1>5 at 10\n"
			    "wake 5 by 1 at 11\n"
			    "1@0 0-12 Sc r-1 w0\n"
			    "5@0 12-20 X r11 w1\n"
			    "fork 1>5 at 30\n"
			    "wake 5 by 1 at 31\n"
			    "1@0 20-32 S r-1 w0\n"
			    "5@0 32-40 X r31 w1\n");
	COUNTS(&r, { TIMELINE_CENSORED_START, 1 }, { TIMELINE_NO_WAKE, 1 });
	done(&r);
}

/* A thread that execs becomes its leader, on its CPU, without a switch. */
static void thread_execs(void **state)
{
	struct run r;

	follow(&r, "start 0; pid 7 5; 1 0 7 fault 1 4; 2 1 0 switch R 5;"
	       "4 1 5 exit; 5 1 5 switch X 0; 10 0 5 exec 7;"
	       "20 0 5 switch S 0", NULL, 0);
	assert_string_equal(r.text,
			    "exit 5 at 4\n"
			    "5@1 2-5 X r-1 w0\n"
			    "exit 7 at 10\n"
			    "7@0 0-10 Xc r-1 w0\n"
			    "exec 5 at 10\n"
			    "5@0 10-20 S r-1 w0\n");
	done(&r);
}

/* GOTCHAS 4: on two CPUs at once. */
static void two_cpus(void **state)
{
	struct run r;

	follow(&r, "start 0; 10 0 0 switch R 1; 20 1 0 switch R 1;"
	       "30 0 0 waking 9; 40 1 1 switch S 0", NULL, 0);
	assert_string_equal(r.text,
			    "1@0 10-20 Rm r-1 w0\n"
			    "wake 9 by 0 at 30\n"
			    "1@1 20-40 Su r-1 w0\n");
	COUNTS(&r, { TIMELINE_TWO_CPUS, 1 });
	done(&r);
}

static void lost_switch(void **state)
{
	struct run r;

	/* 1 went on CPU 0, but it is 2 that goes off it. */
	follow(&r, "start 0; 10 0 0 switch R 1; 30 0 2 switch S 0", NULL, 0);
	assert_string_equal(r.text,
			    "1@0 10-30 Rm r-1 w0\n"
			    "2@0 30-30 Sm r-1 w0\n");
	COUNTS(&r, { TIMELINE_LOST_SWITCH, 1 });
	done(&r);

	/* Another event tells it before: 2 has the CPU from then on. */
	follow(&r, "start 0; 10 0 0 switch R 1; 20 0 2 waking 3;"
	       "30 0 2 switch S 0", NULL, 0);
	assert_string_equal(r.text,
			    "1@0 10-20 Rm r-1 w0\n"
			    "wake 3 by 2 at 20\n"
			    "2@0 20-30 Sm r-1 w0\n");
	done(&r);
}

/* common_pid that is not prev_pid is used for nothing. */
static void tid_distrusted(void **state)
{
	struct run r;
	struct err err = { 0 };
	struct event ev = {
		.ts = 10, .cpu = 0, .tid = 77, .kind = EVENT_SWITCH,
		.sw = { .prev_tid = 1, .next_tid = 2,
			.state = STATE_SLEEPING },
	};

	follow(&r, "start 0; end 5; 1 1 1 fault 1 4; 2 1 2 fault 1 4;"
	       "3 1 77 fault 1 4", NULL, 0);
	timeline_free(r.tl);
	r.len = 0;
	*r.text = '\0';
	r.last_end = INT64_MIN;
	memset(r.free_at, 0, sizeof(r.free_at));
	const struct timeline_args args = {
		.tasks = &r.ev.tasks, .start_ns = 0, .end_ns = 30,
		.ops = &ops, .ctx = &r,
	};

	assert_int_equal(timeline_new(&r.tl, &args, &err), 0);
	assert_int_equal(timeline_event(r.tl, &ev, &err), 0);
	ev.ts = 20;
	ev.kind = EVENT_EXIT;
	ev.exit.tid = 2;
	assert_int_equal(timeline_event(r.tl, &ev, &err), 0);
	assert_int_equal(timeline_finish(r.tl, &err), 0);
	assert_string_equal(r.text, "1@0 0-10 Sc r-1 w0\nexit 2 at 20\n"
			    "2@0 10-30 Re r-1 w0\n");
	assert_int_equal(timeline_count(r.tl, TIMELINE_TID_DISTRUST), 1);
	assert_int_equal(timeline_count(r.tl, TIMELINE_LOST_SWITCH), 0);
	done(&r);
}

/* GOTCHAS 5: equal and backward stamps never give negative times. */
static void backward_time(void **state)
{
	struct run r;

	follow(&r, "start 0; 100 0 0 switch R 1; 90 0 1 switch S 2;"
	       "100 0 2 switch S 0; 120 1 0 switch R 1; 119 1 1 switch S 0",
	       NULL, 0);
	assert_string_equal(r.text,
			    "1@0 100-100 S r-1 w0\n"
			    "2@0 100-100 S r-1 w0\n"
			    "1@1 120-120 S r-1 w0\n");
	COUNTS(&r, { TIMELINE_BACKWARD_TIME, 2 }, { TIMELINE_NO_WAKE, 1 });
	done(&r);
}

static void losses(void **state)
{
	const struct timeline_loss loss[] = {
		{ .cpu = 0, .from_ns = 40, .to_ns = 60 },
		{ .cpu = 1, .from_ns = 0, .to_ns = 30 },
	};
	struct run r;

	/* CPU 0 misses 40-60: 1 ran when it began, 2 when it ended.  CPU 1
	 * begins late: 3 cannot be said to have run there before 30. */
	follow(&r, "start 0; 10 0 0 switch R 1; 50 1 3 switch S 0;"
	       "70 0 2 switch S 0; 80 1 0 switch R 1; 90 1 1 switch S 0", loss,
	       2);
	assert_string_equal(r.text,
			    "1@0 10-40 Ru r-1 w0\n"
			    "3@1 30-50 Su r-1 w0\n"
			    "2@0 60-70 Su r-1 w0\n"
			    "1@1 80-90 Su r-1 w0\n");
	COUNTS(&r, { TIMELINE_LOSS_CUT, 1 });
	done(&r);
}

/* A sleep in which events were lost: its wake-up may be among them. */
static void loss_in_sleep(void **state)
{
	const struct timeline_loss loss = { .cpu = 3, .from_ns = 20,
					    .to_ns = 30 };
	struct run r;

	follow(&r, "start 0; 10 0 1 switch S 0; 40 0 0 switch R 1;"
	       "50 0 1 switch S 0", &loss, 1);
	assert_string_equal(r.text, "1@0 0-10 Sc r-1 w0\n"
			    "1@0 40-50 Su r-1 w0\n");
	done(&r);
}

static void known_at_the_start(void **state)
{
	struct timeline_args args = { .ops = &ops };
	struct err err = { 0 };
	struct run r;

	/* Without look-ahead the waking at 10 would find 1 asleep. */
	follow(&r, "start 0; 1 1 2 fault 1 4; 10 1 2 waking 1;"
	       "20 0 1 switch S 0; 30 0 0 switch R 1", NULL, 0);
	timeline_free(r.tl);
	r.len = 0;
	r.last_end = INT64_MIN;
	for (int i = 0; i < 8; i++)
		r.free_at[i] = INT64_MIN;
	args.tasks = &r.ev.tasks;
	args.end_ns = r.ev.end_ns;
	args.ctx = &r;
	assert_int_equal(timeline_new(&r.tl, &args, &err), 0);
	assert_int_equal(timeline_running(r.tl, 0, 1, &err), 0);
	assert_int_equal(timeline_running(r.tl, 1, 2, &err), 0);
	for (size_t i = 0; i < r.ev.nr; i++)
		assert_int_equal(timeline_event(r.tl, &r.ev.event[i], &err),
				 0);
	assert_int_equal(timeline_finish(r.tl, &err), 0);
	assert_string_equal(r.text,
			    "early 1 by 2 at 10\n"
			    "1@0 0-20 Sc r-1 w0\n"
			    "kept 1 by 2 at 20\n"
			    "1@0 30-30 Re r20 w2\n"
			    "2@1 0-30 Rce r-1 w0\n");
	done(&r);
}

static void moves(void **state)
{
	struct run r;

	follow(&r, "start 0; name 9 migration/0; 1 0 1 fault 1 4;"
	       "5 1 0 switch R 2; 6 0 1 switch S 0;"
	       "10 1 2 waking 1; 11 1 2 migrate 1 0 1; 12 1 2 wakeup 1;"
	       "13 1 2 migrate 1 1 0;"
	       "14 0 0 switch R 1; 15 0 1 numa_move 1; 16 0 1 waking 9;"
	       "17 0 1 switch R 9; 18 0 9 migrate 1 0 2; 19 0 9 switch S 0;"
	       "20 2 0 switch R 1; 21 2 1 fork 5; 22 2 1 migrate 5 2 3;"
	       "23 2 1 new 5; 24 2 1 waking 9; 25 2 1 switch D 0;"
	       "26 0 0 switch R 9; 27 0 9 migrate 1 2 3;"
	       "28 0 9 waking 1; 29 0 9 wakeup 1; 30 0 9 switch S 0", NULL, 0);
	assert_non_null(strstr(r.text, "move 1 0>1 wake\n"));
	assert_non_null(strstr(r.text, "move 1 1>0 balance\n"));
	assert_non_null(strstr(r.text, "move 1 0>2 numa\n"));
	assert_non_null(strstr(r.text, "move 5 2>3 fork\n"));
	assert_non_null(strstr(r.text, "move 1 2>3 exec\n"));
	done(&r);
}

static void hostile_numbers(void **state)
{
	static const int cpus[] = { -1, 65536, INT32_MAX, INT32_MIN };
	struct err err = { 0 };
	struct run r;

	follow(&r, "start 0; end 10; 1 0 1 fault 1 4", NULL, 0);
	for (int kind = 0; kind < 40; kind++) {
		for (int i = 0; i < 4; i++) {
			struct event ev = {
				.ts = 5, .cpu = cpus[i], .tid = cpus[3 - i],
				.kind = (uint8_t)kind,
			};

			assert_int_equal(timeline_event(r.tl, &ev, &err), 0);
			ev.cpu = 3;
			ev.sw.prev_tid = ev.sw.next_tid = cpus[i];
			ev.sw.state = cpus[i] == -1 ? 7 : 200;
			assert_int_equal(timeline_event(r.tl, &ev, &err), 0);
			ev.ts = i & 1 ? INT64_MAX : INT64_MIN;
			ev.tid = 12345;
			assert_int_equal(timeline_event(r.tl, &ev, &err), 0);
		}
	}
	assert_int_equal(timeline_finish(r.tl, &err), 0);
	assert_true(timeline_count(r.tl, TIMELINE_BAD_CPU) >= 160);
	assert_true(timeline_count(r.tl, TIMELINE_UNKNOWN_TASK) > 0);
	done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleep_and_wake),
		cmocka_unit_test(preempted),
		cmocka_unit_test(external_wakers),
		cmocka_unit_test(early_wake),
		cmocka_unit_test(early_wake_dropped),
		cmocka_unit_test(repeated_wakes),
		cmocka_unit_test(wakeups_only),
		cmocka_unit_test(no_wake_seen),
		cmocka_unit_test(life),
		cmocka_unit_test(tid_reused),
		cmocka_unit_test(thread_execs),
		cmocka_unit_test(two_cpus),
		cmocka_unit_test(lost_switch),
		cmocka_unit_test(tid_distrusted),
		cmocka_unit_test(backward_time),
		cmocka_unit_test(losses),
		cmocka_unit_test(loss_in_sleep),
		cmocka_unit_test(known_at_the_start),
		cmocka_unit_test(moves),
		cmocka_unit_test(hostile_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

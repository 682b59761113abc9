/* SPDX-License-Identifier: MIT */
/* Events through the file and back, the rows they become, and their size. */
#include "tests/support/scratch.h"

#include "model/err.h"
#include "tests/support/folder.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

/* -- making and comparing ------------------------------------------------- */

struct rng {
	uint64_t x;
};

static uint64_t draw(struct rng *r)
{
	r->x ^= r->x << 13;
	r->x ^= r->x >> 7;
	r->x ^= r->x << 17;
	return r->x;
}

static int below(struct rng *r, int n)
{
	return (int)(draw(r) % (uint64_t)n);
}

/* An int as the kernel writes it, now and then one that it never would. */
static int odd_int(struct rng *r, int usual)
{
	static const int odd[] = { INT_MIN, INT_MAX, -1, 0, 1, 255, 256, 65535,
				   65536, -120, 120, 0x7fffffff };

	return below(r, 12) ? below(r, usual) : odd[below(r, 12)];
}

static void fill(struct rng *r, struct event *ev)
{
	switch (ev->kind) {
	case EVENT_SWITCH:
		ev->sw.prev_tid = below(r, 9) ? ev->tid : odd_int(r, 4194304);
		ev->sw.next_tid = odd_int(r, 4194304);
		ev->sw.prev_prio = odd_int(r, 140);
		ev->sw.next_prio = odd_int(r, 140);
		ev->sw.prev_state = below(r, 2) ? 1 << below(r, 12) :
				    odd_int(r, INT_MAX);
		ev->sw.state = below(r, STATE_OTHER + 1);
		break;
	case EVENT_MIGRATE_TASK:
		ev->migrate.tid = odd_int(r, 4194304);
		ev->migrate.prio = odd_int(r, 140);
		ev->migrate.orig_cpu = odd_int(r, 4096);
		ev->migrate.dest_cpu = odd_int(r, 4096);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		ev->wake.tid = odd_int(r, 4194304);
		ev->wake.prio = odd_int(r, 140);
		ev->wake.target_cpu = odd_int(r, 4096);
		ev->wake.success = below(r, 9) ? below(r, 2) : odd_int(r, 3);
		break;
	case EVENT_FORK:
		ev->fork.parent_tid = odd_int(r, 4194304);
		ev->fork.child_tid = odd_int(r, 4194304);
		break;
	case EVENT_EXEC:
		ev->exec.tid = odd_int(r, 4194304);
		ev->exec.old_tid = odd_int(r, 4194304);
		break;
	case EVENT_EXIT:
		ev->exit.tid = odd_int(r, 4194304);
		ev->exit.prio = odd_int(r, 140);
		break;
	case EVENT_MOVE_NUMA:
	case EVENT_SWAP_NUMA:
	case EVENT_STICK_NUMA:
		ev->numa.src_tid = odd_int(r, 4194304);
		ev->numa.src_tgid = odd_int(r, 4194304);
		ev->numa.src_ngid = odd_int(r, 4194304);
		ev->numa.src_cpu = odd_int(r, 4096);
		ev->numa.src_nid = odd_int(r, 64);
		ev->numa.dst_tid = odd_int(r, 4194304);
		ev->numa.dst_tgid = odd_int(r, 4194304);
		ev->numa.dst_ngid = odd_int(r, 4194304);
		ev->numa.dst_cpu = odd_int(r, 4096);
		ev->numa.dst_nid = odd_int(r, 64);
		break;
	case EVENT_PAGE_FAULT_USER:
		ev->fault.address = draw(r) >> below(r, 64);
		ev->fault.ip = below(r, 3) ? (uint64_t)below(r, 20000) << 20 :
			       draw(r) >> below(r, 64);
		ev->fault.error_code = odd_int(r, 256);
		break;
	case EVENT_MIGRATE_PAGES:
		ev->pages.succeeded = (int64_t)draw(r) >> below(r, 64);
		ev->pages.failed = (int64_t)draw(r) >> below(r, 64);
		ev->pages.thp_succeeded = (int64_t)draw(r) >> below(r, 64);
		ev->pages.thp_failed = (int64_t)draw(r) >> below(r, 64);
		ev->pages.mode = odd_int(r, 4);
		ev->pages.reason = odd_int(r, 6);
		break;
	}
}

static void random_event(struct rng *r, int64_t *ts, struct event *ev)
{
	memset(ev, 0, sizeof(*ev));
	if (below(r, 3))		/* else: the same time again */
		*ts += below(r, 100000);
	if (!below(r, 50))
		*ts -= below(r, 1000000);
	if (!below(r, 500))
		*ts += (int64_t)(draw(r) >> 26);	/* 4.6 minutes on */
	ev->ts = *ts;
	if (!below(r, 1000))
		ev->ts = below(r, 2) ? INT64_MIN : INT64_MAX;
	else if (!below(r, 1000))
		ev->ts = (int64_t)draw(r);
	ev->cpu = odd_int(r, 4096);
	ev->tid = odd_int(r, 4194304);
	ev->kind = (uint8_t)below(r, EVENT_NR_KINDS);
	ev->flags = (uint8_t)(below(r, 3) ? 0 : below(r, 20) ? below(r, 16) :
			      below(r, 256));
	fill(r, ev);
}

static void assert_same(const struct event *a, const struct event *b, int i)
{
	/* Both were zeroed before their fields were set. */
	if (memcmp(a, b, sizeof(*a)))
		fail_msg("event %d (%s) came back changed", i,
			 event_kind_name(a->kind));
}

static struct store *create(const char *folder)
{
	struct err err = { 0 };
	struct store *s;

	OK(store_create(&s, folder_path(folder, "x.hn"), false, &err));
	return s;
}

static struct store *reopen(struct store *s, const char *folder)
{
	struct err err = { 0 };

	OK(store_commit(s, &err));
	store_close(s);
	OK(store_open(&s, folder_path(folder, "x.hn"), STORE_READ, &err));
	return s;
}

/* The first value of a query is this. */
static void expect(struct store *s, const char *sql, const char *want)
{
	assert_string_equal(scratch_ask(s, sql), want);
}

/* -- round trips ---------------------------------------------------------- */

static void test_random_round_trip(void **state)
{
	enum { NR = 20000 };
	struct event *ev = calloc(NR, sizeof(*ev)), got;
	struct rng rng = { 88172645463325252u };
	char *folder = folder_new();
	int64_t ts = 5000000000, count[EVENT_NR_KINDS] = { 0 };
	struct store_events *it;
	struct err err = { 0 };
	struct store *s = create(folder);
	int i;

	OK(store_begin(s, &err));
	for (i = 0; i < NR; i++) {
		random_event(&rng, &ts, &ev[i]);
		OK(store_put_event(s, &ev[i], &err));
		count[ev[i].kind]++;
		if (i % 7000 == 6999) {	/* batches end anywhere */
			OK(store_end(s, &err));
			OK(store_begin(s, &err));
		}
	}
	OK(store_end(s, &err));
	s = reopen(s, folder);
	assert_int_equal(store_nr_events(s), NR);
	OK(store_events_open(s, INT64_MIN, INT64_MAX, &it, &err));
	for (i = 0; i < NR; i++) {
		memset(&got, 0, sizeof(got));
		assert_int_equal(store_events_next(it, &got, &err), 1);
		assert_same(&ev[i], &got, i);
	}
	assert_int_equal(store_events_next(it, &got, &err), 0);
	assert_int_equal(store_events_next(it, &got, &err), 0);
	store_events_close(it);
	for (i = 0; i < EVENT_NR_KINDS; i++) {
		char sql[100];

		snprintf(sql, sizeof(sql), "SELECT count(*) - %d FROM %s",
			 (int)count[i], event_kind_name(i));
		expect(s, sql, "0");
	}
	store_close(s);
	folder_remove(folder);
	free(ev);
	(void)state;
}

/* Written out, closed, opened for writing, more put behind. */
static void test_append_after_commit(void **state)
{
	struct event ev = { .ts = 1000, .kind = EVENT_EXIT,
			    .exit = { .tid = 5, .prio = 120 } };
	char *folder = folder_new();
	struct store_events *it;
	struct err err = { 0 };
	struct store *s = create(folder);

	OK(store_put_event(s, &ev, &err));
	OK(store_commit(s, &err));
	ev.ts = 1000;	/* the same time: still behind the first */
	ev.exit.tid = 6;
	OK(store_begin(s, &err));
	OK(store_put_event(s, &ev, &err));
	OK(store_end(s, &err));
	store_close(s);
	OK(store_open(&s, folder_path(folder, "x.hn"), STORE_WRITE, &err));
	ev.ts = 900;
	ev.exit.tid = 7;
	OK(store_begin(s, &err));
	OK(store_put_event(s, &ev, &err));
	OK(store_end(s, &err));
	assert_int_equal(store_nr_events(s), 3);
	OK(store_events_open(s, INT64_MIN, INT64_MAX, &it, &err));
	for (int i = 5; i <= 7; i++) {
		assert_int_equal(store_events_next(it, &ev, &err), 1);
		assert_int_equal(ev.exit.tid, i);
		assert_int_equal(ev.ts, i < 7 ? 1000 : 900);
	}
	store_events_close(it);
	store_close(s);
	folder_remove(folder);
	(void)state;
}

static int next_tid(struct store_events *it)
{
	struct err err = { 0 };
	struct event ev;
	int rc = store_events_next(it, &ev, &err);

	assert_true(rc >= 0);
	return rc ? ev.exit.tid : -1;
}

/* A range takes events by their place: an event whose time ran back counts
 * where it stands. */
static void test_range(void **state)
{
	static const int64_t ts[] = { 100, 200, 200, 150, 300, 400 };
	struct event ev = { .kind = EVENT_EXIT };
	char *folder = folder_new();
	struct store_events *it;
	struct err err = { 0 };
	struct store *s = create(folder);

	for (int i = 0; i < 6; i++) {
		ev.ts = ts[i];
		ev.exit.tid = i;
		OK(store_put_event(s, &ev, &err));
	}
	/* Places: 100 200 201 202 300 400. */
	OK(store_events_open(s, 200, 300, &it, &err));
	assert_int_equal(next_tid(it), 1);
	assert_int_equal(next_tid(it), 2);
	assert_int_equal(next_tid(it), 3);
	assert_int_equal(next_tid(it), -1);
	store_events_close(it);
	OK(store_events_open(s, 300, 300, &it, &err));
	assert_int_equal(next_tid(it), -1);
	store_events_close(it);
	OK(store_events_open(s, 400, INT64_MAX, &it, &err));
	assert_int_equal(next_tid(it), 5);
	assert_int_equal(next_tid(it), -1);
	store_events_close(it);
	OK(store_events_open(s, INT64_MIN, 101, &it, &err));
	assert_int_equal(next_tid(it), 0);
	assert_int_equal(next_tid(it), -1);
	store_events_close(it);
	store_close(s);
	folder_remove(folder);
	(void)state;
}

static void test_no_events(void **state)
{
	char *folder = folder_new();
	struct store_events *it;
	struct err err = { 0 };
	struct event ev;
	struct store *s = reopen(create(folder), folder);

	assert_int_equal(store_nr_events(s), 0);
	OK(store_events_open(s, INT64_MIN, INT64_MAX, &it, &err));
	assert_int_equal(store_events_next(it, &ev, &err), 0);
	store_events_close(it);
	store_close(s);
	folder_remove(folder);
	(void)state;
}

/* -- rows ----------------------------------------------------------------- */

static void put(struct store *s, struct event ev)
{
	struct err err = { 0 };

	OK(store_put_event(s, &ev, &err));
}

#define ROW "SELECT what || ' ' || tid || ' ' || a || ' ' || b FROM event " \
	    "WHERE at = "

/* Numbers worked out from the text of recorded.sql. */
static void test_rows(void **state)
{
	char *folder = folder_new();
	struct store *s = create(folder);

	put(s, (struct event){ .ts = 1000, .cpu = 3, .tid = 77,
		.kind = EVENT_SWITCH, .sw = { .prev_tid = 77, .next_tid = 0,
		.prev_prio = 120, .next_prio = 120, .prev_state = 1,
		.state = STATE_SLEEPING } });
	/* Preempted (R+, 0x100) by a task of priority 98 from an interrupt. */
	put(s, (struct event){ .ts = 1010, .cpu = 1, .tid = 77, .flags = 1,
		.kind = EVENT_SWITCH, .sw = { .prev_tid = 77, .next_tid = 15,
		.prev_prio = 120, .next_prio = 98, .prev_state = 0x100,
		.state = STATE_RUNNABLE } });
	/* At the same time: one ns on, and late by 1. */
	put(s, (struct event){ .ts = 1010, .cpu = 2, .tid = 0,
		.kind = EVENT_WAKING, .wake = { .tid = 77, .prio = 120,
		.target_cpu = 5, .success = 1 } });
	put(s, (struct event){ .ts = 1020, .cpu = 0, .tid = 9,
		.kind = EVENT_MIGRATE_TASK, .migrate = { .tid = 77,
		.prio = 139, .orig_cpu = 2, .dest_cpu = 300 } });
	put(s, (struct event){ .ts = 1030, .cpu = 0, .tid = 9,
		.kind = EVENT_PAGE_FAULT_USER, .fault = { .address = 0x7f0000,
		.ip = 0x400, .error_code = 6 } });
	put(s, (struct event){ .ts = 1040, .cpu = 0, .tid = 9,
		.kind = EVENT_PAGE_FAULT_USER, .fault = { .address = 0x7f1000,
		.ip = 0x400, .error_code = 6 } });
	put(s, (struct event){ .ts = 1050, .cpu = 0, .tid = 9,
		.kind = EVENT_PAGE_FAULT_USER, .fault = { .address = 0x7f1000,
		.ip = 0x400, .error_code = 7 } });
	put(s, (struct event){ .ts = 1060, .cpu = 0, .tid = 9,
		.kind = EVENT_MIGRATE_PAGES, .pages = { .succeeded = 3,
		.failed = 2, .mode = 1, .reason = REASON_NUMA_MISPLACED } });
	s = reopen(s, folder);
	/* 0 + 32 * 3; S is 1, both priorities usual. */
	expect(s, ROW "0", "96 77 0 1");
	/* 32 + 2^21; code 8 + (98 - 120 & 255 = 234) * 4096. */
	expect(s, ROW "10", "2097184 77 15 958472");
	/* 2 + 64 + 2^26. */
	expect(s, ROW "11", "67108930 0 77 5");
	/* 19 + 256 * 2 + 2^24 * 300. */
	expect(s, ROW "20", "1 9 77 5033165331");
	/* 6 + 256 * 0x400, at first; then site 0 with error codes 6 and 7. */
	expect(s, ROW "30", "11 9 8323072 262150");
	expect(s, ROW "40", "11 9 8327168 -7");
	expect(s, ROW "50", "11 9 8327168 -8");
	expect(s, "SELECT group_concat(ip || ' ' || "
		"error_code) FROM page_fault_user", "1024 6,1024 6,1024 7");
	/* 4 + 16 * 1 + 256 * 2. */
	expect(s, ROW "60", "12 9 3 532");
	expect(s, "SELECT count(*) FROM event_more", "0");
	expect(s, "SELECT group_concat(ts) FROM event_all",
			    "1000,1010,1010,1020,1030,1040,1050,1060");
	store_close(s);
	folder_remove(folder);
	(void)state;
}

/* Every field of every view, through the small row and through event_more
 * (flags 16 does not fit the small one). */
static void check_views(int flags)
{
	struct capture c = { .start_ns = 1000, .states = state_table_default };
	char *folder = folder_new();
	struct err err = { 0 };
	struct store *s = create(folder);
	uint8_t f = (uint8_t)flags;

	put(s, (struct event){ .ts = 1000, .cpu = 3, .tid = 77, .flags = f,
		.kind = EVENT_SWITCH, .sw = { .prev_tid = 77, .next_tid = 15,
		.prev_prio = 139, .next_prio = 0, .prev_state = 0x102,
		.state = STATE_DISK } });
	put(s, (struct event){ .ts = 1001, .cpu = 3, .tid = 15, .flags = f,
		.kind = EVENT_MIGRATE_TASK, .migrate = { .tid = 77,
		.prio = 100, .orig_cpu = 3, .dest_cpu = 4 } });
	put(s, (struct event){ .ts = 1002, .cpu = 3, .tid = 15, .flags = f,
		.kind = EVENT_WAKING, .wake = { .tid = 77, .prio = 101,
		.target_cpu = 3, .success = 1 } });
	put(s, (struct event){ .ts = 1003, .cpu = 4, .tid = 0, .flags = f,
		.kind = EVENT_WAKEUP, .wake = { .tid = 77, .prio = 102,
		.target_cpu = 4, .success = 0 } });
	put(s, (struct event){ .ts = 1004, .cpu = 4, .tid = 77, .flags = f,
		.kind = EVENT_FORK, .fork = { .parent_tid = 77,
		.child_tid = 80 } });
	put(s, (struct event){ .ts = 1005, .cpu = 4, .tid = 77, .flags = f,
		.kind = EVENT_WAKEUP_NEW, .wake = { .tid = 80, .prio = 120,
		.target_cpu = 5, .success = 1 } });
	put(s, (struct event){ .ts = 1006, .cpu = 5, .tid = 80, .flags = f,
		.kind = EVENT_EXEC, .exec = { .tid = 80, .old_tid = 81 } });
	put(s, (struct event){ .ts = 1007, .cpu = 5, .tid = 80, .flags = f,
		.kind = EVENT_EXIT, .exit = { .tid = 80, .prio = 110 } });
	put(s, (struct event){ .ts = 1008, .cpu = 5, .tid = 80, .flags = f,
		.kind = EVENT_PAGE_FAULT_USER, .fault = { .address = 4096,
		.ip = 17, .error_code = 7 } });
	OK(store_put_capture(s, &c, &err));
	s = reopen(s, folder);
	expect(s, "SELECT ts || ' ' || cpu || ' ' || "
		"common_pid || ' ' || prev_pid || ' ' || prev_prio || ' ' || "
		"prev_state || ' ' || prev_state_text || ' ' || next_pid || "
		"' ' || next_prio || ' ' || flags FROM sched_switch",
		flags ? "1000 3 77 77 139 258 D+ 15 0 16" :
		"1000 3 77 77 139 258 D+ 15 0 0");
	expect(s, "SELECT ts || ' ' || cpu || ' ' || "
		"common_pid || ' ' || pid || ' ' || prio || ' ' || orig_cpu "
		"|| ' ' || dest_cpu FROM sched_migrate_task",
		"1001 3 15 77 100 3 4");
	expect(s, "SELECT ts || ' ' || cpu || ' ' || "
		"common_pid || ' ' || pid || ' ' || prio || ' ' || success || "
		"' ' || target_cpu FROM sched_waking", "1002 3 15 77 101 1 3");
	expect(s, "SELECT ts || ' ' || cpu || ' ' || "
		"common_pid || ' ' || pid || ' ' || prio || ' ' || success || "
		"' ' || target_cpu FROM sched_wakeup", "1003 4 0 77 102 0 4");
	expect(s, "SELECT parent_pid || ' ' || child_pid "
		"FROM sched_process_fork", "77 80");
	expect(s, "SELECT pid || ' ' || target_cpu FROM "
		"sched_wakeup_new", "80 5");
	expect(s, "SELECT pid || ' ' || old_pid FROM "
		"sched_process_exec", "80 81");
	expect(s, "SELECT pid || ' ' || prio FROM "
		"sched_process_exit", "80 110");
	expect(s, "SELECT address || ' ' || ip || ' ' || "
		"error_code FROM page_fault_user", "4096 17 7");
	store_close(s);
	folder_remove(folder);
}

static void test_views(void **state)
{
	check_views(0);
	check_views(16);
	(void)state;
}

static void test_wide_views(void **state)
{
	char *folder = folder_new();
	struct store *s = create(folder);

	put(s, (struct event){ .ts = 1, .kind = EVENT_SWAP_NUMA, .numa = {
		.src_tid = 1, .src_tgid = 2, .src_ngid = 3, .src_cpu = 4,
		.src_nid = 5, .dst_tid = 6, .dst_tgid = 7, .dst_ngid = 8,
		.dst_cpu = 9, .dst_nid = 10 } });
	put(s, (struct event){ .ts = 2, .kind = EVENT_MOVE_NUMA, .numa = {
		.src_tid = 1, .src_tgid = 2, .src_ngid = 3, .src_cpu = 4,
		.src_nid = 5, .dst_tid = -1, .dst_tgid = -1, .dst_ngid = -1,
		.dst_cpu = 9, .dst_nid = 10 } });
	put(s, (struct event){ .ts = 3, .kind = EVENT_MIGRATE_PAGES, .pages = {
		.succeeded = 1, .failed = 2, .thp_succeeded = 3,
		.thp_failed = 4, .mode = 5, .reason = 4 } });
	s = reopen(s, folder);
	expect(s, "SELECT src_pid || ' ' || src_tgid || ' ' "
		"|| src_ngid || ' ' || src_cpu || ' ' || src_nid || ' ' || "
		"dst_pid || ' ' || dst_tgid || ' ' || dst_ngid || ' ' || "
		"dst_cpu || ' ' || dst_nid FROM sched_swap_numa",
		"1 2 3 4 5 6 7 8 9 10");
	expect(s, "SELECT pid || ' ' || tgid || ' ' || ngid "
		"|| ' ' || src_cpu || ' ' || src_nid || ' ' || dst_cpu || ' ' "
		"|| dst_nid FROM sched_move_numa", "1 2 3 4 5 9 10");
	expect(s, "SELECT succeeded || ' ' || failed || ' ' "
		"|| thp_succeeded || ' ' || thp_failed || ' ' || mode || ' ' "
		"|| reason FROM mm_migrate_pages", "1 2 3 4 5 4");
	store_close(s);
	folder_remove(folder);
	(void)state;
}

/* Names as they were at the time, of a reused tid too. */
static void test_comm_in_views(void **state)
{
	struct event ev = { .kind = EVENT_SWITCH, .tid = 50, .cpu = 2,
		.sw = { .prev_tid = 50, .next_tid = 0, .prev_prio = 120,
		.next_prio = 120 } };
	char *folder = folder_new();
	struct tasks tasks = { 0 };
	struct err err = { 0 };
	struct store *s = create(folder);

	assert_non_null(tasks_add(&tasks, 50, 100));
	assert_non_null(tasks_add(&tasks, 50, 300));
	OK(store_put_tasks(s, &tasks, &err));
	OK(store_put_name(s, 0, 100, "before", &err));
	OK(store_put_name(s, 0, 200, "after\xff", &err));
	OK(store_put_name(s, 1, 300, "other", &err));
	for (ev.ts = 150; ev.ts < 400; ev.ts += 100)
		put(s, ev);
	s = reopen(s, folder);
	expect(s, "SELECT group_concat(prev_comm) FROM "
		"sched_switch", "before,after\xff,other");
	expect(s, "SELECT next_comm FROM sched_switch",
			    "swapper/2");
	expect(s, "SELECT group_concat(comm) FROM events",
			    "before,after\xff,other");
	expect(s, "SELECT group_concat(name) FROM events",
			    "sched_switch,sched_switch,sched_switch");
	expect(s, "SELECT group_concat(from_ns || '-' || "
		"coalesce(to_ns, '')) FROM task_name WHERE task = 0",
		"100-200,200-");
	tasks_release(&tasks);
	store_close(s);
	folder_remove(folder);
	(void)state;
}

/* -- size ----------------------------------------------------------------- */

/* What hackbench looks like after days of uptime on 8 CPUs: 45 % switches, 51 %
 * wake-ups, some migrations, tids of seven digits. */
static void hackbench_event(struct rng *r, int64_t *ts, struct event *ev)
{
	int kind = below(r, 100), tid = 2500000 + below(r, 160);

	memset(ev, 0, sizeof(*ev));
	*ts += below(r, 3000);
	ev->ts = *ts;
	ev->cpu = below(r, 8);
	ev->tid = 2500000 + below(r, 160);
	if (kind < 45) {
		ev->kind = EVENT_SWITCH;
		ev->sw.prev_tid = ev->tid;
		ev->sw.next_tid = below(r, 8) ? tid : 0;
		ev->sw.prev_prio = ev->sw.next_prio = 120;
		ev->sw.prev_state = below(r, 3) ? 1 : 0x100;
		ev->sw.state = ev->sw.prev_state & 1;
	} else if (kind < 96) {
		ev->kind = below(r, 2) ? EVENT_WAKING : EVENT_WAKEUP;
		ev->flags = below(r, 10) ? 0 : EVENT_F_HARDIRQ;
		ev->wake.tid = tid;
		ev->wake.prio = 120;
		ev->wake.target_cpu = below(r, 8);
		ev->wake.success = 1;
	} else {
		ev->kind = EVENT_MIGRATE_TASK;
		ev->migrate.tid = tid;
		ev->migrate.prio = 120;
		ev->migrate.orig_cpu = below(r, 8);
		ev->migrate.dest_cpu = below(r, 8);
	}
}

static void test_size(void **state)
{
	enum { NR = 100000 };
	struct rng rng = { 7 };
	char *folder = folder_new();
	int64_t ts = 864000000000000, size;
	struct err err = { 0 };
	struct store *s;
	struct event ev;
	struct stat st;

	s = create(folder);
	OK(store_commit(s, &err));
	store_close(s);
	assert_int_equal(stat(folder_path(folder, "x.hn"), &st), 0);
	size = st.st_size;	/* of empty tables */
	OK(store_create(&s, folder_path(folder, "x.hn"), true, &err));
	OK(store_begin(s, &err));
	for (int i = 0; i < NR; i++) {
		hackbench_event(&rng, &ts, &ev);
		OK(store_put_event(s, &ev, &err));
	}
	OK(store_end(s, &err));
	OK(store_commit(s, &err));
	store_close(s);
	assert_int_equal(stat(folder_path(folder, "x.hn"), &st), 0);
	if (st.st_size - size > 24 * NR)
		fail_msg("%.2f bytes per event",
			 (double)(st.st_size - size) / NR);
	folder_remove(folder);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_round_trip),
		cmocka_unit_test(test_append_after_commit),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_no_events),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_wide_views),
		cmocka_unit_test(test_comm_in_views),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* A spool is written as the recorder does, then made rows of. */
#include "collect/decoder.h"
#include "model/err.h"
#include "spool_build.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"
#include "tests/support/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define PAGE 4096

struct world {
	char *folder, dir[700];
	struct spool *spool;
	struct store *store;
	struct dat_build b;
	struct cpu_stats stats[2];
	struct ingest_totals totals;
	char notes[1000];
	int stop_at;		/* progress call that stops, 0: none */
	struct err err;
};

static int setup(void **state)
{
	static struct world w;
	const struct spool_head head = {
		.command = "a b\tc", .page_bytes = PAGE, .start_ns = 1 * MS,
		.nr_cpus = 2,
	};

	w = (struct world){ .folder = folder_new() };
	snprintf(w.dir, sizeof(w.dir), "%s/x.spool", w.folder);
	assert_int_equal(spool_create(&w.spool, w.dir, &head, &w.err), 0);
	dat_build_init(&w.b, &(struct dat_form){ .version = 7, .nr_cpus = 2 });
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	spool_close(w->spool);
	store_close(w->store);
	dat_build_release(&w->b);
	folder_remove(w->folder);
	return 0;
}

static void put_formats(struct world *w)
{
	spool_build_formats(w->spool, &w->b);
}

static void put_pages(struct world *w)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		const struct dat_bytes *p = &w->b.cpu[cpu].pages;
		int fd = spool_open_cpu(w->spool, cpu, &w->err);

		assert_true(fd >= 0);
		dat_build_page(&w->b, cpu);
		assert_int_equal(write(fd, p->at ? p->at : (uint8_t *)"", p->len),
				 p->len);
		close(fd);
	}
}

static void put_tail(struct world *w, const char *reason)
{
	const struct spool_tail tail = {
		.end_ns = 100 * MS, .reason = reason, .nr_cpus = 2,
		.stats = w->stats,
	};

	assert_int_equal(spool_put_tail(w->spool, &tail, &w->err), 0);
}

static int progress(void *ctx, double done)
{
	struct world *w = ctx;

	assert_true(done >= 0 && done <= 1);
	return w->stop_at && !--w->stop_at;
}

static void note(void *ctx, const char *text)
{
	struct world *w = ctx;

	strncat(w->notes, text, sizeof(w->notes) - strlen(w->notes) - 2);
	strcat(w->notes, "\n");
}

static int import(struct world *w)
{
	const struct spool_watch watch = { w, progress, note };

	spool_close(w->spool);
	w->spool = NULL;
	store_close(w->store);
	w->err = (struct err){ 0 };
	w->notes[0] = '\0';
	assert_int_equal(store_create(&w->store,
				      folder_path(w->folder, "x.hn"), true,
				      &w->err), 0);
	return spool_import(w->dir, w->store, &watch, &w->totals, &w->err);
}

static void import_ok(struct world *w)
{
	if (import(w) < 0)
		fail_msg("%s", w->err.text);
}

/* Task 11 on CPU 0 from 10 to 20 ms, 12 on CPU 1 from 12 to 30 ms. */
static void two_tasks(struct world *w)
{
	dat_build_switch(&w->b, 0, 10 * MS, "swapper/0", 0, 0, "one", 11);
	dat_build_switch(&w->b, 0, 20 * MS, "one", 11, 1, "swapper/0", 0);
	dat_build_switch(&w->b, 1, 12 * MS, "swapper/1", 0, 0, "two", 12);
	dat_build_switch(&w->b, 1, 30 * MS, "two", 12, 1, "swapper/1", 0);
	w->stats[0].read = w->stats[1].read = 2;
}

static void two_nodes(struct topo *t, struct err *err)
{
	assert_int_equal(topo_add_node(t, 0, err), 0);
	assert_int_equal(topo_add_node(t, 3, err), 0);
	assert_int_equal(topo_add_cpu(t, 0, 0, err), 0);
	assert_int_equal(topo_add_cpu(t, 1, 3, err), 0);
	t->node[0].mem_bytes = 1000;
	t->node[3].mem_bytes = 2000;
	t->cpu[1].llc = 7;
	t->cpu[1].online = false;
	t->distance[0 * t->nr_node_ids + 3] = 21;
	t->distance[3 * t->nr_node_ids + 0] = 22;
}

static void everything_comes_back(void **state)
{
	struct world *w = *state;
	const int64_t pages[] = { 5, 0, 0, 7 };
	struct topo topo = { 0 }, got = { 0 };
	struct capture c = { 0 };
	struct tasks tasks = { 0 };
	const struct task *t;

	two_tasks(w);
	put_formats(w);
	two_nodes(&topo, &w->err);
	assert_int_equal(spool_put_topo(w->spool, &topo, &w->err), 0);
	assert_int_equal(spool_put_knob(w->spool, "k", "old", &w->err), 0);
	assert_int_equal(spool_put_knob(w->spool, "k", "new\tvalue", &w->err), 0);
	assert_int_equal(spool_put_task(w->spool, &(struct task_fact){
		.ts = INT64_MIN, .tid = 11, .pid = 10, .comm = "o\tne",
		.cgroup = "/c", .nspid = "11 4", .nice = -3,
		.flags = TASK_F_RECORDER }, "0-1", &w->err), 0);
	assert_int_equal(spool_put_place(w->spool, &(struct placement_fact){
		.ts = 15 * MS, .pid = 10, .start = 0x1000, .bytes = 0x9000,
		.kind = AREA_HEAP, .name = "", .source = 'm', .nr_node_ids = 4,
		.pages = pages }, &w->err), 0);
	assert_int_equal(spool_put_place_end(w->spool, 10, 15 * MS, &w->err), 0);
	put_pages(w);
	put_tail(w, "end of the command");
	import_ok(w);
	assert_string_equal(w->notes, "");
	assert_int_equal(w->totals.events, 4);
	assert_int_equal(w->totals.lost, 0);
	assert_int_equal(w->totals.loss_intervals, 0);
	assert_int_equal(w->totals.start_ns, 10 * MS);
	assert_int_equal(w->totals.window_end_ns, 30 * MS);

	assert_int_equal(store_get_capture(w->store, &c, &w->err), 0);
	assert_string_equal(c.source, "live");
	assert_string_equal(c.clock, "mono");
	assert_string_equal(c.command, "a b\tc");
	assert_int_equal(c.nr_cpus, 2);
	assert_true(c.topology_known);
	capture_release(&c);

	assert_int_equal(store_get_topo(w->store, &got, &w->err), 0);
	assert_int_equal(topo_nr_nodes(&got), 2);
	assert_int_equal(got.node[3].mem_bytes, 2000);
	assert_int_equal(got.cpu[1].node, 3);
	assert_int_equal(got.cpu[1].llc, 7);
	assert_false(got.cpu[1].online);
	assert_int_equal(topo_distance(&got, 0, 3), 21);
	assert_int_equal(topo_distance(&got, 3, 0), 22);
	topo_release(&got);
	topo_release(&topo);

	assert_int_equal(store_get_tasks(w->store, &tasks, &w->err), 0);
	t = &tasks.task[tasks_find(&tasks, 11, 15 * MS)];
	assert_int_equal(t->pid, 10);
	assert_int_equal(t->nice, -3);
	assert_int_equal(t->flags & TASK_F_RECORDER, TASK_F_RECORDER);
	assert_string_equal(t->cgroup, "/c");
	assert_string_equal(t->nspid, "11 4");
	assert_int_equal(cpumask_count(&t->affinity), 2);
	tasks_release(&tasks);
	assert_string_equal(scratch_ask(w->store,
		"SELECT value FROM knob WHERE name = 'k'"), "new\tvalue");
	assert_string_equal(scratch_ask(w->store,
		"SELECT value FROM knob WHERE name = 'homenode.ended'"),
		"end of the command");
	assert_string_equal(scratch_ask(w->store,
		"SELECT group_concat(node || ':' || pages) FROM placement"),
		"0:5,3:7");
}

static void put_places(struct world *w, const char *sources)
{
	const int64_t pages[] = { 5 };

	two_tasks(w);
	put_formats(w);
	for (int i = 0; sources[i]; i++) {
		const struct placement_fact f = {
			.ts = (15 + i) * MS, .pid = 11, .start = 0x1000,
			.bytes = 0x9000, .kind = AREA_HEAP, .name = "",
			.source = sources[i], .nr_node_ids = 1, .pages = pages,
		};

		assert_int_equal(spool_put_place(w->spool, &f, &w->err), 0);
		assert_int_equal(spool_put_place_end(w->spool, 11, f.ts,
						     &w->err), 0);
	}
	put_pages(w);
	put_tail(w, "signal 2");
}

static void samples_keep_their_source(void **state)
{
	struct world *w = *state;

	put_places(w, "meq");
	import_ok(w);
	assert_string_equal(scratch_ask(w->store,
		"SELECT group_concat((ts / 1000000) || source || pages) "
		"FROM placement"), "15m5,16e5,17q5");
}

static void an_unknown_source_is_refused(void **state)
{
	struct world *w = *state;

	put_places(w, "mx");
	assert_int_equal(import(w), ERR_FORMAT);
	assert_non_null(strstr(w->err.text, "line 3: not a sample of an area"));
}

/* 13 was forked by 11, of which /proc told; 14 by 13.  15 has facts of its own,
 * though it was forked by 11 too. */
static void children_inherit(void **state)
{
	struct world *w = *state;

	two_tasks(w);
	dat_build_fork(&w->b, 1, 40 * MS, "one", 11, "kid", 13);
	dat_build_fork(&w->b, 1, 41 * MS, "kid", 13, "kid", 14);
	dat_build_fork(&w->b, 1, 42 * MS, "one", 11, "kid", 15);
	put_formats(w);
	put_pages(w);
	spool_put_task(w->spool, &(struct task_fact){ .ts = INT64_MIN,
		.tid = 11, .pid = 11, .comm = "one", .nice = 5,
		.cgroup = "/a" }, "1", &w->err);
	spool_put_task(w->spool, &(struct task_fact){ .ts = 43 * MS,
		.tid = 15, .pid = 15, .comm = "kid", .nice = 0,
		.cgroup = "/b" }, NULL, &w->err);
	w->stats[1].read += 3;
	put_tail(w, "signal 2");
	import_ok(w);
	assert_string_equal(scratch_ask(w->store,
		"SELECT group_concat(printf('%d %d %s %s', tid, nice, cgroup, "
		"affinity), ', ') FROM (SELECT * FROM task WHERE tid IN "
		"(11, 13, 14, 15) ORDER BY tid)"),
		"11 5 /a 1, 13 5 /a 1, 14 5 /a 1, 15 0 /b ");
}

/* Holes with a count keep it; the kernel counted 100 in all on CPU 0, 30 of
 * which stand in a page; 2 holes share the other 70 by their length: one event
 * each, and 68 by 10 ms to 30 ms: 1 + 17 and 1 + 51. */
static void losses_add_up_to_the_kernels_count(void **state)
{
	struct world *w = *state;

	dat_build_switch(&w->b, 0, 10 * MS, "a", 11, 1, "b", 12);
	dat_build_missed(&w->b, 0, -1);
	dat_build_switch(&w->b, 0, 20 * MS, "a", 11, 1, "b", 12);
	dat_build_missed(&w->b, 0, 30);
	dat_build_switch(&w->b, 0, 30 * MS, "a", 11, 1, "b", 12);
	dat_build_missed(&w->b, 0, -1);
	dat_build_switch(&w->b, 0, 60 * MS, "a", 11, 1, "b", 12);
	put_formats(w);
	put_pages(w);
	w->stats[0] = (struct cpu_stats){ .read = 4, .overrun = 100 };
	put_tail(w, "signal 2");
	import_ok(w);
	assert_int_equal(w->totals.lost, 100);
	assert_string_equal(scratch_ask(w->store,
		"SELECT group_concat(printf('%d-%d:%d', from_ns/1000000, "
		"to_ns/1000000, events), ' ') FROM "
		"(SELECT * FROM loss ORDER BY from_ns)"),
		"10-20:18 20-30:30 30-60:52");
}

/* What was lost before the first event of a CPU is counted once, though the page
 * (5 on CPU 0) or the kernel's counter alone (7 on CPU 1) tells how much.  The
 * capture begins with the event of CPU 0, before which there is no time of it. */
static void losses_before_the_first_event_are_counted_once(void **state)
{
	struct world *w = *state;

	dat_build_missed(&w->b, 0, 5);
	dat_build_missed(&w->b, 1, -1);
	two_tasks(w);
	put_formats(w);
	put_pages(w);
	w->stats[0].overrun = 5;
	w->stats[1].overrun = 7;
	put_tail(w, "signal 2");
	import_ok(w);
	assert_int_equal(w->totals.lost, 12);
	assert_string_equal(scratch_ask(w->store,
		"SELECT group_concat(printf('%d:%d-%d:%d', cpu, "
		"from_ns/1000000, to_ns/1000000, events), ' ') FROM "
		"(SELECT * FROM loss ORDER BY cpu)"), "0:10-10:5 1:10-12:7");
	assert_int_equal(w->totals.window_start_ns, 12 * MS);
}

/* What no hole accounts for is a loss of the whole capture. */
static void losses_without_a_hole_count_too(void **state)
{
	struct world *w = *state;

	two_tasks(w);
	put_formats(w);
	put_pages(w);
	w->stats[1].commit_overrun = 3;
	w->stats[1].dropped = 4;
	put_tail(w, "signal 2");
	import_ok(w);
	assert_int_equal(w->totals.lost, 7);
	assert_string_equal(scratch_ask(w->store,
		"SELECT printf('%d:%d-%d', cpu, from_ns/1000000, to_ns/1000000) "
		"FROM loss"), "1:10-30");
}

/* The kernel gave 50 events of CPU 0 to the reader and had 5 more; 2 are in the
 * file, since the disk got full: 53 are missing from its last event on. */
static void what_the_disk_did_not_take_is_lost(void **state)
{
	struct world *w = *state;

	two_tasks(w);
	put_formats(w);
	put_pages(w);
	w->stats[0].read = 50;
	w->stats[0].entries = 5;
	put_tail(w, "cannot write: No space left on device");
	import_ok(w);
	assert_int_equal(w->totals.lost, 53);
	assert_string_equal(scratch_ask(w->store,
		"SELECT printf('%d:%d-%d:%d', cpu, from_ns/1000000, "
		"to_ns/1000000, events) FROM loss"), "0:20-30:53");
	assert_int_equal(w->totals.window_end_ns, 20 * MS);
}

/* Killed: no tail; what is complete is what every CPU has: CPU 0 up to its mark
 * at 25 ms, though its last event is of 20 ms. */
static void a_killed_recorder_leaves_a_spool(void **state)
{
	struct world *w = *state;

	two_tasks(w);
	put_formats(w);
	put_pages(w);
	spool_mark(w->spool, 0, 25 * MS);
	spool_mark(w->spool, 1, 29 * MS);
	import_ok(w);
	assert_non_null(strstr(w->notes, "killed"));
	assert_int_equal(w->totals.events, 4);
	assert_int_equal(w->totals.window_end_ns, 25 * MS);
	assert_string_equal(scratch_ask(w->store,
		"SELECT value FROM knob WHERE name = 'homenode.ended'"), "killed");
}

/* ... with texts and pages that end anywhere. */
static void a_killed_recorder_may_leave_half_of_things(void **state)
{
	struct world *w = *state;
	char tasks[800], raw[800];

	for (int i = 0; i < 200; i++)
		dat_build_switch(&w->b, 0, (10 + i) * MS, "one", 11, 1, "two",
				 12);
	dat_build_switch(&w->b, 1, 12 * MS, "swapper/1", 0, 0, "two", 12);
	put_formats(w);
	put_pages(w);
	spool_put_task(w->spool, &(struct task_fact){ .ts = INT64_MIN,
		.tid = 11, .pid = 10, .comm = "one", .nice = 0 }, NULL, &w->err);
	spool_put_task(w->spool, &(struct task_fact){ .ts = INT64_MIN,
		.tid = 12, .pid = 12, .comm = "two", .nice = 0 }, NULL, &w->err);
	spool_flush(w->spool, &w->err);
	snprintf(tasks, sizeof(tasks), "%s/tasks", w->dir);
	snprintf(raw, sizeof(raw), "%s/cpu0.raw", w->dir);
	for (int cut = 1; cut < 60; cut += 7) {
		struct stat st;

		assert_int_equal(stat(tasks, &st), 0);
		assert_int_equal(truncate(tasks, st.st_size > cut ?
					  st.st_size - cut : 0), 0);
		assert_int_equal(stat(raw, &st), 0);
		assert_int_equal(truncate(raw, st.st_size - cut * 20), 0);
		import_ok(w);
		assert_true(w->totals.events > 50);
	}
}

/* Blocks that were never written, after a crash of the whole system. */
static void blank_pages_are_holes(void **state)
{
	struct world *w = *state;

	dat_build_switch(&w->b, 0, 10 * MS, "a", 11, 1, "b", 12);
	dat_build_page(&w->b, 0);
	dat_put(&w->b.cpu[0].pages, NULL, PAGE);
	dat_build_switch(&w->b, 0, 20 * MS, "a", 11, 1, "b", 12);
	put_formats(w);
	put_pages(w);
	w->stats[0] = (struct cpu_stats){ .read = 9 };
	put_tail(w, "signal 2");
	import_ok(w);
	assert_int_equal(w->totals.events, 2);
	assert_int_equal(w->totals.lost, 7);
	assert_string_equal(scratch_ask(w->store,
		"SELECT printf('%d-%d', from_ns/1000000, to_ns/1000000) "
		"FROM loss"),
		"10-20");
}

static void stopping_is_told(void **state)
{
	struct world *w = *state;

	two_tasks(w);
	put_formats(w);
	put_pages(w);
	put_tail(w, "signal 2");
	w->stop_at = 1;
	assert_int_equal(import(w), ERR_STOPPED);
	import_ok(w);		/* the spool is as it was */
	assert_int_equal(w->totals.events, 4);
}

static void no_events_are_told(void **state)
{
	struct world *w = *state;

	put_formats(w);
	put_pages(w);
	put_tail(w, "signal 2");
	assert_int_equal(import(w), ERR_FORMAT);
	assert_non_null(strstr(w->err.text, "has no events"));
	assert_non_null(strstr(w->err.text, w->dir));
}

/* Every text that is damaged gives one message that says where. */
static void damaged_texts_are_told(void **state)
{
	static const struct {
		const char *file, *text, *says;
	} c[] = {
		{ "homenode-spool", "something else\n", "not the head" },
		{ "homenode-spool", "", "cut off" },
		{ "homenode-spool", "homenode-spool 1\nnr_cpus\t2\n", "cut off" },
		{ "homenode-spool", "homenode-spool 1\nnr_cpus\t-2\n", "line 2" },
		{ "homenode-spool", "homenode-spool 1\npage_bytes\t9999999999\n",
		  "line 2" },
		{ "header_page", "nothing", "header_page" },
		{ "sched.sched_switch.format", "name: sched_switch\nID: x\n",
		  "sched_switch" },
		{ "topology", "cpu\t0\t1\t0\t0\t0\t0\t0\t0\tx\n", "line 1" },
		{ "topology", "cpu\t99999999\t1\t0\t0\t0\t0\t0\t0\t0\n",
		  "line 1" },
		{ "topology", "node\t5000\t1\t0\n", "line 1" },
		{ "topology", "distance\t0\t1\t10\n", "line 1" },
		{ "tasks", "1\t2\n", "line 1" },
		{ "tasks", "1\t2\t3\t4\t5\t0-\t\t\tx\n", "line 1" },
		{ "tasks", "1\t0\t3\t4\t5\t\t\t\tx\n", "line 1" },
		{ "places", "a\t1\t2\tm\t0\t4096\t4096\t0:x\t\n", "line 1" },
		{ "places", "a\t1\t2\tz\t0\t4096\t4096\t0:1\t\n", "line 1" },
		{ "places", "a\t1\t2\tm\t0\t4096\t4096\t9999:1\t\n", "line 1" },
		{ "places", "b\t1\t2\n", "line 1" },
		{ "tail", "cpu\t0\t1\n", "line 1" },
		{ "tail", "cpu\t99999999\t1\t1\t1\t1\t1\n", "line 1" },
		{ "tail", "end\tx\tsignal\n", "line 1" },
	};
	struct world *w = *state;

	two_tasks(w);
	put_formats(w);
	put_pages(w);
	put_tail(w, "signal 2");
	spool_close(w->spool);
	w->spool = NULL;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		char path[800];
		size_t size;
		uint8_t *before;

		snprintf(path, sizeof(path), "%s/%s", w->dir, c[i].file);
		before = file_read(path, &size);
		assert_int_equal(file_write(path, c[i].text, strlen(c[i].text)),
				 0);
		if (import(w) >= 0 || !strstr(w->err.text, c[i].says))
			fail_msg("case %zu: %s", i, w->err.text);
		if (before)
			assert_int_equal(file_write(path, before, size), 0);
		else
			assert_int_equal(remove(path), 0);
		free(before);
	}
	import_ok(w);
}

static void a_newer_version_is_refused(void **state)
{
	struct world *w = *state;

	tree_put(w->dir, "homenode-spool", "homenode-spool 2\n");
	assert_int_equal(import(w), ERR_VERSION);
}

static void a_missing_topology_is_told(void **state)
{
	struct world *w = *state;

	two_tasks(w);
	put_formats(w);
	put_pages(w);
	put_tail(w, "signal 2");
	import_ok(w);
	assert_non_null(strstr(w->notes, "topology"));
}

static void a_spool_is_told_from_other_folders(void **state)
{
	struct world *w = *state;
	struct spool *second;
	struct err err = { 0 };

	assert_true(spool_is(w->dir));
	assert_false(spool_is(w->folder));
	assert_false(spool_is("/nowhere"));
	tree_put(w->folder, "y/homenode-spool", "homenode");
	assert_false(spool_is(folder_path(w->folder, "y")));
	assert_int_equal(spool_create(&second, w->dir,
			 &(struct spool_head){ .page_bytes = PAGE, .nr_cpus = 1,
					       .command = "" }, &err),
			 ERR_EXISTS);
	assert_int_equal(spool_create(&second, "/nowhere/x",
			 &(struct spool_head){ .page_bytes = PAGE, .nr_cpus = 1,
					       .command = "" },
			 &(struct err){ 0 }), ERR_IO);
}

/* Of files that somebody else put there nothing is removed. */
static void only_a_spool_is_removed(void **state)
{
	struct world *w = *state;
	struct err err = { 0 };

	put_formats(w);
	put_pages(w);
	put_tail(w, "signal 2");
	spool_close(w->spool);
	w->spool = NULL;
	tree_put(w->dir, "notes.txt", "mine");
	assert_int_equal(spool_remove(w->dir, &err), ERR_IO);
	assert_int_equal(folder_count(w->dir), 1);
	assert_int_equal(remove(folder_path(w->dir, "notes.txt")), 0);
	err.code = 0;
	assert_int_equal(spool_remove(w->dir, &err), 0);
	assert_int_equal(folder_count(w->dir), -1);
}

#define WORLD_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(everything_comes_back),
		WORLD_TEST(samples_keep_their_source),
		WORLD_TEST(an_unknown_source_is_refused),
		WORLD_TEST(children_inherit),
		WORLD_TEST(losses_add_up_to_the_kernels_count),
		WORLD_TEST(losses_before_the_first_event_are_counted_once),
		WORLD_TEST(losses_without_a_hole_count_too),
		WORLD_TEST(what_the_disk_did_not_take_is_lost),
		WORLD_TEST(a_killed_recorder_leaves_a_spool),
		WORLD_TEST(a_killed_recorder_may_leave_half_of_things),
		WORLD_TEST(blank_pages_are_holes),
		WORLD_TEST(stopping_is_told),
		WORLD_TEST(no_events_are_told),
		WORLD_TEST(damaged_texts_are_told),
		WORLD_TEST(a_newer_version_is_refused),
		WORLD_TEST(a_missing_topology_is_told),
		WORLD_TEST(a_spool_is_told_from_other_folders),
		WORLD_TEST(only_a_spool_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The life of a file: created, refused, replaced, upgraded, damaged, killed. */
#include "tests/support/scratch.h"

#include "model/calibration.h"
#include "model/err.h"
#include "tests/support/folder.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void assert_err(const struct err *err, int code, const char *part)
{
	if (err->code != code || !strstr(err->text, part))
		fail_msg("got %d \"%s\", wanted %d \"...%s...\"", err->code,
			 err->text, code, part);
}

static void refuse(const char *path, enum store_mode mode, int code,
		   const char *part)
{
	struct err err = { 0 };
	struct store *s = (struct store *)&err;

	assert_int_equal(store_open(&s, path, mode, &err), code);
	assert_null(s);
	assert_err(&err, code, part);
	assert_non_null(strstr(err.text, path));
}

static void put_events(struct store *s, int nr)
{
	struct event ev = { .kind = EVENT_EXIT, .tid = 5,
			    .exit = { .tid = 5, .prio = 120 } };
	struct err err = { 0 };

	OK(store_begin(s, &err));
	for (int i = 0; i < nr; i++) {
		ev.ts = 1000 + 10 * (int64_t)i;
		OK(store_put_event(s, &ev, &err));
	}
	OK(store_end(s, &err));
}

/* -- create, commit, close ------------------------------------------------ */

static void test_commit(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };
	struct stat st;

	assert_string_equal(store_path(y->s), scratch_path(y));
	assert_int_equal(stat(scratch_path(y), &st), -1);
	assert_int_equal(folder_count(y->folder), 1);	/* under another name */
	put_events(y->s, 10);
	OK(store_commit(y->s, &err));
	assert_int_equal(folder_count(y->folder), 1);
	assert_int_equal(stat(scratch_path(y), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* Still open, now for writing. */
	put_events(y->s, 5);
	assert_int_equal(store_nr_events(y->s), 15);
	assert_int_equal(store_commit(y->s, &err), ERR_USAGE);
	assert_int_equal(folder_count(y->folder), 1);	/* no journal left */
	store_close(y->s);
	err.code = 0;
	OK(store_open(&y->s, scratch_path(y), STORE_READ, &err));
	assert_int_equal(store_nr_events(y->s), 15);
}

static void test_abort(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };

	OK(store_begin(y->s, &err));
	put_events(y->s, 10);
	store_close(y->s);	/* inside a transaction */
	y->s = NULL;
	assert_int_equal(folder_count(y->folder), 0);
	store_close(NULL);
}

static void test_exists(void **state)
{
	struct scratch *y = *state;
	struct store *late, *other = NULL;
	struct err err = { 0 };

	/* Two at once: the one that commits second is refused. */
	OK(store_create(&late, scratch_path(y), false, &err));
	put_events(y->s, 3);
	scratch_reopen(y, STORE_READ);
	assert_int_equal(store_commit(late, &err), ERR_EXISTS);
	assert_err(&err, ERR_EXISTS, "--force");
	store_close(late);
	assert_int_equal(folder_count(y->folder), 1);
	err.code = 0;
	assert_int_equal(store_create(&other, scratch_path(y), false, &err),
			 ERR_EXISTS);
	assert_null(other);
	assert_int_equal(folder_count(y->folder), 1);
	/* By force, but only when it is complete. */
	err.code = 0;
	OK(store_create(&other, scratch_path(y), true, &err));
	put_events(other, 7);
	store_close(y->s);
	OK(store_open(&y->s, scratch_path(y), STORE_READ, &err));
	assert_int_equal(store_nr_events(y->s), 3);
	OK(store_commit(other, &err));
	store_close(other);
	store_close(y->s);
	OK(store_open(&y->s, scratch_path(y), STORE_READ, &err));
	assert_int_equal(store_nr_events(y->s), 7);
	assert_int_equal(folder_count(y->folder), 1);
}

static void refuse_create(const char *path, bool force, int code,
			  const char *part)
{
	struct store *s = NULL;
	struct err err = { 0 };

	assert_int_equal(store_create(&s, path, force, &err), code);
	assert_null(s);
	assert_err(&err, code, part);
	assert_non_null(strstr(err.text, path));
}

static void test_cannot_create(void **state)
{
	struct scratch *y = *state;
	char longest[300];

	assert_int_equal(mkdir(folder_path(y->folder, "dir"), 0700), 0);
	assert_int_equal(mkfifo(folder_path(y->folder, "fifo"), 0700), 0);
	assert_int_equal(file_write(folder_path(y->folder, "file"), "x", 1),
			 0);
	refuse_create(folder_path(y->folder, "dir"), true, ERR_IO,
		      "Is a directory");
	refuse_create(folder_path(y->folder, "dir/"), true, ERR_USAGE,
		      "not a file name");
	refuse_create(folder_path(y->folder, "none/x"), false, ERR_IO,
		      "No such file or directory");
	refuse_create(folder_path(y->folder, "file/x"), false, ERR_IO,
		      "Not a directory");
	refuse_create(folder_path(y->folder, "fifo"), true, ERR_IO,
		      "not a regular file");
	refuse_create("/proc/x.hn", false, ERR_IO, "No such file");
	memset(longest, 'n', sizeof(longest));
	longest[256] = '\0';
	refuse_create(folder_path(y->folder, longest), false, ERR_IO,
		      "File name too long");
}

/* The longest name there is, bytes that mean something in an URI, a space. */
static void test_strange_names(void **state)
{
	struct scratch *y = *state;
	char longest[256];
	const char *names[] = { longest, "a?mode=memory#%41 \xff\n.hn",
				"file:x", ":memory:" };

	memset(longest, 'n', 255);
	longest[255] = '\0';
	for (int i = 0; i < 4; i++) {
		const char *path = folder_path(y->folder, names[i]);
		struct err err = { 0 };
		struct store *s;
		struct stat st;

		OK(store_create(&s, path, false, &err));
		put_events(s, 2);
		OK(store_commit(s, &err));
		store_close(s);
		assert_int_equal(stat(path, &st), 0);
		OK(store_open(&s, path, STORE_READ, &err));
		assert_int_equal(store_nr_events(s), 2);
		store_close(s);
	}
}

/* Root may do anything: it stops being root, and owns its files on. */
static void become_nobody(const struct scratch *y)
{
	if (geteuid())
		return;
	assert_int_equal(chown(y->folder, 65534, 65534), 0);
	assert_int_equal(chown(scratch_path(y), 65534, 65534), 0);
	assert_int_equal(seteuid(65534), 0);
}

static void test_no_permission(void **state)
{
	struct scratch *y = *state;
	const char *dir = folder_path(y->folder, "dir");

	put_events(y->s, 1);
	scratch_reopen(y, STORE_READ);
	become_nobody(y);
	assert_int_equal(mkdir(dir, 0500), 0);
	refuse_create(folder_path(dir, "x"), false, ERR_PERM,
		      "Permission denied");
	assert_int_equal(chmod(scratch_path(y), 0400), 0);
	refuse(scratch_path(y), STORE_WRITE, ERR_IO, "read-only");
	assert_int_equal(chmod(scratch_path(y), 0), 0);
	refuse(scratch_path(y), STORE_READ, ERR_IO, "Permission denied");
}

/* -- not ours ------------------------------------------------------------- */

static void test_not_ours(void **state)
{
	struct scratch *y = *state;
	const char *p = folder_path(y->folder, "p");

	refuse(p, STORE_READ, ERR_NOTFOUND, "No such file");
	refuse(y->folder, STORE_READ, ERR_FORMAT, "a directory");
	refuse("/dev/null", STORE_READ, ERR_FORMAT, "not a regular file");
	assert_int_equal(file_write(p, "", 0), 0);
	refuse(p, STORE_READ, ERR_FORMAT, "empty, not a homenode file");
	refuse(p, STORE_WRITE, ERR_FORMAT, "empty, not a homenode file");
	assert_int_equal(file_write(p, "tracing\n", 8), 0);
	refuse(p, STORE_READ, ERR_FORMAT, "not a homenode file");
	assert_int_equal(file_write(p, "SQLite format 3", 16), 0);
	refuse(p, STORE_READ, ERR_FORMAT, "not a homenode file");
}

static void test_foreign_database(void **state)
{
	struct scratch *y = *state;

	scratch_reopen(y, STORE_WRITE);
	scratch_exec(y->s, "PRAGMA application_id = 0");
	refuse(scratch_path(y), STORE_READ, ERR_FORMAT,
	       "a SQLite database, but not a homenode file");
	refuse(scratch_path(y), STORE_WRITE, ERR_FORMAT,
	       "a SQLite database, but not a homenode file");
}

static void test_newer(void **state)
{
	struct scratch *y = *state;

	scratch_reopen(y, STORE_WRITE);
	scratch_exec(y->s, "PRAGMA user_version = 4");
	refuse(scratch_path(y), STORE_READ, ERR_VERSION, "written by a newer "
	       "homenode (format 4, this one knows 3)");
	refuse(scratch_path(y), STORE_WRITE, ERR_VERSION, "format 4");
}

/* What format 0 was: store_upgrade.c. */
static void make_format_0(struct scratch *y)
{
	struct event fault = { .ts = 5, .kind = EVENT_PAGE_FAULT_USER };
	struct capture c = { .kernel = (char *)"6.1", .end_ns = 77 };
	struct run_info info = { .id = 0 };
	struct run_sink sink;
	struct err err = { 0 };

	OK(store_put_event(y->s, &fault, &err));
	OK(store_put_capture(y->s, &c, &err));
	OK(store_run_begin(y->s, &info, &sink, &err));
	OK(store_run_end(y->s, &info, &err));
	scratch_reopen(y, STORE_WRITE);
	scratch_exec(y->s, "ALTER TABLE capture DROP COLUMN has_faults;"
		   "DROP TABLE span_block; DROP TABLE drawing;"
		   "DROP TABLE drawing_track; DROP TABLE drawing_node;"
		   "DROP TABLE latency;"
		   "PRAGMA user_version = 0");
	store_close(y->s);
	y->s = NULL;
}

static void test_upgrade(void **state)
{
	struct scratch *y = *state;
	struct run_info *runs;
	struct err err = { 0 };
	struct capture c;
	int nr;

	make_format_0(y);
	refuse(scratch_path(y), STORE_READ, ERR_VERSION, "written by an older "
	       "homenode (format 0, this one needs 3); 'homenode info "
	       "--upgrade' converts it");
	OK(store_open(&y->s, scratch_path(y), STORE_WRITE, &err));
	assert_string_equal(scratch_ask(y->s, "PRAGMA user_version"), "3");
	OK(store_get_capture(y->s, &c, &err));
	assert_string_equal(c.kernel, "6.1");
	assert_true(c.end_ns == 77 && c.has_faults);
	capture_release(&c);
	assert_int_equal(store_nr_events(y->s), 1);
	OK(store_get_runs(y->s, &runs, &nr, &err));
	assert_int_equal(nr, 0);	/* derived: made anew */
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM "
				      "span_block"), "0");
	store_close(y->s);
	OK(store_open(&y->s, scratch_path(y), STORE_READ, &err));
}

/* Format 2 had no latencies; what was derived stays, since generated demand
 * could not be made again. */
static void test_upgrade_latency(void **state)
{
	struct scratch *y = *state;
	struct run_info info = { .id = 0 }, *runs;
	struct latency l = { .co_runners = 1, .median_ps = 5, .low_ps = 4,
			     .high_ps = 6, .samples = 3 }, *got;
	struct run_sink sink;
	struct err err = { 0 };
	int nr;

	OK(store_run_begin(y->s, &info, &sink, &err));
	OK(store_run_end(y->s, &info, &err));
	scratch_reopen(y, STORE_WRITE);
	scratch_exec(y->s, "DROP TABLE latency; PRAGMA user_version = 2");
	store_close(y->s);
	OK(store_open(&y->s, scratch_path(y), STORE_WRITE, &err));
	OK(store_get_runs(y->s, &runs, &nr, &err));
	assert_int_equal(nr, 1);
	run_info_release(&runs[0]);
	free(runs);
	OK(store_get_latencies(y->s, &got, &nr, &err));
	assert_int_equal(nr, 0);
	assert_null(got);
	OK(store_put_latencies(y->s, &l, 1, &err));
	store_close(y->s);
	OK(store_open(&y->s, scratch_path(y), STORE_READ, &err));
	OK(store_get_latencies(y->s, &got, &nr, &err));
	assert_int_equal(nr, 1);
	assert_memory_equal(got, &l, sizeof(l));
	free(got);
	assert_string_equal(scratch_ask(y->s, "PRAGMA user_version"), "3");
}

/* What calibrate measured before is replaced; damage is told. */
static void test_latency_damage(void **state)
{
	struct scratch *y = *state;
	struct latency l[2] = {
		{ .cpu_node = 1, .median_ps = 5, .low_ps = 5, .high_ps = 5,
		  .samples = 1 },
		{ .median_ps = 7, .low_ps = 7, .high_ps = 7, .samples = 1 },
	}, *got;
	struct err err = { 0 };
	int nr;

	OK(store_put_latencies(y->s, l, 2, &err));
	OK(store_get_latencies(y->s, &got, &nr, &err));
	assert_int_equal(nr, 2);
	assert_true(got[0].median_ps == 7 && got[1].cpu_node == 1);
	free(got);
	OK(store_put_latencies(y->s, l, 1, &err));
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM latency"),
			    "1");
	scratch_exec(y->s, "UPDATE latency SET low_ps = -1");
	assert_int_equal(store_get_latencies(y->s, &got, &nr, &err), ERR_FORMAT);
	assert_err(&err, ERR_FORMAT, "damaged: a latency of -1 ps");
	assert_true(!got && !nr);
	err = (struct err){ 0 };
	scratch_exec(y->s, "UPDATE latency SET low_ps = 1, mem_node = 5000");
	assert_int_equal(store_get_latencies(y->s, &got, &nr, &err), ERR_FORMAT);
}

/* A step that fails leaves the old format, whole, to the version that knows
 * it. */
static void test_upgrade_fails(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };
	uint8_t *before, *after;
	struct store *s;
	size_t n, m;

	put_events(y->s, 5);
	scratch_reopen(y, STORE_WRITE);
	/* The column that the step adds is there already. */
	scratch_exec(y->s, "PRAGMA user_version = 0");
	store_close(y->s);
	y->s = NULL;
	before = file_read(scratch_path(y), &n);
	assert_int_equal(store_open(&s, scratch_path(y), STORE_WRITE, &err),
			 ERR_FORMAT);
	assert_err(&err, ERR_FORMAT, "duplicate column name: has_faults");
	after = file_read(scratch_path(y), &m);
	assert_true(n == m && !memcmp(before, after, n));
	assert_int_equal(folder_count(y->folder), 1);
	free(before);
	free(after);
}

/* -- damage --------------------------------------------------------------- */

struct reading {
	int64_t rows;
	int code;
	char text[1000];
};

static int count_named(void *ctx, const char *name, const char *value)
{
	(*(int64_t *)ctx)++;
	return 0;
}

static int count_counted(void *ctx, const char *name, int64_t value)
{
	(*(int64_t *)ctx)++;
	return 0;
}

static int count_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	(*(int64_t *)ctx)++;
	return 0;
}

static int count_access(void *ctx, const struct mem_access *a,
			struct err *err)
{
	(*(int64_t *)ctx)++;
	return 0;
}

static int count_move(void *ctx, const struct move *m, struct err *err)
{
	(*(int64_t *)ctx)++;
	return 0;
}

static int read_facts(struct store *s, int64_t *rows, struct err *err)
{
	struct capture c = { 0 };
	struct topo topo = { 0 };
	struct tasks tasks = { 0 };
	struct areas areas = { 0 };
	struct loss *loss = NULL;
	int nr = 0;

	if (!store_get_capture(s, &c, err) && !store_get_topo(s, &topo, err) &&
	    !store_get_tasks(s, &tasks, err) &&
	    !store_get_areas(s, &areas, err) &&
	    !store_get_loss(s, &loss, &nr, err) &&
	    !store_each_knob(s, count_named, rows, err) &&
	    !store_each_repair(s, count_counted, rows, err) &&
	    !store_each_event_kind(s, count_counted, rows, err))
		*rows += tasks.nr + areas.nr + nr + topo.nr_cpu_ids;
	capture_release(&c);
	topo_release(&topo);
	tasks_release(&tasks);
	areas_release(&areas);
	free(loss);
	return err->code;
}

static int read_streams(struct store *s, int64_t *rows, struct err *err)
{
	struct store_placements *pi = NULL;
	struct store_events *ei = NULL;
	struct store_spans *si = NULL;
	struct placement p;
	struct event ev;
	struct span sp;

	if (!store_events_open(s, INT64_MIN, INT64_MAX, &ei, err))
		while (store_events_next(ei, &ev, err) > 0)
			(*rows)++;
	store_events_close(ei);
	if (!err->code && !store_placements_open(s, &pi, err))
		while (store_placements_next(pi, &p, err) > 0)
			(*rows)++;
	store_placements_close(pi);
	if (!err->code &&
	    !store_spans_open(s, 0, INT64_MIN, INT64_MAX, &si, err))
		while (store_spans_next(si, &sp, err) > 0)
			(*rows)++;
	store_spans_close(si);
	return err->code;
}

static int read_rest(struct store *s, int64_t *rows, struct err *err)
{
	struct demand_task *tasks = NULL;
	struct run_info *runs = NULL;
	struct demand_source src;
	const uint8_t *bytes;
	int nr_runs = 0, nr = 0;
	size_t len;

	if (!store_get_runs(s, &runs, &nr_runs, err) &&
	    !store_each_mem(s, 0, count_mem, rows, err) &&
	    !store_each_access(s, 0, count_access, rows, err) &&
	    !store_each_move(s, 0, count_move, rows, err))
		store_get_demand_tasks(s, &tasks, &nr, err);
	for (int i = 0; i < nr_runs; i++)
		run_info_release(&runs[i]);
	free(runs);
	store_demand_source(s, &src);
	for (int i = 0; i < nr && !err->code; i++)
		if (src.chunk(src.ctx, tasks[i].task, 0, &bytes, &len,
			      err) > 0)
			*rows += (int64_t)len;
	free(tasks);
	return err->code;
}

/* Everything of a file; the error, if any, must name it. */
static struct reading read_all(const char *path)
{
	struct reading r = { 0 };
	struct err err = { 0 };
	struct store *s;

	if (!store_open(&s, path, STORE_READ, &err)) {
		if (!read_facts(s, &r.rows, &err) &&
		    !read_streams(s, &r.rows, &err))
			read_rest(s, &r.rows, &err);
		store_close(s);
	}
	r.code = err.code;
	snprintf(r.text, sizeof(r.text), "%s", err.text);
	if (r.code && (!strstr(r.text, path) || r.code == ERR_NOMEM))
		fail_msg("%d %s", r.code, r.text);
	return r;
}

/* A little of everything. */
static void put_all(struct store *s)
{
	struct capture c = { .kernel = (char *)"6.1", .nr_cpus = 4,
			     .states = state_table_default };
	struct run_info info = { .id = 0 };
	struct mem_change m = { 5, 1, 0, 7 };
	struct mem_access a = { 1, 1, 3 };
	struct move v = { 5, 1, 0, 1, 0, 0 };
	struct loss l = { 1, 5, 6, 7 };
	struct topo topo = { 0 };
	struct run_sink sink;
	struct demand_sink demand;
	struct err err = { 0 };

	scratch_world(s, 30, 5);
	put_events(s, 3000);
	OK(topo_flat(&topo, 4, &err));
	OK(store_put_topo(s, &topo, &err));
	topo_release(&topo);
	OK(store_put_capture(s, &c, &err));
	OK(store_put_loss(s, &l, &err));
	OK(store_put_knob(s, "a", "b", &err));
	OK(store_put_repair(s, "a", 5, &err));
	for (int i = 0; i < 50; i++) {
		struct placement p = { i, 1, 0, 5, 'm' };

		OK(store_put_placement(s, &p, &err));
	}
	OK(store_run_begin(s, &info, &sink, &err));
	for (int i = 0; i < 2000; i++) {
		struct span sp = { i % 30, 0, 1000 + i, 1001 + i, -1, -1, 0,
				   0 };

		OK(sink.span(sink.ctx, &sp, &err));
	}
	OK(sink.mem(sink.ctx, &m, &err));
	OK(sink.access(sink.ctx, &a, &err));
	OK(sink.move(sink.ctx, &v, &err));
	OK(store_run_end(s, &info, &err));
	store_demand_sink(s, &demand);
	for (int t = 0; t < 30; t++) {
		struct demand_task dt = { .task = t };
		uint8_t ops[200] = { 1 };

		OK(store_put_demand_task(s, &dt, &err));
		OK(demand.chunk(demand.ctx, t, 0, ops, sizeof(ops), &err));
	}
}

/* Flipped bytes anywhere, among them all of the heads of pages: an error that
 * names the file, or all the rows that can still be read; never a crash. */
static void test_flipped_bytes(void **state)
{
	struct scratch *y = *state;
	const char *bad = folder_path(y->folder, "bad.hn");
	uint64_t x = 88172645463325252u;
	struct reading whole;
	uint8_t *bytes;
	int errors = 0;
	size_t size;

	put_all(y->s);
	scratch_reopen(y, STORE_READ);
	whole = read_all(scratch_path(y));
	assert_int_equal(whole.code, 0);
	bytes = file_read(scratch_path(y), &size);
	for (int i = 0; i < 120; i++) {
		size_t at[8];
		uint8_t old[8];

		for (int k = 0; k < 8; k++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			at[k] = i % 2 ? (x >> 20) % size :
				(x >> 20) % size / 16384 * 16384 +
				(x >> 8) % 40;
			old[k] = bytes[at[k]];
			bytes[at[k]] = (uint8_t)(x >> 12);
		}
		assert_int_equal(file_write(bad, bytes, size), 0);
		errors += read_all(bad).code != 0;
		for (int k = 8; k-- > 0;)
			bytes[at[k]] = old[k];
	}
	assert_true(errors > 30);
	free(bytes);
}

static void test_cut(void **state)
{
	struct scratch *y = *state;
	const char *bad = folder_path(y->folder, "bad.hn");
	uint8_t *bytes;
	size_t size;

	put_all(y->s);
	scratch_reopen(y, STORE_READ);
	bytes = file_read(scratch_path(y), &size);
	for (size_t n = 1; n < size; n = n < 200 ? n + 7 : n * 5 / 4) {
		struct reading r;

		assert_int_equal(file_write(bad, bytes, n), 0);
		r = read_all(bad);
		assert_int_equal(r.code, ERR_FORMAT);
		if (n > 100)
			assert_non_null(strstr(r.text, "damaged: it ends at"));
	}
	free(bytes);
}

static uint32_t be(const uint8_t *p, int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

/* All children of the events' root made the same leaf, which a reader that
 * trusts the tree walks again and again. */
static void test_circle(void **state)
{
	struct scratch *y = *state;
	const char *bad = folder_path(y->folder, "bad.hn");
	uint8_t *bytes, *page;
	struct reading r;
	size_t size;
	int root, cells;

	put_events(y->s, 20000);
	scratch_world(y->s, 1, 0);
	scratch_reopen(y, STORE_READ);
	root = atoi(scratch_ask(y->s, "SELECT rootpage FROM sqlite_schema"
			      " WHERE name = 'event'"));
	bytes = file_read(scratch_path(y), &size);
	page = bytes + (size_t)(root - 1) * 16384;
	assert_int_equal(page[0], 5);	/* an interior page */
	cells = (int)be(page + 3, 2);
	assert_true(cells > 10);
	for (int i = 0; i < cells; i++)
		memcpy(page + be(page + 12 + 2 * i, 2),
		       page + be(page + 12, 2), 4);
	assert_int_equal(file_write(bad, bytes, size), 0);
	free(bytes);
	r = read_all(bad);
	assert_int_equal(r.code, ERR_FORMAT);
	assert_non_null(strstr(r.text, "damaged"));
}

static void lie(struct scratch *y, const char *sql, const char *part)
{
	struct reading r;

	store_close(y->s);
	y->s = NULL;
	r = read_all(scratch_path(y));
	if (r.code != ERR_FORMAT || !strstr(r.text, part))
		fail_msg("%s: got %d \"%s\", wanted \"%s\"", sql, r.code,
			 r.text, part);
}

/* Rows that cannot be: what a reader hands on must be safe as an index. */
static void test_lies(void **state)
{
	static const struct {
		const char *sql, *part;
	} lies[] = {
		{ "UPDATE event SET what = 31 WHERE at = 0",
		  "event 0 is of no known kind" },
		{ "UPDATE event SET what = -1 WHERE at = 10",
		  "event 10 has no row in event_more" },
		{ "UPDATE event SET what = 8 WHERE at = 20", "event 20" },
		{ "UPDATE event SET what = 11, b = -300 WHERE at = 30",
		  "event 30 is of no known fault site" },
		{ "INSERT INTO fault_site VALUES (5, 5)",
		  "fault site 0 is missing" },
		{ "DELETE FROM task WHERE id = 5", "task 5 is missing" },
		{ "UPDATE task SET parent = 30 WHERE id = 1", "parent 30" },
		{ "UPDATE task SET tid = 99999999999", "tid is 99999999999" },
		{ "UPDATE task SET affinity = '5-2' WHERE id = 3", "" },
		{ "UPDATE area SET proc = 30", "proc is 30" },
		{ "UPDATE area SET id = 7 WHERE id = 2", "area 2 is missing" },
		{ "UPDATE cpu SET node = 1000000", "node is 1000000" },
		{ "UPDATE cpu SET id = 100000 WHERE id = 1", "id is 100000" },
		{ "UPDATE node SET id = -1", "id is -1" },
		{ "UPDATE distance SET distance = 0", "distance is 0" },
		{ "UPDATE distance SET to_node = 1", "to_node is 1" },
		{ "UPDATE placement SET area = 5 WHERE ts = 3", "area is 5" },
		{ "UPDATE placement SET node = -2 WHERE ts = 3", "node is -2" },
		{ "UPDATE loss SET cpu = 99999", "cpu is 99999" },
		{ "UPDATE span SET task = 30 WHERE id = 7", "span 7: task 30" },
		{ "UPDATE span SET waker = -2 WHERE id = 7", "waker -2" },
		{ "UPDATE span SET what = 1 << 40 WHERE id = 7", "CPU" },
		{ "UPDATE span_block SET spans = 0", "span block 0" },
		{ "UPDATE span_block SET spans = 1 << 50", "span block 0" },
		{ "UPDATE mem SET area = -1", "area is -1" },
		{ "UPDATE mem SET node = 5000", "node is 5000" },
		{ "UPDATE access SET task = 30", "task is 30" },
		{ "UPDATE move SET from_cpu = 70000", "from_cpu is 70000" },
		{ "UPDATE move SET why = 512", "why is 512" },
		{ "UPDATE run SET knobs = '{'", "run 0 is described in bad" },
		{ "UPDATE run SET id = -5", "id is -5" },
		{ "UPDATE run SET id = 2147483647", "id is 2147483647" },
		{ "UPDATE demand_task SET task = 99 WHERE task = 1",
		  "task is 99" },
		{ "UPDATE demand SET ops = zeroblob(5000)", "5000 bytes" },
		{ "UPDATE capture SET nr_cpus = -1", "nr_cpus is -1" },
		{ "DROP TABLE knob", "there is no table knob" },
		{ "DROP VIEW spans; DROP TABLE span;"
		  "CREATE VIEW span AS SELECT 1", "there is no table span" },
		{ "ALTER TABLE knob ADD COLUMN x AS (zeroblob(1000000000))",
		  "table knob has other columns than it should" },
		{ "ALTER TABLE event RENAME COLUMN a TO c",
		  "table event has other columns" },
		{ "DROP TABLE mem; CREATE TABLE mem(id INTEGER NOT NULL, "
		  "at INTEGER NOT NULL, area INTEGER NOT NULL, "
		  "node INTEGER NOT NULL, pages INTEGER NOT NULL)",
		  "table mem has other columns" },
	};
	struct scratch *y = *state;
	uint8_t *bytes;
	size_t size;

	put_all(y->s);
	scratch_reopen(y, STORE_WRITE);
	bytes = file_read(scratch_path(y), &size);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct err err = { 0 };

		scratch_exec(y->s, lies[i].sql);
		lie(y, lies[i].sql, lies[i].part);
		assert_int_equal(file_write(scratch_path(y), bytes, size), 0);
		OK(store_open(&y->s, scratch_path(y), STORE_WRITE, &err));
	}
	free(bytes);
}

/* -- killed and full ------------------------------------------------------ */

/* Writes a run into a small cache, so that pages of it reach the file, and is
 * killed. */
static void die_writing(const char *path)
{
	struct run_info info = { .id = 7 };
	struct err err = { 0 };
	struct run_sink sink;
	struct store *s;

	if (store_open(&s, path, STORE_WRITE, &err))
		_exit(1);
	scratch_exec(s, "PRAGMA cache_size = 5");
	scratch_exec(s, "UPDATE task SET comm = 'changed'");
	if (store_run_begin(s, &info, &sink, &err))
		_exit(1);
	scratch_exec(s, "UPDATE task SET comm = 'changed'");
	for (int i = 0; i < 20000; i++) {
		struct span sp = { 1, 0, i, i + 1, -1, -1, 0, 0 };

		if (sink.span(sink.ctx, &sp, &err))
			_exit(1);
	}
	kill(getpid(), SIGKILL);
}

static void test_killed(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };
	int status;
	pid_t pid;

	put_all(y->s);
	scratch_reopen(y, STORE_READ);
	store_close(y->s);
	y->s = NULL;
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		die_writing(scratch_path(y));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(folder_count(y->folder), 2);	/* with its journal */
	OK(store_open(&y->s, scratch_path(y), STORE_READ, &err));
	assert_int_equal(folder_count(y->folder), 1);
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM span"),
			    "2000");
	assert_string_equal(scratch_ask(y->s, "SELECT max(id) FROM run"), "0");
	assert_string_equal(scratch_ask(y->s, "SELECT count(*) FROM task WHERE "
		"comm = 'changed'"), "30");	/* the first, committed one */
	assert_int_equal(read_all(scratch_path(y)).code, 0);
}

/* In a child, since it changes limits and mounts: returns what fn returns. */
static int in_child(int (*fn)(const char *folder), const char *folder)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(fn(folder));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int fill_up(struct store *s, struct err *err)
{
	struct event ev = { .kind = EVENT_EXIT };

	if (store_begin(s, err))
		return err->code;
	for (ev.ts = 1; ev.ts < 1000000; ev.ts++)
		if (store_put_event(s, &ev, err))
			return err->code;
	return store_end(s, err);
}

static int check_full(const struct err *err, const char *path, int error)
{
	if (err->code == ERR_IO && strstr(err->text, path) &&
	    strstr(err->text, strerror(error)))
		return 0;
	dprintf(2, "%d %s\n", err->code, err->text);
	return 1;
}

/* Creating, then writing a run into a complete file. */
static int fill_file(const char *folder, int error)
{
	const char *path = folder_path(folder, "full.hn");
	struct err err = { 0 };
	struct run_info info = { .id = 1 };
	struct run_sink sink;
	struct store *s;

	if (store_create(&s, path, false, &err))
		return check_full(&err, path, error);
	fill_up(s, &err);
	store_close(s);
	if (check_full(&err, path, error) || folder_count(folder) > 0)
		return 1;
	err.code = 0;
	if (store_create(&s, path, false, &err) || store_commit(s, &err) ||
	    store_run_begin(s, &info, &sink, &err))
		return 2;
	for (int i = 0; i < 2000000 && !err.code; i++) {
		struct span sp = { 1, 0, i, i + 1, -1, -1, 0, 0 };

		sink.span(sink.ctx, &sp, &err);
	}
	store_close(s);
	if (check_full(&err, path, error))
		return 1;
	err.code = 0;
	if (store_open(&s, path, STORE_READ, &err))
		return 3;
	store_close(s);
	return 0;
}

static int fill_limited(const char *folder)
{
	struct rlimit limit = { 2 << 20, 2 << 20 };

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return 9;
	return fill_file(folder, EFBIG);
}

static void test_file_size_limit(void **state)
{
	struct scratch *y = *state;

	store_close(y->s);
	y->s = NULL;
	assert_int_equal(in_child(fill_limited, y->folder), 0);
}

static int fill_tmpfs(const char *folder)
{
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", folder, "tmpfs", 0, "size=2m"))
		return 77;
	return fill_file(folder, ENOSPC);
}

static void test_disk_full(void **state)
{
	struct scratch *y = *state;
	int rc;

	store_close(y->s);
	y->s = NULL;
	rc = in_child(fill_tmpfs, y->folder);
	if (rc == 77)
		skip();		/* needs root for a small tmpfs */
	assert_int_equal(rc, 0);
}

static int read_only_media(const char *folder)
{
	const char *path = folder_path(folder, "x.hn");
	struct err err = { 0 };
	struct store *s;

	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount(folder, folder, "none", MS_BIND, NULL) ||
	    mount(folder, folder, "none", MS_REMOUNT | MS_BIND | MS_RDONLY,
		  NULL))
		return 77;
	if (store_open(&s, path, STORE_WRITE, &err) != ERR_IO ||
	    !strstr(err.text, "cannot write"))
		return 1;
	err.code = 0;
	if (store_open(&s, path, STORE_READ, &err))
		return 2;
	store_close(s);
	if (store_create(&s, folder_path(folder, "z"), false, &err) !=
	    ERR_IO || !strstr(err.text, "Read-only file system"))
		return 3;
	return read_all(path).code ? 4 : 0;
}

static void test_read_only_media(void **state)
{
	struct scratch *y = *state;
	int rc;

	put_all(y->s);
	scratch_reopen(y, STORE_READ);
	store_close(y->s);
	y->s = NULL;
	rc = in_child(read_only_media, y->folder);
	if (rc == 77)
		skip();		/* needs root for a bind mount */
	assert_int_equal(rc, 0);
	/* A WAL file there can only be read as it lies. */
	struct err err = { 0 };
	OK(store_open(&y->s, scratch_path(y), STORE_WRITE, &err));
	scratch_exec(y->s, "PRAGMA journal_mode = WAL");
	store_close(y->s);
	y->s = NULL;
	assert_int_equal(in_child(read_only_media, y->folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(test_commit),
		SCRATCH_TEST(test_abort),
		SCRATCH_TEST(test_exists),
		SCRATCH_TEST(test_cannot_create),
		SCRATCH_TEST(test_strange_names),
		SCRATCH_TEST(test_no_permission),
		SCRATCH_TEST(test_not_ours),
		SCRATCH_TEST(test_foreign_database),
		SCRATCH_TEST(test_newer),
		SCRATCH_TEST(test_upgrade),
		SCRATCH_TEST(test_upgrade_latency),
		SCRATCH_TEST(test_latency_damage),
		SCRATCH_TEST(test_upgrade_fails),
		SCRATCH_TEST(test_flipped_bytes),
		SCRATCH_TEST(test_cut),
		SCRATCH_TEST(test_circle),
		SCRATCH_TEST(test_lies),
		SCRATCH_TEST(test_killed),
		SCRATCH_TEST(test_file_size_limit),
		SCRATCH_TEST(test_disk_full),
		SCRATCH_TEST(test_read_only_media),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Runs and demand through the file and back. */
#include "tests/support/scratch.h"

#include "model/err.h"
#include "schema/stmt_local.h"
#include "tests/support/folder.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* -- runs ----------------------------------------------------------------- */

struct rng {
	uint64_t x;
};

static int below(struct rng *r, int n)
{
	r->x ^= r->x << 13;
	r->x ^= r->x >> 7;
	r->x ^= r->x << 17;
	return (int)(r->x % (uint64_t)n);
}

/* The n-th span of a made-up run: ends grow, the length is up to 5000 ns, every
 * 1500th is long. */
static struct span nth_span(int run, int n)
{
	struct rng r = { (uint64_t)(run * 100000 + n) * 2654435761u + 1 };
	struct span sp = {
		.task = below(&r, 50),
		.cpu = below(&r, 300) - 1,
		.end_ns = 1000000 + 100 * (int64_t)n,
		.ready_ns = -1,
		.waker = TASK_NONE,
		.state = (uint8_t)below(&r, STATE_OTHER + 1),
		.flags = (uint8_t)below(&r, 16),
	};

	sp.start_ns = sp.end_ns - below(&r, 5000);
	if (n % 1500 == 1499)
		sp.start_ns = sp.end_ns - 100000;
	if (below(&r, 2)) {
		sp.ready_ns = sp.start_ns - below(&r, 1000000);
		sp.waker = below(&r, 50);
	}
	return sp;
}

static void assert_span(const struct span *a, const struct span *b)
{
	assert_true(a->task == b->task && a->cpu == b->cpu);
	assert_true(a->start_ns == b->start_ns && a->end_ns == b->end_ns);
	assert_true(a->ready_ns == b->ready_ns && a->waker == b->waker);
	assert_true(a->state == b->state && a->flags == b->flags);
}

static void put_run(struct store *s, int id, int nr_spans)
{
	struct run_info info = {
		.id = id, .policy = (char *)"o1", .seed = UINT64_MAX,
		.knobs = (char *)"{\"a\":1}", .cost = (char *)"{}",
		.discipline = (char *)"queue_o1", .engine = 7,
		.topology = (char *)"node 0 1 0\n",
		.start_ns = 5, .end_ns = 6,
	};
	struct mem_change m = { 1000, 1, 3, 77 };
	struct mem_access a = { 49, 1, 5000000000 };
	struct move v = { 2000, 3, 0, 299, MOVE_PUSH, 1 };
	struct err err = { 0 };
	struct run_sink sink;

	OK(store_run_begin(s, &info, &sink, &err));
	for (int n = 0; n < nr_spans; n++) {
		struct span sp = nth_span(info.id, n);

		OK(sink.span(sink.ctx, &sp, &err));
	}
	OK(sink.mem(sink.ctx, &m, &err));
	m.pages = 0;
	OK(sink.mem(sink.ctx, &m, &err));
	OK(sink.access(sink.ctx, &a, &err));
	OK(sink.move(sink.ctx, &v, &err));
	v.why = MOVE_RECORDED;
	v.refused = 0;
	v.from = -1;
	OK(sink.move(sink.ctx, &v, &err));
	OK(sink.count(sink.ctx, "migrations", 17, &err));
	OK(sink.count(sink.ctx, "migrations", 1, &err));
	OK(store_run_end(s, &info, &err));
}

static void check_window(struct store *s, int run, int nr, int64_t from,
			 int64_t to)
{
	struct store_spans *it;
	struct err err = { 0 };
	struct span sp;

	OK(store_spans_open(s, run, from, to, &it, &err));
	for (int n = 0; n < nr; n++) {
		struct span want = nth_span(run, n);

		if (want.end_ns <= from || want.start_ns >= to)
			continue;
		assert_int_equal(store_spans_next(it, &sp, &err), 1);
		assert_span(&want, &sp);
	}
	assert_int_equal(store_spans_next(it, &sp, &err), 0);
	store_spans_close(it);
}

static void check_spans(struct store *s, int run, int nr)
{
	int64_t end = 1000000 + 100 * (int64_t)nr;

	check_window(s, run, nr, INT64_MIN, INT64_MAX);
	check_window(s, run, nr, 0, 10);
	check_window(s, run, nr, 1000000, 1000001);
	check_window(s, run, nr, 1100000, 1100100);
	check_window(s, run, nr, end - 150000, end - 149000);
	check_window(s, run, nr, end, INT64_MAX);
}

static int count_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	int *n = ctx;

	assert_true(m->ts == 1000 && m->area == 1 && m->node == 3);
	assert_int_equal(m->pages, (*n)++ ? 0 : 77);
	return 0;
}

static int count_access(void *ctx, const struct mem_access *a,
			struct err *err)
{
	int *n = ctx;

	assert_true(a->task == 49 && a->area == 1 && a->faults == 5000000000);
	(*n)++;
	return 0;
}

static int count_move(void *ctx, const struct move *m, struct err *err)
{
	int *n = ctx;

	assert_true(m->ts == 2000 && m->task == 3 && m->to == 299);
	if ((*n)++)
		assert_true(m->why == MOVE_RECORDED && !m->refused &&
			    m->from == -1);
	else
		assert_true(m->why == MOVE_PUSH && m->refused && m->from == 0);
	return 0;
}

static int stop_move(void *ctx, const struct move *m, struct err *err)
{
	return err_set(err, ERR_STOPPED, "enough");
}

static void check_run(struct store *s, int run, int nr_spans)
{
	int mems = 0, accesses = 0, moves = 0;
	struct err err = { 0 };
	int64_t count;

	check_spans(s, run, nr_spans);
	OK(store_each_mem(s, run, count_mem, &mems, &err));
	OK(store_each_access(s, run, count_access, &accesses, &err));
	OK(store_each_move(s, run, count_move, &moves, &err));
	assert_true(mems == 2 && accesses == 1 && moves == 2);
	OK(store_get_count(s, run, "migrations", &count, &err));
	assert_int_equal(count, 18);
	OK(store_get_count(s, run, "refused", &count, &err));
	assert_int_equal(count, 0);
	assert_int_equal(store_each_move(s, run, stop_move, NULL, &err),
			 ERR_STOPPED);
}

static void assert_runs(struct store *s, const char *ids)
{
	struct run_info *runs;
	struct err err = { 0 };
	char got[100] = "";
	int nr;

	OK(store_get_runs(s, &runs, &nr, &err));
	for (int i = 0; i < nr; i++) {
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%d ",
			 runs[i].id);
		assert_string_equal(runs[i].policy, "o1");
		assert_string_equal(runs[i].knobs, "{\"a\":1}");
		assert_string_equal(runs[i].cost, "{}");
		assert_string_equal(runs[i].discipline, "queue_o1");
		assert_null(runs[i].fidelity);
		assert_int_equal(runs[i].engine, 7);
		assert_string_equal(runs[i].topology, "node 0 1 0\n");
		assert_true(runs[i].seed == UINT64_MAX);
		assert_true(runs[i].start_ns == 5 && runs[i].end_ns == 6);
		run_info_release(&runs[i]);
	}
	free(runs);
	assert_string_equal(got, ids);
}

static void test_runs(void **state)
{
	struct run_info again = { .id = 1 };
	struct scratch *y = *state;
	struct run_sink sink;
	struct err err = { 0 };

	scratch_world(y->s, 50, 2);
	put_run(y->s, 0, 5000);
	put_run(y->s, -1, 1024);	/* becomes 1 */
	scratch_reopen(y, STORE_WRITE);
	put_run(y->s, -1, 1025);
	put_run(y->s, -1, 0);
	assert_runs(y->s, "0 1 2 3 ");
	check_run(y->s, 0, 5000);
	check_run(y->s, 1, 1024);
	check_run(y->s, 2, 1025);
	check_run(y->s, 3, 0);
	assert_int_equal(store_run_begin(y->s, &again, &sink, &err),
			 ERR_EXISTS);
	err.code = 0;
	OK(store_run_drop(y->s, 1, &err));
	assert_int_equal(store_run_drop(y->s, 1, &err), ERR_NOTFOUND);
	err.code = 0;
	put_run(y->s, 1, 3);
	check_run(y->s, 1, 3);
	check_run(y->s, 0, 5000);
	check_run(y->s, 2, 1025);
	OK(store_drop_derived(y->s, &err));
	assert_runs(y->s, "");
}

/* Two runs written at the same time, one of them given up. */
static void test_runs_side_by_side(void **state)
{
	struct run_info a = { .id = -1, .policy = (char *)"a" }, b = a;
	struct scratch *y = *state;
	struct run_info *runs;
	struct run_sink sa, sb;
	struct err err = { 0 };
	struct span sp;
	int nr;

	scratch_world(y->s, 50, 0);
	scratch_reopen(y, STORE_WRITE);
	OK(store_run_begin(y->s, &a, &sa, &err));
	OK(store_run_begin(y->s, &b, &sb, &err));
	assert_true(a.id == 1 && b.id == 2);
	for (int n = 0; n < 3000; n++) {
		sp = nth_span(1, n);
		OK(sa.span(sa.ctx, &sp, &err));
		sp = nth_span(2, n);
		OK(sb.span(sb.ctx, &sp, &err));
	}
	OK(store_run_drop(y->s, 1, &err));
	OK(store_run_end(y->s, &b, &err));
	check_spans(y->s, 2, 3000);
	check_spans(y->s, 1, 0);
	OK(store_get_runs(y->s, &runs, &nr, &err));
	assert_int_equal(nr, 1);
	assert_int_equal(runs[0].id, 2);
	assert_string_equal(runs[0].knobs, "{}");
	run_info_release(&runs[0]);
	free(runs);
}

/* Times as far apart as they come survive, and so do strange fields. */
static void test_extreme_spans(void **state)
{
	static const struct span in[] = {
		{ 0, -1, INT64_MIN, INT64_MIN + 1, INT64_MAX, 0, 0, 0 },
		{ 1, 65535, INT64_MIN, INT64_MAX, 0, TASK_NONE, 7, 31 },
		{ 0, 0, 5, 5, INT64_MIN, 1, 1, 1 },
	};
	struct run_info info = { .id = 0 };
	struct event ev = { .ts = 123456789, .kind = EVENT_FORK };
	struct scratch *y = *state;
	struct store_spans *it;
	struct run_sink sink;
	struct err err = { 0 };
	struct span sp;
	int seen = 0;

	scratch_world(y->s, 2, 0);
	OK(store_put_event(y->s, &ev, &err));
	OK(store_run_begin(y->s, &info, &sink, &err));
	for (int i = 0; i < 3; i++)
		OK(sink.span(sink.ctx, &in[i], &err));
	OK(store_run_end(y->s, &info, &err));
	scratch_reopen(y, STORE_READ);
	OK(store_spans_open(y->s, 0, INT64_MIN, INT64_MAX, &it, &err));
	while (store_spans_next(it, &sp, &err) > 0) {
		int i = sp.cpu == -1 ? 0 : sp.cpu ? 1 : 2;

		assert_span(&in[i], &sp);
		seen |= 1 << i;
	}
	assert_int_equal(err.code, 0);
	assert_int_equal(seen, 7);
	store_spans_close(it);
}

/* A file opened for reading takes what is derived into a private database:
 * the file stays as it is, byte for byte. */
static void test_derive_while_reading(void **state)
{
	struct demand_task dt = { .task = 7, .appears_ns = 5, .first_cpu = 2 };
	struct scratch *y = *state;
	struct demand_task *tasks;
	struct demand_source src;
	struct demand_sink sink;
	const uint8_t *bytes;
	uint8_t *before, *after;
	struct err err = { 0 };
	char *value;
	size_t n, m, len;
	int nr;

	scratch_world(y->s, 50, 2);
	put_run(y->s, 3, 100);
	OK(store_put_derived(y->s, "version", "old", &err));
	OK(store_put_derived(y->s, "kept", "yes", &err));
	scratch_reopen(y, STORE_READ);
	before = file_read(scratch_path(y), &n);
	OK(store_begin(y->s, &err));
	put_run(y->s, 0, 2000);
	OK(store_put_derived(y->s, "version", "new", &err));
	OK(store_put_demand_task(y->s, &dt, &err));
	store_demand_sink(y->s, &sink);
	OK(sink.chunk(sink.ctx, 7, 0, (const uint8_t *)"abc", 3, &err));
	OK(store_end(y->s, &err));
	put_run(y->s, -1, 10);		/* becomes 4 */
	assert_runs(y->s, "0 3 4 ");
	check_run(y->s, 0, 2000);
	check_run(y->s, 3, 100);
	check_run(y->s, 4, 10);
	OK(store_run_drop(y->s, 4, &err));
	assert_runs(y->s, "0 3 ");
	OK(store_get_derived(y->s, "version", &value, &err));
	assert_string_equal(value, "new");
	free(value);
	OK(store_get_derived(y->s, "kept", &value, &err));
	assert_string_equal(value, "yes");
	free(value);
	OK(store_get_demand_tasks(y->s, &tasks, &nr, &err));
	assert_true(nr == 1 && tasks[0].task == 7 && tasks[0].first_cpu == 2);
	free(tasks);
	store_demand_source(y->s, &src);
	assert_int_equal(src.chunk(src.ctx, 7, 0, &bytes, &len, &err), 1);
	assert_true(len == 3 && !memcmp(bytes, "abc", 3));
	assert_int_equal(store_drop_derived(y->s, &err), ERR_USAGE);
	store_close(y->s);
	y->s = NULL;
	after = file_read(scratch_path(y), &m);
	assert_true(n == m && !memcmp(before, after, n));
	assert_int_equal(folder_count(y->folder), 1);
	free(before);
	free(after);
}

/* -- demand --------------------------------------------------------------- */

static void fill_chunk(uint8_t *buf, int task, int n)
{
	for (int i = 0; i < DEMAND_CHUNK; i++)
		buf[i] = (uint8_t)(task * 31 + n * 7 + i);
}

static size_t chunk_length(int task, int n)
{
	return (size_t)(n == 4 ? 1 + task : DEMAND_CHUNK);
}

static void put_demand(struct store *s, int nr_tasks)
{
	uint8_t buf[DEMAND_CHUNK];
	struct demand_sink sink;
	struct err err = { 0 };

	OK(store_begin(s, &err));
	store_demand_sink(s, &sink);
	for (int t = 0; t < nr_tasks; t++) {
		struct demand_task dt = { .task = t, .appears_ns = t * 1000,
					  .forked = t & 1, .first_cpu = t - 1 };

		OK(store_put_demand_task(s, &dt, &err));
	}
	for (int n = 0; n < 5; n++) {
		for (int t = 0; t < nr_tasks; t++) {
			fill_chunk(buf, t, n);
			OK(sink.chunk(sink.ctx, t, n, buf, chunk_length(t, n),
				      &err));
		}
	}
	OK(store_end(s, &err));
}

static int read_demand(struct store *s, int nr_tasks)
{
	uint8_t want[DEMAND_CHUNK];
	struct demand_source src;
	struct err err = { 0 };
	const uint8_t *bytes, *first;
	int bad = 0;
	size_t len;

	store_demand_source(s, &src);
	for (int n = 0; n < 5; n++) {
		bad += src.chunk(src.ctx, 0, n, &first, &len, &err) != 1;
		for (int t = 1; t < nr_tasks; t++) {
			bad += src.chunk(src.ctx, t, n, &bytes, &len,
					 &err) != 1;
			fill_chunk(want, t, n);
			bad += len != chunk_length(t, n) ||
			       memcmp(bytes, want, len);
		}
		/* The first task's bytes are still there. */
		fill_chunk(want, 0, n);
		bad += memcmp(first, want, chunk_length(0, n)) != 0;
	}
	bad += src.chunk(src.ctx, 3, 5, &bytes, &len, &err) != 0;
	bad += src.chunk(src.ctx, 999, 0, &bytes, &len, &err) != 0;
	store_demand_source_close(s, &src);
	return bad + err.code;
}

static void test_demand(void **state)
{
	struct scratch *y = *state;
	struct demand_task *t;
	struct err err = { 0 };
	int nr;

	scratch_world(y->s, 40, 0);
	put_demand(y->s, 40);
	scratch_reopen(y, STORE_READ);
	OK(store_get_demand_tasks(y->s, &t, &nr, &err));
	assert_int_equal(nr, 40);
	for (int i = 0; i < nr; i++)
		assert_true(t[i].task == i && t[i].appears_ns == i * 1000 &&
			    t[i].forked == (i & 1) && t[i].first_cpu == i - 1);
	free(t);
	assert_int_equal(read_demand(y->s, 40), 0);
}

static void *read_in_thread(void *ctx)
{
	int bad = 0;

	for (int i = 0; i < 20; i++)
		bad += read_demand(ctx, 40);
	return bad ? ctx : NULL;
}

/* Replays read demand in threads while the store's own thread writes a run. */
static void test_demand_in_threads(void **state)
{
	struct scratch *y = *state;
	pthread_t thread[2];
	void *bad;

	scratch_world(y->s, 50, 2);
	put_demand(y->s, 40);
	scratch_reopen(y, STORE_WRITE);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL,
						read_in_thread, y->s), 0);
	put_run(y->s, 1, 20000);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], &bad);
		assert_null(bad);
	}
	check_run(y->s, 1, 20000);
}

static void test_derived_values(void **state)
{
	struct scratch *y = *state;
	struct err err = { 0 };
	char *value;

	OK(store_get_derived(y->s, "cost", &value, &err));
	assert_null(value);
	OK(store_put_derived(y->s, "cost", "{}", &err));
	OK(store_put_derived(y->s, "cost", "{\"flat\":1}", &err));
	scratch_reopen(y, STORE_WRITE);
	OK(store_get_derived(y->s, "cost", &value, &err));
	assert_string_equal(value, "{\"flat\":1}");
	free(value);
	OK(store_drop_derived(y->s, &err));
	OK(store_get_derived(y->s, "cost", &value, &err));
	assert_null(value);
}

#ifdef HOMENODE_DEBUG
static void count_warning(void *ctx, const char *text)
{
	int *n = ctx;

	(*n)++;
	print_message("%s\n", text);
}

/* Debug builds tell of statements that read more than they should: there are
 * none among ours. */
static void test_no_warnings(void **state)
{
	struct scratch *y = *state;
	struct capture c = { .start_ns = 1 };
	struct err err = { 0 };
	int warnings = 0;

	store_on_warning(y->s, count_warning, &warnings);
	scratch_world(y->s, 50, 2);
	put_demand(y->s, 40);
	put_run(y->s, 0, 5000);
	OK(store_put_capture(y->s, &c, &err));
	check_run(y->s, 0, 5000);
	OK(store_run_drop(y->s, 0, &err));
	assert_int_equal(read_demand(y->s, 40), 0);
	assert_int_equal(warnings, 0);
}

static int warnings_of(struct store *s, const struct stmt_def *def)
{
	struct err err = { 0 };
	struct stmt *st;
	int warnings = 0;

	store_on_warning(s, count_warning, &warnings);
	OK(stmt_begin(s, PLACE_MAIN, def, &st, &err));
	OK(stmt_run(st, &err));
	stmt_end(st);
	store_on_warning(s, NULL, NULL);
	return warnings;
}

static void test_warnings(void **state)
{
	static const struct stmt_def defs[] = {
		{ "SELECT id FROM task WHERE tid = 101", 0 },
		{ "SELECT id FROM task WHERE nice = 5", 0 },
		{ "SELECT id FROM task WHERE nice = 5", STMT_SCAN },
		{ "SELECT id FROM task WHERE id > 3 ORDER BY pid", 0 },
		{ "SELECT 1 FROM task a, task b WHERE a.pid = b.pid",
		  STMT_SCAN },
	};
	static const int want[] = { 0, 1, 0, 1, 1 };
	struct scratch *y = *state;

	scratch_world(y->s, 50, 2);
	for (int i = 0; i < 5; i++)
		assert_int_equal(warnings_of(y->s, &defs[i]), want[i]);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(test_runs),
		SCRATCH_TEST(test_runs_side_by_side),
		SCRATCH_TEST(test_extreme_spans),
		SCRATCH_TEST(test_derive_while_reading),
		SCRATCH_TEST(test_demand),
		SCRATCH_TEST(test_demand_in_threads),
		SCRATCH_TEST(test_derived_values),
#ifdef HOMENODE_DEBUG
		SCRATCH_TEST(test_no_warnings),
		SCRATCH_TEST(test_warnings),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

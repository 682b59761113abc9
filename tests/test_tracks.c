/* SPDX-License-Identifier: MIT */
/* Tracks against integrals by hand and by brute force; kept, restored, damaged. */
#include "model/grid.h"
#include "model/err.h"
#include "model/pages.h"
#include "model/task.h"
#include "model/tracks.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Nodes 0 and 8 (a hole between), CPUs 0,1 on 0 and 2,3 on 8. */
static void two_nodes(struct topo *t)
{
	struct err err = { 0 };
	int cpu;

	*t = (struct topo){ 0 };
	assert_int_equal(topo_add_node(t, 0, &err), 0);
	assert_int_equal(topo_add_node(t, 8, &err), 0);
	for (cpu = 0; cpu < 4; cpu++)
		assert_int_equal(topo_add_cpu(t, cpu, cpu < 2 ? 0 : 8, &err),
				 0);
	assert_int_equal(topo_finish(t, &err), 0);
}

static struct span span_of(int task, int cpu, int64_t start, int64_t end)
{
	return (struct span){ .task = task, .cpu = cpu, .start_ns = start,
			      .end_ns = end, .ready_ns = -1,
			      .waker = TASK_NONE };
}

static struct tracks *plain_tracks(const struct topo *topo, int nr_tasks)
{
	struct tracks_source source = { .topo = topo, .nr_tasks = nr_tasks };
	struct err err = { 0 };

	return tracks_new(&source, &err);
}

static void test_tracks_by_hand(void **state)
{
	struct err err = { 0 };
	struct track_total total;
	struct tracks *t;
	struct topo topo;
	struct span s;
	struct grid g;

	two_nodes(&topo);
	t = plain_tracks(&topo, 2);
	assert_non_null(t);
	assert_int_equal(tracks_nr_nodes(t), 2);
	assert_int_equal(tracks_place(t, 8), 1);
	assert_int_equal(tracks_place(t, 1), -1);
	assert_int_equal(tracks_place(t, 9), -1);
	assert_int_equal(tracks_node(t, 1), 8);

	s = span_of(0, 0, 0, 4);	/* node 0 */
	assert_int_equal(tracks_span(t, &s, &err), 0);
	s = span_of(1, 1, 2, 6);	/* node 0, waited 1..2 */
	s.ready_ns = 1;
	assert_int_equal(tracks_span(t, &s, &err), 0);
	s = span_of(0, 2, 6, 11);	/* node 8: a node move at 6 */
	s.ready_ns = 4;
	s.flags = SPAN_F_UNSURE;
	assert_int_equal(tracks_span(t, &s, &err), 0);
	tracks_seal(t);

	/* Buckets 0-3, 3-6, 6-9, 9-12. */
	assert_int_equal(grid_init(&g, 0, 12, 4, 3, 2, &err), 0);
	tracks_fill(t, TRACK_TASK, 0, &g, 0);
	tracks_fill(t, TRACK_TASK, 1, &g, 1);
	tracks_fill(t, TRACK_CPU, 2, &g, 2);
	assert_int_equal(grid_nodes(&g, 0, 0)[0], 3);
	assert_int_equal(grid_nodes(&g, 0, 1)[0], 1);
	assert_int_equal(grid_nodes(&g, 0, 2)[1], 3);
	assert_int_equal(grid_nodes(&g, 0, 3)[1], 2);
	assert_int_equal(grid_at(&g, 0, 1)->ns[GRID_WAIT], 2);
	assert_int_equal(grid_at(&g, 0, 2)->node_moves, 1);
	assert_int_equal(grid_at(&g, 0, 3)->ns[GRID_UNSURE], 2);
	assert_int_equal(grid_at(&g, 1, 0)->ns[GRID_RUN], 1);
	assert_int_equal(grid_at(&g, 1, 0)->ns[GRID_WAIT], 1);
	assert_int_equal(grid_at(&g, 1, 1)->ns[GRID_RUN], 3);
	assert_int_equal(grid_nodes(&g, 2, 2)[1], 3);
	assert_int_equal(grid_at(&g, 2, 1)->ns[GRID_WAIT], 2);
	assert_int_equal(grid_at(&g, 2, 2)->node_moves, 0);
	grid_release(&g);

	tracks_total(t, TRACK_TASK, 0, &total);
	assert_int_equal(total.run_ns, 9);
	assert_int_equal(total.wait_ns, 2);
	assert_int_equal(total.node_ns[0], 4);
	assert_int_equal(total.node_ns[1], 5);
	assert_int_equal(total.node_moves, 1);
	assert_int_equal(total.nr_spans, 2);
	assert_int_equal(total.first_ns, 0);
	assert_int_equal(total.last_ns, 11);
	tracks_total(t, TRACK_TASK, 77, &total);
	assert_null(total.node_ns);

	assert_int_equal(tracks_find(t, TRACK_TASK, 0, 3), 0);
	assert_int_equal(tracks_find(t, TRACK_TASK, 0, 4), 1);
	assert_int_equal(tracks_find(t, TRACK_TASK, 0, 11), 2);
	tracks_get(t, TRACK_CPU, 2, 0, &s);
	assert_int_equal(s.task, 0);
	assert_int_equal(s.start_ns, 6);
	assert_int_equal(s.ready_ns, 4);
	tracks_free(t);
	topo_release(&topo);
}

static void test_tracks_refuse(void **state)
{
	struct err err = { 0 };
	struct tracks *t;
	struct topo topo;
	struct span s;

	two_nodes(&topo);
	t = plain_tracks(&topo, 2);
	s = span_of(2, 0, 0, 1);
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(-1, 0, 0, 1);
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(0, 4, 0, 1);
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(0, 0, 5, 4);
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(0, 0, 5, 9);
	assert_int_equal(tracks_span(t, &s, &err), 0);
	s = span_of(0, 1, 8, 10);	/* the task is still running */
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	s = span_of(1, 0, 8, 10);	/* the CPU is still busy */
	assert_int_equal(tracks_span(t, &s, &err), ERR_FORMAT);
	tracks_free(t);
	topo_release(&topo);
}

#define NR_TASKS 5
#define NR_SPANS 20000

/* A schedule of four CPUs made by a small generator, in order of end. */
struct made {
	struct span span[NR_SPANS];
	int nr;
	int64_t end_ns;
};

static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525u + 1013904223u;
	return *x >> 8;
}

static void make_schedule(struct made *m, uint32_t seed)
{
	int64_t cpu_free[4] = { 0 }, task_free[NR_TASKS] = { 0 };
	int64_t now = 0;

	m->nr = 0;
	while (m->nr < NR_SPANS) {
		int task = next_random(&seed) % NR_TASKS;
		int cpu = next_random(&seed) % 4;
		struct span *s = &m->span[m->nr++];
		int64_t ready;

		/* Ends never go back, as in a run. */
		*s = span_of(task, cpu, 0, 0);
		s->start_ns = cpu_free[cpu] > task_free[task] ?
				      cpu_free[cpu] : task_free[task];
		if (s->start_ns < now - 50)
			s->start_ns = now - 50;
		s->start_ns += next_random(&seed) % 7;
		s->end_ns = s->start_ns + next_random(&seed) % 90;
		if (s->end_ns < now)
			s->end_ns = now;
		ready = s->start_ns - next_random(&seed) % 40;
		if (ready < task_free[task])
			ready = task_free[task];
		s->ready_ns = next_random(&seed) % 4 ? ready : -1;
		if (next_random(&seed) % 16 == 0)
			s->flags = SPAN_F_CENSORED_END;
		now = cpu_free[cpu] = task_free[task] = s->end_ns;
	}
	m->end_ns = now;
}

static int64_t overlap(int64_t a, int64_t b, int64_t from, int64_t to)
{
	int64_t lo = a > from ? a : from, hi = b < to ? b : to;

	return lo < hi ? hi - lo : 0;
}

/* One cell of a row by brute force over all spans, of a CPU those of some
 * tasks. */
static void brute(const struct made *m, enum track_kind kind, int number,
		  const bool *only, int64_t from, int64_t to,
		  struct grid_cell *c, int64_t *node_ns)
{
	int last[NR_TASKS], i;

	*c = (struct grid_cell){ 0 };
	node_ns[0] = node_ns[1] = 0;
	for (i = 0; i < NR_TASKS; i++)
		last[i] = -1;
	for (i = 0; i < m->nr; i++) {
		const struct span *s = &m->span[i];
		int node = s->cpu / 2;
		int64_t ns = overlap(s->start_ns, s->end_ns, from, to);
		int before = last[s->task];

		last[s->task] = node;
		if ((kind == TRACK_TASK ? s->task : s->cpu) != number ||
		    (only && !only[s->task]))
			continue;
		c->ns[GRID_RUN] += ns;
		node_ns[node] += ns;
		if (s->flags)
			c->ns[GRID_CENSORED] += ns;
		if (s->ready_ns >= 0)
			c->ns[GRID_WAIT] += overlap(s->ready_ns, s->start_ns,
						    from, to);
		if (s->start_ns < from || s->start_ns >= to)
			continue;
		c->spans++;
		c->node_moves += kind == TRACK_TASK && before >= 0 &&
				 before != node;
	}
}

/* Tasks, CPUs, and what every third task ran on the CPUs. */
static void compare_window(const struct made *m, const struct tracks *t,
			   int64_t from, int64_t to, int cols)
{
	bool third[NR_TASKS];
	struct err err = { 0 };
	struct grid g;
	int row, col;

	for (row = 0; row < NR_TASKS; row++)
		third[row] = row % 3 == 0;
	assert_int_equal(grid_init(&g, from, to, cols, NR_TASKS + 8, 2, &err),
			 0);
	for (row = 0; row < NR_TASKS + 8; row++) {
		enum track_kind kind = row < NR_TASKS ? TRACK_TASK : TRACK_CPU;
		int number = row < NR_TASKS ? row : (row - NR_TASKS) % 4;
		const bool *only = row < NR_TASKS + 4 ? NULL : third;

		if (only)
			tracks_fill_cpu(t, number, only, &g, row);
		else
			tracks_fill(t, kind, number, &g, row);
		for (col = 0; col < cols; col++) {
			struct grid_cell want;
			int64_t nodes[2];

			brute(m, kind, number, only, g.edge[col],
			      g.edge[col + 1], &want, nodes);
			assert_memory_equal(grid_at(&g, row, col), &want,
					    sizeof(want));
			assert_memory_equal(grid_nodes(&g, row, col), nodes,
					    sizeof(nodes));
		}
	}
	grid_release(&g);
}

static void test_tracks_against_brute_force(void **state)
{
	struct made *m = malloc(sizeof(*m));
	struct err err = { 0 };
	struct topo topo;
	struct tracks *t;
	int64_t sum = 0, run = 0;
	struct grid g;
	int i;

	two_nodes(&topo);
	make_schedule(m, 7);
	t = plain_tracks(&topo, NR_TASKS);
	for (i = 0; i < m->nr; i++) {
		assert_int_equal(tracks_span(t, &m->span[i], &err), 0);
		run += m->span[i].end_ns - m->span[i].start_ns;
	}
	tracks_seal(t);
	/* Whole blocks in few buckets; cut ones; single spans; past the end. */
	compare_window(m, t, 0, m->end_ns, 3);
	compare_window(m, t, 0, m->end_ns + 1000, 37);
	compare_window(m, t, m->end_ns / 3, m->end_ns / 2, 11);
	compare_window(m, t, m->end_ns / 2, m->end_ns / 2 + 300, 60);
	compare_window(m, t, m->end_ns / 2, m->end_ns / 2 + 5, 9);
	compare_window(m, t, m->end_ns + 5, m->end_ns + 50, 4);

	/* The sum over all tasks is the sum of the span lengths, to the ns. */
	assert_int_equal(grid_init(&g, 0, m->end_ns, 77, 1, 2, &err), 0);
	for (i = 0; i < NR_TASKS; i++)
		tracks_fill(t, TRACK_TASK, i, &g, 0);
	for (i = 0; i < 77; i++)
		sum += grid_at(&g, 0, i)->ns[GRID_RUN];
	assert_int_equal(sum, run);
	grid_release(&g);

	/* Numbered spans are those of brute force. */
	for (i = 0; i < 2000; i++) {
		int64_t at = (int64_t)i * m->end_ns / 2000;
		int64_t n = 0, got = tracks_find(t, TRACK_TASK, 2, at);
		struct span s;
		int k;

		for (k = 0; k < m->nr; k++) {
			if (m->span[k].task != 2)
				continue;
			if (m->span[k].end_ns > at)
				break;
			n++;
		}
		assert_int_equal(got, n);
		tracks_get(t, TRACK_TASK, 2, got, &s);
		assert_int_equal(s.start_ns, m->span[k].start_ns);
		assert_int_equal(s.cpu, m->span[k].cpu);
	}
	tracks_free(t);
	topo_release(&topo);
	free(m);
}

/* -- tracks that are kept elsewhere ----------------------------------------- */

#define MAX_KEPT 4000

/* A store and heads in memory. */
struct kept {
	struct {
		uint8_t *bytes;
		size_t len;
	} node[MAX_KEPT];
	int nr, gets;
	struct {
		enum track_kind kind;
		int number;
		uint8_t bytes[400];
		size_t len;
	} head[NR_TASKS + 4];
	int nr_heads;
	struct tracks_store store;
};

static int kept_put(void *ctx, int64_t id, const void *bytes, size_t len,
		    struct err *err)
{
	struct kept *k = ctx;

	assert_int_equal(id, k->nr);
	assert_true(k->nr < MAX_KEPT);
	k->node[k->nr].bytes = malloc(len + 1);
	memcpy(k->node[k->nr].bytes, bytes, len);
	k->node[k->nr++].len = len;
	return 0;
}

static int kept_get(void *ctx, int64_t id,
		    int (*take)(void *ctx, const void *bytes, size_t len),
		    void *take_ctx, struct err *err)
{
	struct kept *k = ctx;

	k->gets++;
	if (id < 0 || id >= k->nr)
		return ERR_FORMAT;
	return take(take_ctx, k->node[id].bytes, k->node[id].len);
}

static int kept_head(void *ctx, enum track_kind kind, int number,
		     const void *head, size_t len, struct err *err)
{
	struct kept *k = ctx;

	assert_true(len <= sizeof(k->head[0].bytes));
	k->head[k->nr_heads].kind = kind;
	k->head[k->nr_heads].number = number;
	memcpy(k->head[k->nr_heads].bytes, head, len);
	k->head[k->nr_heads++].len = len;
	return 0;
}

static struct tracks *kept_tracks(struct kept *k, const struct topo *topo)
{
	struct tracks_source source = { .topo = topo, .nr_tasks = NR_TASKS,
					.store = &k->store };
	struct err err = { 0 };

	k->store = (struct tracks_store){ k, kept_put, kept_get };
	return tracks_new(&source, &err);
}

static struct tracks *restored(struct kept *k, const struct topo *topo,
			       struct err *err)
{
	struct tracks *t = kept_tracks(k, topo);
	int i;

	for (i = 0; i < k->nr_heads && !err->code; i++)
		tracks_restore(t, k->head[i].kind, k->head[i].number,
			       k->head[i].bytes, k->head[i].len, err);
	return t;
}

static void keep_schedule(struct kept *k, const struct made *m,
			  const struct topo *topo)
{
	struct tracks *t = kept_tracks(k, topo);
	struct err err = { 0 };
	int i;

	for (i = 0; i < m->nr; i++) {
		assert_int_equal(tracks_span(t, &m->span[i], &err), 0);
		/* What is there so far is right at any moment. */
		if (i == 300 || i == 9000) {
			struct made part = { .nr = i + 1 };

			memcpy(part.span, m->span,
			       part.nr * sizeof(*part.span));
			tracks_seal(t);
			compare_window(&part, t, 0, m->span[i].end_ns + 9, 7);
		}
	}
	assert_int_equal(tracks_save(t, kept_head, k, &err), 0);
	compare_window(m, t, 5, m->end_ns, 3);
	tracks_free(t);
}

static void kept_release(struct kept *k)
{
	int i;

	for (i = 0; i < k->nr; i++)
		free(k->node[i].bytes);
	free(k);
}

/* Saved, restored: windows of all widths are still those of brute force. */
static void test_tracks_kept(void **state)
{
	struct made *m = malloc(sizeof(*m));
	struct kept *k = calloc(1, sizeof(*k));
	struct err err = { 0 };
	struct track_total total;
	struct topo topo;
	struct tracks *t;
	struct span s;
	struct grid g;
	int i;

	two_nodes(&topo);
	make_schedule(m, 11);
	keep_schedule(k, m, &topo);
	k->gets = 0;
	t = restored(k, &topo, &err);
	assert_int_equal(err.code, 0);
	/* All of the run needs nothing but the heads. */
	assert_int_equal(grid_init(&g, 0, m->end_ns + 1, 1, 1, 2, &err), 0);
	for (i = 0; i < NR_TASKS; i++)
		tracks_fill(t, TRACK_TASK, i, &g, 0);
	for (i = 0; i < 4; i++)
		tracks_fill(t, TRACK_CPU, i, &g, 0);
	assert_int_equal(k->gets, 0);
	grid_release(&g);
	compare_window(m, t, 0, m->end_ns + 1, 1);
	compare_window(m, t, 0, m->end_ns, 3);
	compare_window(m, t, 0, m->end_ns + 1000, 37);
	compare_window(m, t, m->end_ns / 3, m->end_ns / 2, 11);
	compare_window(m, t, m->end_ns / 2, m->end_ns / 2 + 300, 60);
	compare_window(m, t, m->end_ns / 2, m->end_ns / 2 + 5, 9);
	compare_window(m, t, m->end_ns + 5, m->end_ns + 50, 4);
	assert_int_equal(tracks_error(t, &err), 0);
	tracks_total(t, TRACK_TASK, 3, &total);
	tracks_get(t, TRACK_TASK, 3, total.nr_spans - 1, &s);
	assert_int_equal(s.end_ns, total.last_ns);
	tracks_get(t, TRACK_TASK, 3, 0, &s);
	assert_int_equal(s.start_ns, total.first_ns);
	tracks_free(t);
	kept_release(k);
	topo_release(&topo);
	free(m);
}

/* 508 chunks of one task, 7 groups of them and a spine. */
#define MANY 130000

static void test_tracks_levels(void **state)
{
	struct kept *k = calloc(1, sizeof(*k));
	struct err err = { 0 };
	struct topo topo;
	struct tracks *t;
	struct span s;
	struct grid g;
	int i, col;

	two_nodes(&topo);
	t = kept_tracks(k, &topo);
	/* Span i: 10 i .. 10 i + 3, on node 0, each seventh on node 8. */
	for (i = 0; i < MANY; i++) {
		s = span_of(1, i % 7 ? 0 : 2, 10 * i, 10 * i + 3);
		assert_int_equal(tracks_span(t, &s, &err), 0);
	}
	assert_int_equal(tracks_save(t, kept_head, k, &err), 0);
	tracks_free(t);
	t = restored(k, &topo, &err);
	assert_int_equal(err.code, 0);

	/* Halves, and an edge in the middle of a span: at 650,002 the span
	 * 65,000 (on node 0: 65,000 = 7 * 9,285 + 5) is cut to 2 and 1. */
	assert_int_equal(grid_init(&g, 650002 - 1300000, 650002 + 1300000, 2, 1,
				   2, &err), 0);
	tracks_fill(t, TRACK_TASK, 1, &g, 0);
	assert_int_equal(grid_at(&g, 0, 0)->ns[GRID_RUN], 65000 * 3 + 2);
	assert_int_equal(grid_at(&g, 0, 1)->ns[GRID_RUN], 65000 * 3 - 2);
	assert_int_equal(grid_at(&g, 0, 0)->spans, 65001);
	/* Spans 0, 7, .. 64,995 on node 8: 9,286 of them. */
	assert_int_equal(grid_nodes(&g, 0, 0)[1], 9286 * 3);
	/* Each of them but the first is a move there, and one back. */
	assert_int_equal(grid_at(&g, 0, 0)->node_moves, 9285 + 9286);
	/* One edge opens one node of each kind: spine, group, chunk. */
	assert_int_equal(k->gets, 3);
	grid_release(&g);

	/* A window of ten spans in 100 buckets of 1 ns. */
	assert_int_equal(grid_init(&g, 1000000, 1000100, 100, 1, 2, &err), 0);
	tracks_fill(t, TRACK_TASK, 1, &g, 0);
	for (col = 0; col < 100; col++)
		assert_int_equal(grid_at(&g, 0, col)->ns[GRID_RUN],
				 col % 10 < 3);
	assert_int_equal(k->gets, 5);	/* the spine was there */
	grid_release(&g);

	for (i = 0; i < MANY; i += 997) {
		assert_int_equal(tracks_find(t, TRACK_TASK, 1, 10 * i + 2), i);
		assert_int_equal(tracks_find(t, TRACK_TASK, 1, 10 * i + 3),
				 i + 1);
		tracks_get(t, TRACK_TASK, 1, i, &s);
		assert_int_equal(s.start_ns, 10 * i);
		assert_int_equal(s.cpu, i % 7 ? 0 : 2);
	}
	tracks_free(t);
	kept_release(k);
	topo_release(&topo);
}

/* Tasks 0 and 2 have a span, 0-4 and 2-6: two spines are read, and no more when
 * an edge at 3 cuts both. */
static void test_tracks_read_ahead(void **state)
{
	struct kept *k = calloc(1, sizeof(*k));
	struct err err = { 0 };
	struct topo topo;
	struct tracks *t;
	struct span s;
	struct grid g;

	two_nodes(&topo);
	t = kept_tracks(k, &topo);
	s = span_of(0, 0, 0, 4);
	assert_int_equal(tracks_span(t, &s, &err), 0);
	s = span_of(2, 1, 2, 6);
	assert_int_equal(tracks_span(t, &s, &err), 0);
	assert_int_equal(tracks_save(t, kept_head, k, &err), 0);
	tracks_free(t);
	t = restored(k, &topo, &err);
	assert_int_equal(k->gets, 0);
	assert_int_equal(tracks_read_ahead(t, 0), -1);
	assert_int_equal(k->gets, 2);
	assert_int_equal(grid_init(&g, 0, 3, 1, 1, 2, &err), 0);
	tracks_fill(t, TRACK_TASK, 0, &g, 0);
	tracks_fill(t, TRACK_TASK, 2, &g, 0);
	assert_int_equal(grid_at(&g, 0, 0)->ns[GRID_RUN], 3 + 1);
	assert_int_equal(k->gets, 2);
	grid_release(&g);
	tracks_free(t);

	/* What cannot be read ends it, and is told as ever. */
	k->nr = 0;
	t = restored(k, &topo, &err);
	assert_int_equal(tracks_read_ahead(t, 0), -1);
	assert_int_equal(tracks_error(t, &err), ERR_FORMAT);
	tracks_free(t);
	k->nr = k->nr_heads;
	kept_release(k);

	/* In slices of 500. */
	t = plain_tracks(&topo, 1200);
	assert_int_equal(tracks_read_ahead(t, 0), 500);
	assert_int_equal(tracks_read_ahead(t, 500), 1000);
	assert_int_equal(tracks_read_ahead(t, 1000), -1);
	tracks_free(t);
	topo_release(&topo);
}

/* Any byte changed, cut or missing: an error or other numbers, never more. */
static void test_tracks_damaged(void **state)
{
	struct made *m = malloc(sizeof(*m));
	struct kept *k = calloc(1, sizeof(*k));
	uint32_t seed = 5;
	struct topo topo;
	int i, errors = 0;

	two_nodes(&topo);
	make_schedule(m, 3);
	m->nr = 6000;
	m->end_ns = m->span[m->nr - 1].end_ns;
	keep_schedule(k, m, &topo);
	for (i = 0; i < 600; i++) {
		int at = next_random(&seed) % (k->nr + k->nr_heads), n;
		uint8_t *p = at < k->nr ? k->node[at].bytes :
					  k->head[at - k->nr].bytes;
		size_t *len = at < k->nr ? &k->node[at].len :
					   &k->head[at - k->nr].len;
		size_t was = *len, where = next_random(&seed) % was;
		uint8_t byte = p[where];
		struct err err = { 0 }, none = { 0 };
		struct tracks *t;
		struct span s;
		struct grid g;

		if (i % 3)
			p[where] = next_random(&seed);
		else
			*len = where;
		t = restored(k, &topo, &err);
		assert_int_equal(grid_init(&g, 7, m->end_ns, 29, 1, 2, &none),
				 0);
		for (n = 0; !err.code && n < NR_TASKS + 4; n++) {
			enum track_kind kind = n < 4 ? TRACK_CPU : TRACK_TASK;
			struct track_total total;
			int number = n < 4 ? n : n - 4;

			tracks_fill(t, kind, number, &g, 0);
			tracks_total(t, kind, number, &total);
			if (total.nr_spans)
				tracks_get(t, kind, number,
					   total.nr_spans / 2, &s);
		}
		grid_release(&g);
		if (!err.code)
			tracks_error(t, &err);
		errors += err.code != 0;
		if (err.code)
			assert_int_equal(err.code, ERR_FORMAT);
		tracks_free(t);
		p[where] = byte;
		*len = was;
	}
	/* Every cut is seen, and many a change. */
	assert_true(errors >= 200);
	kept_release(k);
	topo_release(&topo);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracks_by_hand),
		cmocka_unit_test(test_tracks_refuse),
		cmocka_unit_test(test_tracks_against_brute_force),
		cmocka_unit_test(test_tracks_kept),
		cmocka_unit_test(test_tracks_levels),
		cmocka_unit_test(test_tracks_read_ahead),
		cmocka_unit_test(test_tracks_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

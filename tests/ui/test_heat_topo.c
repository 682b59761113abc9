/* SPDX-License-Identifier: MIT */
/*
 * The strip of the topology on the text back end: node 0 with two caches, node 4
 * with one, node 9 without CPUs.
 */
#include "model/err.h"
#include "ui/canvas.h"
#include "ui/heatmap_local.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct strip {
	struct study_run run;
	struct study study;
	struct heatmap map;
	struct heat_layout layout;
	char *text;
};

static int setup(void **state)
{
	static const int node[] = { 0, 0, 0, 0, 4, 4 };
	static const int llc[] = { 0, 1, 0, 1, 2, 2 };
	struct strip *s = calloc(1, sizeof(*s));
	struct topo *t = &s->study.topo;
	struct err err = { 0 };
	int i;

	assert_int_equal(topo_add_node(t, 0, &err), 0);
	assert_int_equal(topo_add_node(t, 4, &err), 0);
	assert_int_equal(topo_add_node(t, 9, &err), 0);
	for (i = 0; i < 6; i++) {
		assert_int_equal(topo_add_cpu(t, i, node[i], &err), 0);
		t->cpu[i].llc = llc[i];
	}
	assert_int_equal(topo_finish(t, &err), 0);
	s->study.run = &s->run;
	s->map = (struct heatmap){ .study = &s->study, .nr_runs = 1 };
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct strip *s = *state;

	topo_release(&s->study.topo);
	free(s->text);
	free(s);
	return 0;
}

static void show(struct strip *s, int w)
{
	struct err err = { 0 };
	struct canvas_draw cd;
	struct canvas c;
	struct draw d;
	size_t size;
	FILE *out;

	assert_int_equal(canvas_init(&c, w, 10, false, false, &err), 0);
	canvas_drawing(&cd, &c, 0, THEME_LIGHT, &d);
	s->layout = (struct heat_layout){ .w = w };
	heatmap_topo_fit(&s->layout, &s->map, &d);
	if (s->layout.topo_h)
		heatmap_topo_paint(&s->layout, &s->map, &d);
	free(s->text);
	out = open_memstream(&s->text, &size);
	canvas_print(&c, COLOURS_NONE, THEME_LIGHT, out);
	fclose(out);
	canvas_release(&c);
}

/* `nr` lines, nothing below them, and what the legend says of it. */
static void expect(struct strip *s, int w, int nr, const char *lines,
		   const char *legend)
{
	const char *rest;

	show(s, w);
	assert_int_equal(s->layout.topo_h, nr);
	if (strncmp(s->text, lines, strlen(lines)))
		fail_msg("shown:\n%s\nwanted:\n%s", s->text, lines);
	rest = s->text + strlen(lines);
	assert_int_equal(strspn(rest, " \n"), strlen(rest));
	assert_string_equal(heatmap_topo_text(&s->layout, &s->map), legend);
}

static void far_apart(struct topo *t, int a, int b, int distance)
{
	t->distance[a * t->nr_node_ids + b] = distance;
	t->distance[b * t->nr_node_ids + a] = distance;
}

/* 19, 13, 16 and 35 columns with two between them: 89. */
static void test_all(void **state)
{
	static const char legend[] = "nodes and their CPUs by last-level cache";
	struct strip *s = *state;

	expect(s, 89, 1,
"A node 0: 0 2 | 1 3  B node 4: 4 5  C node 9: no cpu  distance 10 to itself, 2"
"0 to others\n", legend);
	expect(s, 88, 2,
"A node 0: 0 2 | 1 3  B node 4: 4 5  C node 9: no cpu\n"
"distance 10 to itself, 20 to others\n", legend);
}

static void test_uneven_distances(void **state)
{
	static const char legend[] = "nodes and their CPUs by last-level cache; "
				     "in brackets: distance to each node";
	struct strip *s = *state;

	far_apart(&s->study.topo, 0, 9, 31);
	expect(s, 60, 2,
"A node 0: 0 2 | 1 3 (10 20 31)  B node 4: 4 5 (20 10 20)\n"
"C node 9: no cpu (31 20 10)\n", legend);
	/* Three lines are too many for single CPUs, not for ranges of them. */
	expect(s, 30, 3,
"A node 0: 0,2 | 1,3 (10 20 31)\n"
"B node 4: 4-5 (20 10 20)\n"
"C node 9: no cpu (31 20 10)\n", legend);
	expect(s, 29, 3,
"A node 0: 0-3 (10 20 31)\n"
"B node 4: 4-5 (20 10 20)\n"
"C node 9: no cpu (31 20 10)\n",
"nodes and their CPUs (no room for caches); in brackets: distance to each node");
}

static void test_little_room(void **state)
{
	struct strip *s = *state;

	expect(s, 18, 3,
"A node 0: 0-3\n"
"B node 4: 4-5\n"
"C node 9: no cpu\n",
"nodes and their CPUs (no room for caches, distances)");
	expect(s, 15, 0, "",
"no room for CPUs and caches of the nodes, and their distances");
}

/* One node has no distance to others; unknown caches are one. */
static void test_one_node(void **state)
{
	struct strip *s = *state;
	struct err err = { 0 };

	topo_release(&s->study.topo);
	assert_int_equal(topo_flat(&s->study.topo, 3, &err), 0);
	assert_int_equal(s->study.topo.cpu[0].llc, -1);
	expect(s, 30, 1, "A node 0: 0 1 2\n",
	       "nodes and their CPUs by last-level cache");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all),
		TEST(test_uneven_distances),
		TEST(test_little_room),
		TEST(test_one_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

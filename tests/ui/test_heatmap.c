/* SPDX-License-Identifier: MIT */
/*
 * Heatmaps through the text back end, compared with what the head of
 * small_study.h says when worked out by hand: 40 columns of 25 ms.
 */
#include "small_study.h"
#include "ui/canvas.h"
#include "ui/heatmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define WIDTH 70	/* leaves 40 columns beside labels and figures */

struct shown {
	struct study study;
	struct heatmap map;
	struct rows_query query;
	struct rows rows;
	struct heat_layout layout;
	char *text;		/* the lines, as printed */
};

static int setup(void **state)
{
	struct shown *s = calloc(1, sizeof(*s));

	small_study(&s->study);
	s->map = (struct heatmap){
		.study = &s->study, .run = { 0, 1 }, .nr_runs = 1,
		.to_ns = 1000 * MS, .figures = true, .pages = true,
		.max_row_scale = 1,
	};
	s->query.to_ns = 1000 * MS;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct shown *s = *state;

	study_release(&s->study);
	rows_release(&s->rows);
	free(s->text);
	free(s);
	return 0;
}

static void show(struct shown *s, int w, int h)
{
	struct err err = { 0 };
	struct canvas_draw cd;
	struct canvas c;
	struct draw d;
	size_t size;
	FILE *out;

	rows_release(&s->rows);
	assert_int_equal(rows_build(&s->rows, &s->study, s->map.run,
				    s->map.nr_runs, &s->query, &err), 0);
	s->map.rows = &s->rows;
	assert_int_equal(canvas_init(&c, w, h, false, false, &err), 0);
	canvas_drawing(&cd, &c, 0, THEME_LIGHT, &d);
	if (heatmap_layout(&s->layout, &s->map, &d, w, h, &err) ||
	    heatmap_paint(&s->layout, &s->map, &d, &err))
		fail_msg("%s", err.text);
	free(s->text);
	out = open_memstream(&s->text, &size);
	canvas_print(&c, COLOURS_NONE, THEME_LIGHT, out);
	fclose(out);
	canvas_release(&c);
}

static void assert_text(const struct shown *s, const char *want)
{
	if (strncmp(s->text, want, strlen(want)))
		fail_msg("shown:\n%s\nwanted:\n%s", s->text, want);
}

/* alpha: 10 columns on node 0 (A), 10 on node 4 (B), 20 on A: 750 of 1000 ms
 * with its pages.  beta 200: 500 ms with all of its pages, then 500 ms with 30
 * of 50: 80 %; unsure while it runs on cpu 3 to the end.  Pages: 30 of 50 is
 * less than three quarters, so a small b.  All: (750 + 800 + 0) / 2250. */
static void test_nodes(void **state)
{
	struct shown *s = *state;

	show(s, WIDTH, 12);
	assert_int_equal(s->layout.nr_cols, 40);
	assert_text(s,
"recorded  69 % of memory accesses local, 4 moves betw~  local      cpu\n"
"    alpha 100 AAAAAAAAAABBBBBBBBBBAAAAAAAAAAAAAAAAAAAA   75 %   1.00 s\n"
"              AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
"     beta 200 AAAAAAAAAAAAAAAAAAAA////////////////////   80 %   1.00 s\n"
"              AAAAAAAAAAAAAAAAAAAAbbbbbbbbbbbbbbbbbbbb\n"
"\\xffx\\x1b 300 BBBBBBBB................AAAA                  ?   300 ms\n"
"\n"
"     beta 201 BBBB....BBBB....BB......................    0 %   250 ms\n"
"              AAAAAAAAAAAAAAAAAAAAbbbbbbbbbbbbbbbbbbbb\n"
"            0.0 s               0.5 s\n");
}

/* 11 columns of 90.9 ms: alpha goes to node 4 at 250 (the third column has 68
 * ms of A, 22 of B) and back at 500 (the sixth 45 of B, 45 of A, a tie but for
 * what is rounded: B); beta 201 runs 0-100, 200-300, 400-450: 100 %, 10 %, 80 %,
 * 30 %, 55 % of the first five columns. */
static void test_shares(void **state)
{
	struct shown *s = *state;

	s->map.figures = s->map.pages = false;
	s->query.comm = "*a*";
	show(s, 9 + 5 + 2, 6);
	assert_int_equal(s->layout.nr_cols, 11);
	assert_text(s,
"recorded  69 % ~\n"
"alp~ AAABBBAAAAA\n"
"bet~ AAAAAA/////\n"
"bet~ BbBbB......\n");
}

/* beta 201 runs on node 4 while its pages are on node 0; beta 200 from 500 on
 * with 60 %; nothing is known of 300. */
static void test_locality(void **state)
{
	struct shown *s = *state;

	s->map.mode = HEAT_LOCALITY;
	s->map.pages = false;
	s->study.nr_loss = 0;
	show(s, WIDTH, 8);
	assert_text(s,
"recorded  69 % of memory accesses local, 4 moves betw~  local      cpu\n"
"    alpha 100 **********0000000000********************   75 %   1.00 s\n"
"     beta 200 ********************////////////////////   80 %   1.00 s\n"
"\\xffx\\x1b 300 ????????................????                  ?   300 ms\n"
"     beta 201 0000....0000....00......................    0 %   250 ms\n");
	/* In o1 beta stays on node 0 when 30 of its 50 pages leave it: 40 %;
	 * all: (500 + 200 + 0) / 1250. */
	s->query.comm = "beta";
	s->map.run[0] = 1;
	s->map.figures = false;
	show(s, 10 + 1 + 40, 5);
	assert_text(s,
"o1 seed 1  56 % of memory accesses local, 0 moves ~\n"
"  beta 200 ********************44444444444444444444\n"
"  beta 201 0000000000..............................\n");
}

/* 300 waits from 580 to 600: 20 of 25 ms in its 24th column.  Where it runs it
 * does not wait. */
static void test_wait(void **state)
{
	struct shown *s = *state;

	s->map.mode = HEAT_WAIT;
	s->map.pages = false;
	s->map.figures = false;
	s->query.text = "300";
	show(s, 13 + 1 + 40, 5);
	if (!strstr(s->text, " 300 .......................8....\n"))
		fail_msg("shown:\n%s", s->text);
}

/* CPUs by node: cpu 1 is busy 0-500 (20 columns) and 600-700 (24th to 27th);
 * unsure on cpu 3 from 500 on, since events are lost from 900 on.  Below it the
 * node of the memory of what ran: on cpu 2 alpha's (A) from 250 to 500, nothing
 * is known of 300; on cpu 3 first beta 201 with node 0, from 500 on beta 200,
 * which then has 30 of 50 pages on node 4. */
static void test_cpus(void **state)
{
	struct shown *s = *state;

	s->query.kind = ROWS_CPUS;
	s->map.figures = false;
	show(s, 10 + 1 + 40, 12);
	assert_int_equal(s->layout.nr_cols, 40);
	assert_text(s,
"recorded  69 % of memory accesses local, 2.55 s on~\n"
"     cpu 0 AAAAAAAAAA..........AAAAAAAAAAAAAAAAAAAA\n"
"           AAAAAAAAAA          AAAAAAAAAAAAAAAAAAAA\n"
"     cpu 1 AAAAAAAAAAAAAAAAAAAA....AAAA............\n"
"           AAAAAAAAAAAAAAAAAAAA\n"
"     cpu 2 BBBBBBBB..BBBBBBBBBB....................\n"
"                     AAAAAAAAAA\n"
"     cpu 3 BBBB....BBBB....BB..////////////////!!!!\n"
"           AAAA    AAAA    AA  BBBBBBBBBBBBBBBBBBBB\n");
	s->map.pages = false;
	s->map.mode = HEAT_LOAD;
	show(s, 10 + 1 + 40, 8);
	/* One running of four: 2; 300 waits for cpu 1 in 20 of 25 ms before
	 * 600: 0.8 of four is 2, too. */
	assert_non_null(strstr(s->text,
"cpu 2 22222222..2222222222....................\n"));
	if (!strstr(s->text,
"cpu 1 22222222222222222222...22222............\n"))
		fail_msg("shown:\n%s", s->text);
}

/* What "beta" ran where: 200 on cpu 1 until 500, then on cpu 3, on which 201 was
 * three times before, for 250.  Local: all of 500, 300 of 500, none of 250.  The
 * CPUs have ten spans, whoever is asked for. */
static void test_cpus_of_some(void **state)
{
	struct shown *s = *state;
	int64_t run[4] = { 0, 500 * MS, 0, 750 * MS };
	int cpu;

	s->query.kind = ROWS_CPUS;
	s->query.text = "beta";
	s->map.figures = false;
	show(s, 10 + 1 + 40, 12);
	assert_text(s,
"recorded  64 % of memory accesses local, 1.25 s on~\n"
"     cpu 0 ........................................\n"
"\n"
"     cpu 1 AAAAAAAAAAAAAAAAAAAA....................\n"
"           AAAAAAAAAAAAAAAAAAAA\n"
"     cpu 2 ........................................\n"
"\n"
"     cpu 3 BBBB....BBBB....BB..////////////////!!!!\n"
"           AAAA    AAAA    AA  BBBBBBBBBBBBBBBBBBBB\n");
	for (cpu = 0; cpu < 4; cpu++)
		assert_int_equal(s->rows.row[cpu].sum[0].run_ns, run[cpu]);

	s->query.max_spans = 10;
	show(s, 10 + 1 + 40, 12);
	assert_false(rows_count_all(&s->rows));
	assert_int_equal(s->rows.row[0].sum[0].run_ns, 0);
	s->query.max_spans = 9;
	show(s, 10 + 1 + 40, 12);
	assert_true(rows_count_all(&s->rows));
	assert_int_equal(s->rows.row[0].sum[0].run_ns, 750 * MS);
	/* Fewer lie in a part of it; who is asked for nowhere has no rows. */
	assert_int_equal(rows_figures(&s->rows, &s->study, s->map.run, 0,
				      250 * MS, &(struct err){ 0 }), 0);
	assert_false(rows_count_all(&s->rows));
	assert_int_equal(s->rows.row[0].sum[0].run_ns, 0);
	assert_int_equal(s->rows.row[3].sum[0].run_ns, 150 * MS);
	s->query.text = "nobody";
	rows_release(&s->rows);
	assert_int_equal(rows_build(&s->rows, &s->study, s->map.run, 1,
				    &s->query, &(struct err){ 0 }), 0);
	assert_int_equal(s->rows.nr, 0);
}

/* Node 0 has two CPUs: full when both are busy, half when one is. */
static void test_node_rows(void **state)
{
	struct shown *s = *state;

	s->query.kind = ROWS_NODES;
	s->map.figures = s->map.pages = false;
	s->map.run[0] = 1;
	show(s, 10 + 1 + 40, 6);
	assert_text(s,
"o1 seed 1  76 % of memory accesses local, 2.55 s o~\n"
"    node 0 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
"    node 4 BBBBBBBBBBBB............................\n");
}

/* Areas: alpha's 100 pages on node 0; beta's 50, from 500 on 30 of them on node
 * 4.  In bytes: 400 KiB; (50 * 500 + 50 * 500) / 1000 pages are 200 KiB. */
static void test_memory(void **state)
{
	struct shown *s = *state;

	s->query.kind = ROWS_MEMORY;
	s->study.capture.page_size = 4096;
	show(s, 14 + 1 + 40 + 10, 5);
	assert_text(s,
"recorded  150 pages  -  Linux 6.1, numa_balancing=0        memory\n"
"alpha 100 anon AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA   400 KiB\n"
" beta 200 anon AAAAAAAAAAAAAAAAAAAAbbbbbbbbbbbbbbbbbbbb   200 KiB\n");
}

/* Threads of one process in one row; what does not fit in one of others. */
static void test_processes_and_others(void **state)
{
	struct shown *s = *state;

	s->query.kind = ROWS_PROCESSES;
	show(s, WIDTH, 10);
	assert_non_null(strstr(s->text, "beta 200 (2) "));
	assert_null(strstr(s->text, "201"));

	s->query.kind = ROWS_TASKS;
	s->query.max_rows = 3;
	show(s, WIDTH - 3, 10);
	/* 300 and 201 together: 0-100 both on node 4 ... */
	assert_non_null(strstr(s->text, "2 others BBBB"));
	assert_int_equal(s->rows.nr, 3);
	assert_int_equal(s->rows.row[2].sum[0].run_ns, 550 * MS);
	s->query.max_rows = 1;
	show(s, WIDTH - 3, 10);
	assert_non_null(strstr(s->text, "4 others "));
	assert_int_equal(s->rows.row[0].sum[0].run_ns, 2550 * MS);

	/* Below 12 % of 2.55 s is 306 ms: 300 and 201 go to the others. */
	s->query.max_rows = 0;
	s->query.min_share = 0.12;
	show(s, WIDTH, 10);
	assert_int_equal(s->rows.nr, 3);
	assert_true(s->rows.row[2].is_others);
}

static void test_two_runs_on_one_axis(void **state)
{
	struct shown *s = *state;

	s->map.nr_runs = 2;
	show(s, WIDTH, 21);
	assert_int_equal(s->layout.nr_panels, 2);
	assert_non_null(strstr(s->text,
"o1 seed 1  76 % of memory accesses local, 0 moves bet~  local      cpu\n"
"    alpha 100 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA  100 %   1.00 s\n"
"              AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
"     beta 200 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA   70 %   1.00 s\n"
"              AAAAAAAAAAAAAAAAAAAAbbbbbbbbbbbbbbbbbbbb\n"
"\\xffx\\x1b 300 BBBBBBBBBBBB                                  ?   300 ms\n"));
}

/* alpha is local in o1 throughout, in the recording not from 250 to 500: less,
 * by 25 points; beta 200 gains 20 points from 500 on (60 % against 40 %). */
static void test_difference(void **state)
{
	struct shown *s = *state;

	s->map.nr_runs = 2;
	s->map.mode = HEAT_DIFF;
	s->map.pages = false;
	s->map.legend = LEGEND_SHORT;
	s->query.comm = "*a*";
	show(s, 10 + 1 + 40 + 7, 8);
	assert_int_equal(s->layout.nr_cols, 40);
	assert_text(s,
"=-+ local: 100 % less ~ 100 % more\n"
"recorded minus o1 seed 1                             local\n"
" alpha 100 0000000000==========00000000000000000000  -25 %\n"
"  beta 200 00000000000000000000++++++++++++++++++++  +10 %\n");
}

static void test_sorting(void **state)
{
	static const struct {
		enum rows_sort sort;
		int first, last;	/* tasks */
	} want[] = {
		{ SORT_CPU, 0, 2 },	/* 1000, 1000, 300, 250 ms */
		{ SORT_NODE, 0, 3 },	/* A A (201: B, 300: B with 200 of 300) */
		{ SORT_LOCALITY, 2, 3 },	/* 0 %, 75, 80, unknown */
		{ SORT_NAME, 0, 3 },	/* alpha beta beta \377x */
		{ SORT_MOVES, 0, 2 },	/* 2, 1, 1, 0 */
	};
	struct shown *s = *state;
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		s->query.sort = want[i].sort;
		show(s, WIDTH, 12);
		assert_int_equal(s->rows.row[0].number[0], want[i].first);
		if (want[i].sort != SORT_NODE)
			assert_int_equal(s->rows.row[3].number[0],
					 want[i].last);
	}
}

static void test_filters(void **state)
{
	int pids[] = { 200 };
	struct err err = { 0 };
	struct shown *s = *state;

	s->query.pid = pids;
	s->query.nr_pids = 1;
	show(s, WIDTH, 12);
	assert_int_equal(s->rows.nr, 2);
	s->query.nr_pids = 0;
	s->query.text = "\377";
	show(s, WIDTH, 12);
	assert_int_equal(s->rows.nr, 1);
	s->query.text = "201";
	show(s, WIDTH, 12);
	assert_int_equal(s->rows.nr, 1);
	rows_release(&s->rows);
	s->query.text = "nobody";
	assert_int_equal(rows_build(&s->rows, &s->study, s->map.run, 1,
				    &s->query, &err), 0);
	assert_int_equal(s->rows.nr, 0);

	/* Tasks that did not run in the window are left out. */
	rows_release(&s->rows);
	s->query = (struct rows_query){ .from_ns = 720 * MS,
					.to_ns = 1000 * MS };
	assert_int_equal(rows_build(&s->rows, &s->study, s->map.run, 1,
				    &s->query, &err), 0);
	assert_int_equal(s->rows.nr, 2);
}

/* The columns of a row sum up to what the task ran, to the ns, in a window
 * that no edge falls even in. */
static void test_column_sums(void **state)
{
	struct shown *s = *state;
	struct err err = { 0 };
	int64_t sum = 0;
	struct grid g;
	int row, col;

	show(s, WIDTH, 12);
	assert_int_equal(grid_init(&g, 0, 1000 * MS, 337, 1, 2, &err), 0);
	for (row = 0; row < s->rows.nr; row++)
		row_fill(&s->study, 0, &s->rows.row[row], &g, 0);
	for (col = 0; col < 337; col++)
		sum += grid_at(&g, 0, col)->ns[GRID_RUN];
	assert_int_equal(sum, 2550 * MS);
	grid_release(&g);
}

static void test_too_small(void **state)
{
	struct shown *s = *state;
	struct heat_layout l;
	struct err err = { 0 };
	struct canvas_draw cd;
	struct canvas c;
	struct draw d;

	show(s, WIDTH, 12);
	assert_int_equal(canvas_init(&c, 9, 3, false, false, &err), 0);
	canvas_drawing(&cd, &c, 0, THEME_LIGHT, &d);
	assert_int_equal(heatmap_layout(&l, &s->map, &d, 9, 2, &err),
			 ERR_USAGE);
	canvas_release(&c);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

static void assert_says(const struct shown *s, const char *text, bool does)
{
	if (!strstr(s->text, text) == does)
		fail_msg("shown:\n%s\n%s '%s'", s->text,
			 does ? "lacks" : "has", text);
}

/* Every kind of doubt has a sign of its own, and the legend its true reason:
 * nothing is called lost where no loss was counted. */
static void test_legend(void **state)
{
	struct shown *s = *state;

	s->map.legend = LEGEND_FULL;
	s->query.kind = ROWS_CPUS;
	show(s, 100, 24);
	assert_says(s, "A node 0: 0 1  B node 4: 2 3  distance 10 to itself, "
		    "20 to others\n", true);
	assert_says(s, "\nnodes and their CPUs by last-level cache  ", true);
	assert_says(s, ". idle", true);
	assert_says(s, "! events of this CPU lost", true);
	assert_says(s, "/ unsure: events lost or a switch missing", true);
	assert_says(s, "began before", false);
	assert_says(s, "memory unknown", false);

	s->study.nr_loss = 0;
	show(s, 100, 24);
	assert_says(s, "lost", false);
	assert_says(s, "/ unsure: a switch was not recorded", true);
	s->study.nr_loss = 1;

	/* A replay loses nothing; tasks have no CPU of which events are. */
	s->map.run[0] = 1;
	show(s, 100, 24);
	assert_says(s, "lost", false);
	assert_says(s, "unsure", false);
	s->map.run[0] = 0;
	s->query.kind = ROWS_TASKS;
	show(s, 100, 24);
	assert_says(s, "of this CPU", false);
	assert_says(s, ". not running", true);
	assert_says(s, "blank: not there", true);

	/* Longer than the page: shortened, nowhere beyond it. */
	show(s, 40, 40);
	assert_says(s, "A node 0: 0 1  B node 4: 2 3\n", true);
	assert_says(s, "/ unsure: events lost or a switch", true);
}

/* 62 nodes in 40 columns, of which the strip shows none: three have room in the
 * first line, two in each of the nine below, one in the one that says so. */
static void test_legend_of_many_nodes(void **state)
{
	struct shown *s = *state;
	struct err err = { 0 };
	int i;

	for (i = 10; i < 70; i++)
		assert_int_equal(topo_add_node(&s->study.topo, i, &err), 0);
	s->map.legend = LEGEND_FULL;
	show(s, 40, 60);
	assert_text(s, "A node 0  B node 4  C node 10 (no cpu)\n");
	assert_says(s, "\nV node 29 (no cpu)  40 more nodes\n"
		    "no room for CPUs and caches of the node~\n", true);
}

/* Where there is room for words all that tells two runs apart is said, on as
 * many lines as it needs: 51 columns beside the figures; else their names. */
static void test_heads(void **state)
{
	struct shown *s = *state;

	s->map.nr_runs = 2;
	s->map.mode = HEAT_DIFF;
	s->map.pages = false;
	s->map.legend = LEGEND_FULL;
	s->map.title = "Which memory accesses were local in the one but not in "
		       "the other run?";
	s->query.comm = "*a*";
	show(s, 10 + 1 + 40 + 7, 20);
	assert_text(s,
"Which memory accesses were local in the one but not in the\n"
"other run?\n");
	assert_says(s,
"\nrecorded (Linux 6.1, numa_balancing=0) minus o1\n"
"seed 1 (imbalance=25)                                local\n"
" alpha 100 0", true);

	s->map.legend = LEGEND_SHORT;
	show(s, 10 + 1 + 40 + 7, 20);
	assert_says(s, "\nrecorded minus o1 seed 1    ", true);
	free(s->study.run[1].title);
	s->study.run[1].title = strdup("recorded");
	show(s, 10 + 1 + 40 + 7, 20);
	assert_says(s, "\nrecorded (Linux 6.1, numa_balancing=0) minus\n"
		    "recorded (imbalance=25)    ", true);

	/* Totals and settings below the name; beside it where rows need the
	 * lines. */
	s->map.legend = LEGEND_FULL;
	s->map.mode = HEAT_NODE;
	s->map.nr_runs = 1;
	s->map.figures = false;
	show(s, 51, 20);
	assert_says(s, "\nrecorded\n"
		    "69 % of memory accesses local, 3 moves between\n"
		    "nodes, 2.25 s on CPU  -  Linux 6.1,\n"
		    "numa_balancing=0\n", true);
	show(s, 51, s->layout.axis_y);
	assert_says(s, "\nrecorded  69 % of memory accesses local, 3 moves b~\n",
		    true);
}

/* A span that was cut by the edge of the recording, by more than half of the
 * cell; what is lost counts more, then what is unsure. */
static void test_cell_doubts(void **state)
{
	struct err err = { 0 };
	struct grid_cell *c;
	struct grid g;

	assert_int_equal(grid_init(&g, 0, 100, 1, 1, 1, &err), 0);
	c = grid_at(&g, 0, 0);
	c->ns[GRID_ALIVE] = 100;
	c->ns[GRID_RUN] = 50;
	*grid_nodes(&g, 0, 0) = 50;
	c->ns[GRID_CENSORED] = 25;
	assert_int_equal(heat_cell_run(&g, 0, 0, HEAT_NODE, THEME_LIGHT, 1)
				 .pattern, PAINT_PLAIN);
	c->ns[GRID_CENSORED] = 26;
	assert_int_equal(heat_cell_run(&g, 0, 0, HEAT_NODE, THEME_LIGHT, 1)
				 .pattern, PAINT_CENSORED);
	c->ns[GRID_UNSURE] = 26;
	assert_int_equal(heat_cell_run(&g, 0, 0, HEAT_NODE, THEME_LIGHT, 1)
				 .pattern, PAINT_STRIPES);
	c->ns[GRID_LOST] = 1;
	assert_int_equal(heat_cell_run(&g, 0, 0, HEAT_NODE, THEME_LIGHT, 1)
				 .pattern, PAINT_LOST);
	grid_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nodes),
		TEST(test_shares),
		TEST(test_locality),
		TEST(test_wait),
		TEST(test_cpus),
		TEST(test_cpus_of_some),
		TEST(test_node_rows),
		TEST(test_memory),
		TEST(test_processes_and_others),
		TEST(test_two_runs_on_one_axis),
		TEST(test_difference),
		TEST(test_sorting),
		TEST(test_filters),
		TEST(test_column_sums),
		TEST(test_too_small),
		TEST(test_legend),
		TEST(test_legend_of_many_nodes),
		TEST(test_heads),
		TEST(test_cell_doubts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

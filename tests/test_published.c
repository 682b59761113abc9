/* SPDX-License-Identifier: MIT */
/*
 * The cost model and the tables that are compiled in, against the figures as
 * they were published (tests/data/published, which names the seeds).
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "model/cost.h"
#include "model/err.h"
#include "model/preset.h"
#include "model/topo.h"
#include "replay/published.h"
#include "replay/repro_table.h"

#define ALONE 27.2	/* s of user time: user-time key (27), jobs alone */
#define NR_CPUS 16
#define NODES 4
#define MAX_JOBS 64
#define MAX_FIELDS 16

static FILE *open_data(const char *name)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "tests/data/published/%s", name);
	f = fopen(path, "r");
	if (!f)
		print_message("no %s: run from the top folder\n", path);
	return f;
}

/* The next line of figures, cut at commas; 0 at the end.  The first line is a
 * comment, the second one names the columns. */
static int next_row(FILE *f, char *line, size_t size, char **field)
{
	int n = 0;

	do {
		if (!fgets(line, (int)size, f))
			return 0;
	} while (line[0] == '#' || strstr(line, "scheduler,"));
	line[strcspn(line, "\n")] = '\0';
	for (char *rest = line, *w; n < MAX_FIELDS && (w = strsep(&rest, ",")); )
		field[n++] = w;
	return n;
}

/* -- the cost model alone ----------------------------------------------------------- */

struct job {
	double share[NODES];	/* of its user time on each node */
	int start;		/* iSched */
	double user_s;
	int memory;		/* where it is taken to be */
};

struct table {
	char system;
	int jobs, nr;
	struct job job[MAX_JOBS];
};

/*
 * Where a job's memory lies is not printed.  A job prints its node (iSched) just
 * before it touches its memory; so it lies there if the job spent time there.
 * Jobs that spent none there were moved before they touched it (sheet K.1): then
 * the node with the least of their time is where they were before they were
 * thrown off for good (for those that were not it is the only one).  A printed
 * node 0 for all, which tells nothing: the same rule for all its jobs.
 */
static int memory_node(const struct job *j, bool knows_start)
{
	int least = -1;

	if (knows_start && j->share[j->start] > 0)
		return j->start;
	for (int n = 0; n < NODES; n++)
		if (j->share[n] > 0 && (least < 0 || j->share[n] < j->share[least]))
			least = n;
	return least;
}

/* Sum of the relative errors of a table's jobs. */
static double errors(const struct cost *c, struct table *t)
{
	double users[NODES] = { 0 }, sum = 0;
	double running = t->jobs > NR_CPUS ? (double)NR_CPUS / t->jobs : 1;

	for (int i = 0; i < t->nr; i++) {
		struct job *j = &t->job[i];

		j->memory = memory_node(j, t->system != 'A');
		users[j->memory] += running;
	}
	for (int i = 0; i < t->nr; i++) {
		const struct job *j = &t->job[i];
		double share[NODES] = { 0 }, work = 0, user_s;

		share[j->memory] = 1;
		for (int n = 0; n < NODES; n++)
			work += j->share[n] / cost_memory(c, n, share, users);
		user_s = ALONE / work;
		if (t->jobs > NR_CPUS)
			user_s *= c->oversubscribed;
		sum += fabs(user_s / j->user_s - 1);
	}
	return sum;
}

static void azusa(struct topo *t, struct cost *c)
{
	struct err err = { 0 };

	assert_int_equal(preset_topo(preset_find("azusa"), t, &err), 0);
	assert_int_equal(cost_init(c, t, &err), 0);
	assert_int_equal(cost_parse(c, "azusa", &err), 0);
}

/* DESIGN section 9: mean error of user time over the 336 job rows <= 2 %. */
static void test_job_rows(void **state)
{
	struct table t = { .nr = 0 };
	char line[400], *field[MAX_FIELDS];
	double sum = 0;
	struct topo topo;
	struct cost cost;
	int rows = 0;
	FILE *f = open_data("numa_test_jobs.csv");

	if (!f)
		skip();
	azusa(&topo, &cost);
	while (next_row(f, line, sizeof(line), field) >= 10) {
		struct job *j;

		if (field[0][0] != t.system || atoi(field[1]) != t.jobs) {
			sum += t.nr ? errors(&cost, &t) : 0;
			t = (struct table){ .system = field[0][0],
					    .jobs = atoi(field[1]) };
		}
		j = &t.job[t.nr++];
		for (int n = 0; n < NODES; n++)
			j->share[n] = atof(field[3 + n]) / 100;
		j->start = atoi(field[7]);
		j->user_s = atof(field[10]);
		rows++;
	}
	sum += errors(&cost, &t);
	fclose(f);
	assert_int_equal(rows, 336);
	print_message("user time of 336 jobs: mean error %.2f %%\n",
		      100 * sum / rows);
	assert_true(sum / rows <= 0.02);
	cost_release(&cost);
	topo_release(&topo);
}

/* No machine has more than six numbers, each with its source. */
static void test_six_numbers(void **state)
{
	for (const struct preset *p = preset_table; p->name; p++) {
		int nr = 0;

		for (const struct preset_cost *c = p->cost; c->item; c++) {
			nr += strchr(c->item, '=') != NULL;
			assert_true(!strchr(c->item, '=') || c->source);
		}
		assert_true(nr <= 6);
	}
}

/* 2 x 6 x 2: node 0 has CPUs 0-5 and 12-17 (S004 L137-138). */
static void test_machines(void **state)
{
	struct err err = { 0 };
	struct topo t;

	assert_int_equal(preset_topo(preset_find("westmere"), &t, &err), 0);
	assert_int_equal(topo_nr_cpus(&t), 24);
	assert_int_equal(topo_node_of(&t, 5), 0);
	assert_int_equal(topo_node_of(&t, 6), 1);
	assert_int_equal(topo_node_of(&t, 17), 0);
	assert_int_equal(topo_shared_level(&t, 3, 15), TOPO_SMT);
	assert_int_equal(topo_shared_level(&t, 0, 5), TOPO_LLC);
	assert_int_equal(topo_shared_level(&t, 0, 6), TOPO_SYSTEM);
	topo_release(&t);
	assert_int_equal(preset_topo(preset_find("kunpeng920"), &t, &err), 0);
	assert_int_equal(topo_nr_cpus(&t), 48);
	assert_int_equal(topo_shared_level(&t, 0, 3), TOPO_CLUSTER);
	assert_int_equal(topo_shared_level(&t, 0, 4), TOPO_LLC);
	assert_int_equal(topo_node_of(&t, 24), 1);
	topo_release(&t);
	assert_int_equal(preset_topo(preset_find("azusa"), &t, &err), 0);
	assert_int_equal(topo_nr_nodes(&t), 4);
	assert_int_equal(topo_node_of(&t, 15), 3);
	topo_release(&t);
	assert_null(preset_find("numa"));
}

/* -- what is compiled in -------------------------------------------------------------- */

static double number(const char *text)
{
	return *text ? atof(text) : NAN;
}

static void same(double a, double b)
{
	assert_true((isnan(a) && isnan(b)) || a == b);
}

static void test_summary(void **state)
{
	const struct published_run *p = published_numa_test;
	char line[400], *field[MAX_FIELDS];
	FILE *f = open_data("numa_test_summary.csv");

	if (!f)
		skip();
	while (next_row(f, line, sizeof(line), field) >= 6) {
		if (!*field[2])
			continue;		/* not measured */
		assert_non_null(p->system);
		assert_string_equal(p->system, field[0]);
		assert_int_equal(p->jobs, atoi(field[1]));
		same(p->u, number(field[2]));
		same(p->tu, number(field[3]));
		same(p->e, number(field[4]));
		same(p->h, number(field[5]));
		p++;
	}
	fclose(f);
	assert_null(p->system);
	assert_int_equal(p - published_numa_test, 28);
}

static void test_averages(void **state)
{
	static const char *const metric[] = {
		"AverageUserTime", "TotalUserTime", "ElapsedTime" };
	char line[400], *field[MAX_FIELDS];
	int rows = 0;
	FILE *f = open_data("numa_test_4run_averages.csv");

	if (!f)
		skip();
	while (next_row(f, line, sizeof(line), field) >= 6) {
		const struct published_average *a = published_averages;
		int m = 0;

		while (strcmp(metric[m], field[3]))
			m++;
		while (a->system && (strcmp(a->system, field[0]) ||
				     a->jobs != atoi(field[1])))
			a++;
		assert_non_null(a->system);
		same(a->mean[m], number(field[4]));
		same(a->plus_minus[m], number(field[5]));
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 30);
}

/* What follows from one run's rows of the job tables. */
static void sum_jobs(FILE *f, const struct published_residency *p, double *sum)
{
	char line[400], *field[MAX_FIELDS];
	int nr = 0;

	memset(sum, 0, RESIDENCY_NR * sizeof(*sum));
	rewind(f);
	while (next_row(f, line, sizeof(line), field) >= 11) {
		int start = atoi(field[7]);
		double most = 0;

		if (strcmp(field[0], p->system) || atoi(field[1]) != p->jobs)
			continue;
		for (int n = 0; n < NODES; n++)
			most = fmax(most, atof(field[3 + n]));
		nr++;
		sum[RESIDENCY_SETTLED] += most >= 99;
		sum[RESIDENCY_SHARE] += most;
		if (start == atoi(field[8]))
			continue;
		sum[RESIDENCY_MOVED]++;
		sum[RESIDENCY_START] += atof(field[3 + start]) / 100 *
			atof(field[10]);
	}
	assert_int_equal(nr, p->jobs);
	sum[RESIDENCY_SHARE] /= nr;
	sum[RESIDENCY_START] /= sum[RESIDENCY_MOVED];	/* NAN: none moved */
}

/* The job tables; A's iSched says nothing. */
static void test_residency(void **state)
{
	const struct published_residency *p = published_residency;
	double sum[RESIDENCY_NR];
	FILE *f = open_data("numa_test_jobs.csv");

	if (!f)
		skip();
	for (; p->system; p++) {
		sum_jobs(f, p, sum);
		for (int k = 0; k < RESIDENCY_NR; k++) {
			if (*p->system == 'A' && k < RESIDENCY_SETTLED)
				assert_true(isnan(p->figure[k]));
			else if (isnan(sum[k]))
				assert_true(isnan(p->figure[k]));
			else
				assert_float_equal(p->figure[k], sum[k], 0.0051);
		}
	}
	fclose(f);
	assert_int_equal(p - published_residency, 18);
}

static double printed(const char *table, const char *row, const char *column,
		      enum figure f)
{
	const struct repro_table *t = repro_table_find(table);

	for (const struct repro_line *l = t->line; l->row; l++)
		if (!strcmp(l->row, row) && !strcmp(l->column, column))
			return repro_line_published(l, f);
	fail_msg("no %s, %s in %s", row, column, table);
	return NAN;
}

static void test_cluster(void **state)
{
	char line[400], row[40], *field[MAX_FIELDS];
	int rows = 0;
	FILE *f = open_data("cluster_hackbench_averages.csv");

	if (!f)
		skip();
	while (next_row(f, line, sizeof(line), field) >= 6) {
		const char *column = strcmp(field[3], "with_patch") ?
			"without" : "with";

		if (!isdigit(*field[0]) || strstr(line, "withdrawn by"))
			continue;
		if (field[8] && strstr(field[8], "withdrawn by"))
			continue;
		if (strstr(field[3], "no_select"))
			column = "domain only";
		snprintf(row, sizeof(row), "%s, g=%s",
			 atoi(field[0]) == 1 ? "one node" : "two nodes",
			 field[2]);
		same(printed("cluster", row, column, FIGURE_H),
		     number(field[5]));
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 19);
}

/* Gains as they were listed, which were cut or rounded (algorithms.md O.8). */
static void test_gains(void **state)
{
	const struct repro_table *t = repro_table_find("cluster");
	char line[400], row[40], *field[MAX_FIELDS];
	int rows = 0;
	FILE *f = open_data("cluster_hackbench_improvement.csv");

	if (!f)
		skip();
	while (next_row(f, line, sizeof(line), field) >= 4) {
		if (!isdigit(*field[0]))
			continue;
		snprintf(row, sizeof(row), "%s, g=%s",
			 atoi(field[0]) == 1 ? "one node" : "two nodes",
			 field[1]);
		for (const struct repro_line *l = t->line; l->row; l++) {
			if (strcmp(l->row, row) || strcmp(l->column, "with"))
				continue;
			assert_float_equal(100 * repro_line_gain(t, l),
					   number(field[3]), 0.001);
			rows++;
		}
	}
	fclose(f);
	assert_int_equal(rows, 9);
}

static void test_numaq(void **state)
{
	char line[400], *field[MAX_FIELDS];
	int rows = 0;
	FILE *f = open_data("numaq_numa_test.csv");

	if (!f)
		skip();
	while (next_row(f, line, sizeof(line), field) >= 6) {
		const char *column = strstr(field[0], "michael") ?
			"with" : "without";

		if (!isdigit(*field[1]))
			continue;
		same(printed("numaq", field[1], column, FIGURE_U),
		     number(field[2]));
		same(printed("numaq", field[1], column, FIGURE_E),
		     number(field[3]));
		same(printed("numaq", field[1], column, FIGURE_TU),
		     number(field[4]));
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 10);
}

static void test_kernbench(void **state)
{
	char line[400], *field[MAX_FIELDS];
	int rows = 0;
	FILE *f = open_data("kernbench.csv");

	if (!f)
		skip();
	while (next_row(f, line, sizeof(line), field) >= 5) {
		const char *column = strstr(field[0], "sched") ?
			"with" : "without";

		if (!isdigit(*field[1]))
			continue;
		same(printed("kernbench", "build", column, FIGURE_E),
		     number(field[1]));
		assert_float_equal(printed("kernbench", "build", column,
					   FIGURE_TU),
				   number(field[2]) + number(field[3]), 1e-9);
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 2);
}

/* The column of the table that a measured row is in: kernel and what was
 * compiled.  NULL: bound on a kernel of its own, which is as on mainline. */
static const char *autonuma_column(const char *kernel, const char *variant)
{
	if (strcmp(kernel, "mainline"))
		return strcmp(variant, "HARD_BIND") ? kernel : NULL;
	if (!strcmp(variant, "HARD_BIND"))
		return "hard";
	return strcmp(variant, "INVERSE_BIND") ? "mainline" : "inverse";
}

static void test_autonuma(void **state)
{
	char line[400], row[40], *field[MAX_FIELDS];
	int rows = 0;
	FILE *f = open_data("autonuma.csv");

	if (!f)
		skip();
	while (next_row(f, line, sizeof(line), field) >= 7) {
		const char *column = autonuma_column(field[3], field[4]);
		bool inverse = !strcmp(field[4], "INVERSE_BIND");

		if (!column || strcmp(field[6], "measured"))
			continue;
		snprintf(row, sizeof(row), "%s%s", field[2],
			 strstr(field[4], "SAME_NODE") ? " same_node" :
			 inverse && strcmp(column, "inverse") ? " again" : "");
		same(printed("autonuma", row, column, FIGURE_E),
		     number(field[5]));
		rows++;
	}
	fclose(f);
	/* 15 lines, of which three are in the seed twice: hard, inverse and
	 * same_node of numa01 on mainline. */
	assert_int_equal(rows, 18);
}

/*
 * Two rows, of which one has a base; two seeds; scale 10.  "with" takes 3 and 4
 * of 4 and 8: it gains 1/4 and 1/2, of which the mean is 3/8; printed are 60 and
 * 30, so the gain was 1/2 and the difference 1/8.  Errors: |60/60 - 1| and
 * |35/30 - 1|, mean 1/12.  The line without a printed time counts for nothing.
 */
static void test_sums(void **state)
{
	static const struct repro_line lines[] = {
		{ "r", "base", "w", NULL, "stay", { [FIGURE_E] = 60 } },
		{ "r", "with", "w", NULL, "stay", { [FIGURE_E] = 30 } },
		{ "s", "with", "w", NULL, "stay", { 0 } },
		{ .row = NULL }
	};
	static const struct repro_table t = {
		.name = "t", .scale = 10, .base = "base", .gain_of = FIGURE_E,
		.line = lines };
	const struct repro_run run[] = {
		{ { [FIGURE_E] = 4 }, { 0 } }, { { [FIGURE_E] = 8 }, { 0 } },
		{ { [FIGURE_E] = 3 }, { 0 } }, { { [FIGURE_E] = 4 }, { 0 } },
		{ { [FIGURE_E] = 1 }, { 0 } }, { { [FIGURE_E] = 1 }, { 0 } },
	};
	struct repro_result r[3] = { { .gain = { 0 } } };

	assert_int_equal(repro_table_lines(&t), 3);
	repro_table_sum(&t, run, 2, r);
	assert_float_equal(stats_mean(&r[0].figure[FIGURE_E]), 60, 1e-9);
	assert_float_equal(stats_mean(&r[1].figure[FIGURE_E]), 35, 1e-9);
	assert_int_equal(r[0].gain.n, 0);
	assert_float_equal(stats_mean(&r[1].gain), 0.375, 1e-9);
	assert_int_equal(r[2].gain.n, 0);
	assert_float_equal(repro_line_gain(&t, &lines[1]), 0.5, 1e-9);
	assert_true(isnan(repro_line_gain(&t, &lines[0])));
	assert_float_equal(repro_table_error(&t, r, FIGURE_E), 1.0 / 12, 1e-9);
	assert_float_equal(repro_table_gain_error(&t, r), 0.125, 1e-9);
	assert_true(isnan(repro_table_error(&t, r, FIGURE_H)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job_rows),
		cmocka_unit_test(test_six_numbers),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_averages),
		cmocka_unit_test(test_residency),
		cmocka_unit_test(test_cluster),
		cmocka_unit_test(test_gains),
		cmocka_unit_test(test_numaq),
		cmocka_unit_test(test_kernbench),
		cmocka_unit_test(test_autonuma),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

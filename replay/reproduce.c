/* SPDX-License-Identifier: MIT */
#include "replay/reproduce.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "model/err.h"

/* S000 lines 18-28, and the 4-run table; sheets A to F of algorithms.md. */
const struct repro_system repro_systems[] = {
	{ "A", "o1", "azusa-2.5.39", "O(1) scheduler, 2.5.39" },
	{ "B", "o1-single", "azusa", "O(1), one task per steal, 2.4.18" },
	{ "C", "simple-numa", "azusa-2.5.39", "Hohnbaum's simple NUMA scheduler, "
	  "2.5.39" },
	{ "D", "pooling", "azusa", "pooling, idle pool_delay = 0, 2.4.18" },
	{ "E", "node-affine", "azusa", "node affine, initial balancing, static "
	  "home, 2.4.18" },
	{ "F", "node-affine-dyn", "azusa", "node affine, dynamic home, 2.4.18" },
	{ "ilb", "pooling-ilb", "azusa-2.5.39", "numa_sched+ilb of the 4-run "
	  "table, 2.5.39" },
	{ NULL, NULL, NULL, NULL }
};

static const int job_numbers[] = { 4, 8, 16, 32, 64 };

#define NR_ROWS ((int)(sizeof(job_numbers) / sizeof(*job_numbers)))

static const struct published_run *find_published(const char *system, int jobs)
{
	for (const struct published_run *p = published_numa_test; p->system; p++)
		if (!strcmp(p->system, system) && p->jobs == jobs)
			return p;
	return NULL;
}

void repro_cells(struct repro *r)
{
	*r = (struct repro){ .nr = 0 };
	for (int row = 0; row < NR_ROWS; row++) {
		for (int s = 0; repro_systems[s].name; s++) {
			const struct published_run *p =
				find_published(repro_systems[s].name,
					       job_numbers[row]);

			r->cell[r->nr++] = (struct repro_cell){
				.system = s,
				.jobs = job_numbers[row],
				.published = p,
				.disturbed = !p || !isnan(p->h),
			};
		}
	}
}

/* Of the node with most, of the whole. */
static double largest_share(const struct bench_job *j)
{
	return j->cpu_ns && j->most_node >= 0 ?
		(double)j->node_ns[j->most_node] / (double)j->cpu_ns : 0;
}

static void residency(const struct bench_result *r, double *figure)
{
	struct stats start = { 0 }, share = { 0 };
	int settled = 0;

	for (int i = 0; i < r->nr_jobs; i++) {
		const struct bench_job *j = &r->job[i];

		stats_add(&share, 100 * largest_share(j));
		settled += largest_share(j) >= 0.99;
		if (j->first_node >= 0 && j->first_node != j->most_node)
			stats_add(&start,
				  (double)j->node_ns[j->first_node] / 1e9);
	}
	figure[RESIDENCY_MOVED] = start.n;
	figure[RESIDENCY_START] = stats_mean(&start);
	figure[RESIDENCY_SETTLED] = settled;
	figure[RESIDENCY_SHARE] = stats_mean(&share);
}

int repro_run(const struct bench *b, const struct policy_spec *policy,
	      uint64_t seed, struct repro_run *out, struct err *err)
{
	struct bench_result r;
	double h = NAN;

	if (!bench_run(b, policy, seed, &r, err)) {
		if (r.hackbench_ns >= 0)
			h = (double)r.hackbench_ns / 1e9;
		out->figure[FIGURE_U] = bench_mean_user(&r);
		out->figure[FIGURE_TU] = bench_mean_user(&r) * r.nr_jobs;
		out->figure[FIGURE_E] = (double)r.elapsed_ns / 1e9;
		out->figure[FIGURE_H] = h;
		out->figure[FIGURE_EH] = out->figure[FIGURE_E] -
			(isnan(h) ? 0 : h);
		residency(&r, out->residency);
	}
	bench_result_release(&r);
	return err->code;
}

void repro_add(struct repro_cell *c, const struct repro_run *run)
{
	for (int f = 0; f < FIGURE_NR; f++)
		stats_add(&c->figure[f], run->figure[f]);
	for (int k = 0; k < RESIDENCY_NR; k++)
		stats_add(&c->residency[k], run->residency[k]);
}

/* -- what it is judged by ------------------------------------------------------- */

const struct repro_cell *repro_find(const struct repro *r, const char *system,
				    int jobs)
{
	for (int i = 0; i < r->nr; i++)
		if (r->cell[i].jobs == jobs &&
		    !strcmp(repro_systems[r->cell[i].system].name, system))
			return &r->cell[i];
	return NULL;
}

static double error_of(const struct repro_cell *c, enum figure f)
{
	double published = c->published ? published_figure(c->published, f) : NAN;

	return fabs(stats_mean(&c->figure[f]) / published - 1);
}

double repro_error(const struct repro *r, enum figure f,
		   bool (*skip)(const struct repro_cell *c))
{
	struct stats s = { 0 };

	for (int i = 0; i < r->nr; i++)
		if (!skip || !skip(&r->cell[i]))
			stats_add(&s, error_of(&r->cell[i], f));
	return stats_mean(&s);
}

/* E with up to 16 jobs: all undisturbed, so in effect the calibration. */
static bool is_calibration(const struct repro_cell *c)
{
	return !strcmp(repro_systems[c->system].name, "E") && c->jobs <= 16;
}

/* Of published and simulated deviations of U from the means of their rows. */
static double correlation(const struct repro *r)
{
	double x[REPRO_MAX_CELLS], y[REPRO_MAX_CELLS], xx = 0, yy = 0, xy = 0;
	int n = 0;

	for (int row = 0; row < NR_ROWS; row++) {
		struct stats pub = { 0 }, sim = { 0 };
		int first = n;

		for (int i = 0; i < r->nr; i++) {
			const struct repro_cell *c = &r->cell[i];

			if (c->jobs != job_numbers[row] || !c->published)
				continue;
			x[n] = c->published->u;
			y[n] = stats_mean(&c->figure[FIGURE_U]);
			stats_add(&pub, x[n]);
			stats_add(&sim, y[n++]);
		}
		for (int i = first; i < n; i++) {
			x[i] -= pub.mean;
			y[i] -= sim.mean;
		}
	}
	for (int i = 0; i < n; i++) {
		xx += x[i] * x[i];
		yy += y[i] * y[i];
		xy += x[i] * y[i];
	}
	return xy / sqrt(xx * yy);
}

/* Rows in which the published order holds: E best or within 1 % of it, or A the
 * worst. */
static int rows_in_order(const struct repro *r, bool worst_a)
{
	int good = 0;

	for (int row = 0; row < NR_ROWS; row++) {
		const char *who = worst_a ? "A" : "E";
		const struct repro_cell *me = repro_find(r, who,
							 job_numbers[row]);
		double mine = stats_mean(&me->figure[FIGURE_U]);
		bool ok = !worst_a || job_numbers[row] >= 16;

		for (int i = 0; i < r->nr; i++) {
			const struct repro_cell *c = &r->cell[i];
			double u = stats_mean(&c->figure[FIGURE_U]);

			if (c->jobs == job_numbers[row] && c->published &&
			    (worst_a ? u > mine : u < mine / 1.01))
				ok = false;
		}
		good += ok;
	}
	return good;
}

static int in_range(const struct repro *r, enum figure f)
{
	int nr = 0;

	for (int i = 0; i < r->nr; i++) {
		const struct repro_cell *c = &r->cell[i];
		double p = c->published ? published_figure(c->published, f) : NAN;

		nr += p >= c->figure[f].min && p <= c->figure[f].max;
	}
	return nr;
}

/* Rows of a 4-run average whose U (TU, E) is met: within a share of it, or
 * (share 0) within its spread and that of the seeds. */
static double averages(const struct repro *r, const char *published,
		       const char *system, double share)
{
	double worst = 0;
	int good = 0;

	for (const struct published_average *a = published_averages; a->system;
	     a++) {
		const struct repro_cell *c = repro_find(r, system, a->jobs);
		double u = stats_mean(&c->figure[FIGURE_U]), far;

		if (strcmp(a->system, published))
			continue;
		far = fabs(u - a->mean[0]);
		if (far / a->mean[0] > worst)
			worst = far / a->mean[0];
		good += a->jobs >= 8 && far <= a->plus_minus[0] +
			stats_sd(&c->figure[FIGURE_U]);
	}
	return share > 0 ? worst : good;
}

static void add(struct repro_yard *y, int *n, const char *what, double value,
		const char *wanted, bool met)
{
	struct repro_yard *me = &y[(*n)++];

	*me = (struct repro_yard){ .value = value, .met = met };
	strncpy(me->what, what, sizeof(me->what) - 1);
	strncpy(me->wanted, wanted, sizeof(me->wanted) - 1);
	me->is_share = strchr(wanted, '%') != NULL;
}

static void add_displaced(const struct repro *r, struct repro_yard *y, int *n)
{
	static const struct {
		const char *system;
		int jobs;
		const char *what, *wanted;
		double min, max;
	} which[] = {
		{ "B", 16, "displaced jobs of B at N = 16", "4", 2, 6 },
		{ "D", 16, "displaced jobs of D at N = 16", "1", 0.5, 2 },
		{ "E", 32, "displaced jobs of E at N = 32", "4", 2, 6 },
	};

	for (size_t i = 0; i < sizeof(which) / sizeof(*which); i++) {
		double v = stats_mean(&repro_find(r, which[i].system,
			which[i].jobs)->residency[RESIDENCY_MOVED]);

		add(y, n, which[i].what, v, which[i].wanted,
		    v >= which[i].min && v <= which[i].max);
	}
}

int repro_yards(const struct repro *r, struct repro_yard *y)
{
	double u = repro_error(r, FIGURE_U, NULL);
	double predicted = repro_error(r, FIGURE_U, is_calibration);
	double e = repro_error(r, FIGURE_E, NULL);
	double eh = repro_error(r, FIGURE_EH, NULL), corr = correlation(r);
	double a = averages(r, "2.5.39", "A", 1);
	int ilb = (int)averages(r, "numa_sched+ilb", "ilb", 0);
	int best = rows_in_order(r, false), worst = rows_in_order(r, true);
	int n = 0;

	add(y, &n, "U, mean error over the cells", u, "<= 3 %", u <= 0.03);
	add(y, &n, "U, without the three cells of E that are calibration",
	    predicted, "<= 3 %", predicted <= 0.03);
	add(y, &n, "U of A against the 4-run averages, worst row", a, "<= 3 %",
	    a <= 0.03);
	add(y, &n, "correlation of deviations from row means", corr, ">= 0.85",
	    corr >= 0.85);
	add(y, &n, "rows in which E is best or within 1 %", best, "5",
	    best == 5);
	add(y, &n, "rows (N >= 16) in which A is worst", worst, "3", worst == 3);
	add(y, &n, "published U inside the seeds' range, cells",
	    in_range(r, FIGURE_U), ">= 24", in_range(r, FIGURE_U) >= 24);
	add(y, &n, "published E inside the seeds' range, cells",
	    in_range(r, FIGURE_E), ">= 20", in_range(r, FIGURE_E) >= 20);
	add(y, &n, "numa_sched+ilb within its spread, rows (N >= 8)", ilb, "4",
	    ilb == 4);
	add(y, &n, "E, mean error", e, "<= 6 %", e <= 0.06);
	add(y, &n, "E-H, mean error", eh, "<= 8 %", eh <= 0.08);
	add_displaced(r, y, &n);
	return n;
}

/* SPDX-License-Identifier: MIT */
#include "ui/compare_study.h"

#include "ui/json.h"
#include "ui/replay_table.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- text ------------------------------------------------------------------------------ */

static const char *unit_name(enum metric_unit u)
{
	static const char *const names[] = {
		[UNIT_NS] = "s", [UNIT_SHARE] = "%", [UNIT_FACTOR] = "x",
		[UNIT_COUNT] = "", [UNIT_RATE] = "1/s",
	};

	return names[u];
}

/* The change of a mean: in points for shares, else relative where it can be. */
static void put_change(struct table *t, enum metric_unit u,
		       const struct stats *base, const struct stats *s)
{
	double from = base->mean, to = s->mean;

	if (!base->n || !s->n)
		table_text(t, base->n || s->n ? (s->n ? "new" : "gone") : "");
	else if (u == UNIT_SHARE)
		table_printf(t, "%+.1f", 100 * (to - from));
	else if (from == to)
		table_text(t, "=");
	else if (from == 0 || fabs(to / from) > 100)
		table_printf(t, "%+.4g", u == UNIT_NS ? (to - from) / 1e9 :
			     to - from);
	else
		table_printf(t, "%+.1f %%", 100 * (to - from) / from);
}

static void put_values(struct table *t, enum metric m, const struct stats *base,
		       const struct stats *s, bool is_base)
{
	char buf[80];

	table_text(t, metric_text(metric_table[m].unit, s, buf, sizeof(buf)));
	if (!is_base)
		put_change(t, metric_table[m].unit, base, s);
}

static void put_heads(const struct compare_study *c, struct table *t)
{
	char head[120];

	for (int g = 0; g < c->nr_groups; g++) {
		snprintf(head, sizeof(head), "%s (n=%d)", c->group[g].spec,
			 c->group[g].nr);
		table_column(t, head, TABLE_RIGHT);
		if (g)
			table_column(t, "change", TABLE_RIGHT);
	}
}

static void put_metric(struct table *t, enum metric m)
{
	const struct metric_def *d = &metric_table[m];
	const char *unit = unit_name(d->unit);

	table_printf(t, "%s%s%s", d->title, *unit ? ", " : "", unit);
}

static int print_totals(const struct compare_study *c)
{
	struct table *t = table_new();
	int r;

	table_column(t, "all tasks", TABLE_LEFT);
	put_heads(c, t);
	for (int m = 0; m < METRIC_NR; m++) {
		const struct stats *base = &c->compare.group[0].total[m];

		put_metric(t, (enum metric)m);
		for (int g = 0; g < c->nr_groups; g++)
			put_values(t, (enum metric)m, base,
				   &c->compare.group[g].total[m], !g);
	}
	r = table_print(t, stdout);
	table_free(t);
	return r;
}

static void put_task(const struct compare_study *c, struct table *t, int task)
{
	const struct task *k = &c->tasks.task[task];
	char comm[80];

	text_safe(k->comm, (int)strlen(k->comm), 0, comm, sizeof(comm));
	table_printf(t, "%s %d", comm, k->tid);
}

/* Tasks that ran in some of the runs only; own: of those, the scheduler's. */
static int count_partly(const struct compare_study *c, int *own)
{
	int nr = 0;

	*own = 0;
	for (int i = 0; i < c->compare.nr_changed; i++) {
		int task = c->compare.task[i], in = 0;

		for (int g = 0; g < c->nr_groups; g++)
			in += compare_of_task(&c->compare, g, task,
					      METRIC_CPU)->n > 0;
		if (in == c->nr_groups)
			continue;
		nr++;
		*own += c->is_own[task];
	}
	return nr;
}

static void print_partly(const struct compare_study *c)
{
	int own, nr = count_partly(c, &own);

	if (!nr)
		return;
	printf("%d task%s ran in %s of the runs%s", nr, text_s(nr),
	       c->nr_groups == 2 ? "only one" : "only some", own ? "; " : "\n");
	if (own)
		printf("%d of %s the recorded scheduler's own, not shown above\n",
		       own, own == 1 ? "them is" : "them are");
}

static int print_changes(const struct compare_study *c, int top)
{
	const struct compare *k = &c->compare;
	struct table *t = table_new();
	int shown = 0, hidden = 0, r;

	table_column(t, "largest changes", TABLE_LEFT);
	table_column(t, "", TABLE_LEFT);
	put_heads(c, t);
	for (int i = 0; i < k->nr_changes && k->change[i].weight > 0; i++) {
		const struct compare_change *x = &k->change[i];

		if (c->is_own[x->task])
			continue;
		if (top && shown == top) {
			hidden++;
			continue;
		}
		shown++;
		put_task(c, t, x->task);
		put_metric(t, x->metric);
		for (int g = 0; g < c->nr_groups; g++)
			put_values(t, x->metric,
				   compare_of_task(k, 0, x->task, x->metric),
				   compare_of_task(k, g, x->task, x->metric), !g);
	}
	r = shown ? table_print(t, stdout) : puts("no task changed") < 0;
	table_free(t);
	if (hidden)
		printf("and %d smaller one%s (--top 0 shows all)\n", hidden,
		       text_s(hidden));
	print_partly(c);
	return r;
}

int compare_print_text(const struct compare_study *c, int top)
{
	if (print_totals(c))
		return -1;
	putchar('\n');
	return print_changes(c, top);
}

/* -- CSV --------------------------------------------------------------------------------- */

static void csv_number(struct table *t, double v)
{
	if (isfinite(v))
		table_printf(t, "%.17g", v);
	else
		table_text(t, "");
}

/* task -1: of the whole run */
static void csv_row(const struct compare_study *c, struct table *t, int task,
		    int group, enum metric m)
{
	const struct compare *k = &c->compare;
	const struct stats *s = task < 0 ? &k->group[group].total[m] :
		compare_of_task(k, group, task, m);
	const struct stats *base = task < 0 ? &k->group[0].total[m] :
		compare_of_task(k, 0, task, m);

	table_text(t, task < 0 ? "run" : "task");
	table_text(t, task < 0 ? "" : c->tasks.task[task].comm);
	if (task < 0)
		table_text(t, "");
	else
		table_printf(t, "%d", c->tasks.task[task].tid);
	table_text(t, metric_table[m].name);
	table_text(t, c->group[group].spec);
	csv_number(t, stats_mean(s));
	csv_number(t, stats_sd(s));
	table_printf(t, "%d", s->n);
	csv_number(t, stats_mean(s) - stats_mean(base));
}

int compare_print_csv(const struct compare_study *c)
{
	static const char *const heads[] = {
		"scope", "comm", "tid", "metric", "run", "mean", "sd", "n",
		"change" };
	struct table *t = table_new();
	int r;

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		table_column(t, heads[i], TABLE_LEFT);
	for (int m = 0; m < METRIC_NR; m++)
		for (int g = 0; g < c->nr_groups; g++)
			csv_row(c, t, -1, g, (enum metric)m);
	for (int i = 0; i < c->compare.nr_changed; i++)
		for (int m = 0; m < METRIC_NR; m++)
			for (int g = 0; metric_table[m].of_task &&
			     g < c->nr_groups; g++)
				csv_row(c, t, c->compare.task[i], g,
					(enum metric)m);
	r = table_csv(t, stdout);
	table_free(t);
	return r;
}

/* -- JSON -------------------------------------------------------------------------------- */

static void json_stats(struct json *j, const struct stats *s)
{
	json_object(j);
	json_key(j, "mean");
	json_double(j, stats_mean(s));
	json_key(j, "sd");
	json_double(j, stats_sd(s));
	json_key(j, "n");
	json_int(j, s->n);
	json_end(j, '}');
}

static void json_run(const struct compare_study *c, struct json *j, int group)
{
	const struct run_info *r = compare_study_run(c, group);

	json_object(j);
	json_key(j, "policy");
	json_text(j, r->policy);
	json_key(j, "knobs");
	json_raw(j, r->knobs);
	json_key(j, "seeds");
	json_array(j);
	for (int i = 0; i < c->group[group].nr; i++)
		json_int(j, (int64_t)c->runs[c->group[group].index[i]].seed);
	json_end(j, ']');
	json_key(j, "ids");
	json_array(j);
	for (int i = 0; i < c->group[group].nr; i++)
		json_int(j, c->runs[c->group[group].index[i]].id);
	json_end(j, ']');
	json_key(j, "metrics");
	json_object(j);
	for (int m = 0; m < METRIC_NR; m++) {
		json_key(j, metric_table[m].name);
		json_stats(j, &c->compare.group[group].total[m]);
	}
	json_end(j, '}');
	json_end(j, '}');
}

/* Each metric has one entry per run, in the order of "runs". */
static void json_task(const struct compare_study *c, struct json *j, int task)
{
	const struct task *k = &c->tasks.task[task];

	json_object(j);
	json_key(j, "comm");
	json_text(j, k->comm);
	json_key(j, "tid");
	json_int(j, k->tid);
	json_key(j, "pid");
	json_int(j, k->pid);
	json_key(j, "start_ns");
	json_int(j, k->start_ns);
	json_key(j, "metrics");
	json_object(j);
	for (int m = 0; m < METRIC_NR; m++) {
		if (!metric_table[m].of_task)
			continue;
		json_key(j, metric_table[m].name);
		json_array(j);
		for (int g = 0; g < c->nr_groups; g++)
			json_stats(j, compare_of_task(&c->compare, g, task,
						      (enum metric)m));
		json_end(j, ']');
	}
	json_end(j, '}');
	json_end(j, '}');
}

void compare_print_json(const struct compare_study *c)
{
	struct json j;

	json_open(&j, stdout);
	json_object(&j);
	json_key(&j, "runs");
	json_array(&j);
	for (int g = 0; g < c->nr_groups; g++)
		json_run(c, &j, g);
	json_end(&j, ']');
	json_key(&j, "tasks");
	json_array(&j);
	for (int i = 0; i < c->compare.nr_changed; i++)
		json_task(c, &j, c->compare.task[i]);
	json_end(&j, ']');
	json_end(&j, '}');
	json_done(&j);
}

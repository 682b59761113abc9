/* SPDX-License-Identifier: MIT */
#include "ui/fidelity_print.h"

#include "model/err.h"
#include "ui/json.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>

static void number(struct table *t, enum fidelity_unit unit, double x)
{
	if (isnan(x))
		table_text(t, "-");
	else if (unit == FIDELITY_COUNT)
		table_printf(t, "%.0f", x);
	else
		table_printf(t, unit == FIDELITY_SECONDS ? "%.1f" : "%.3f", x);
}

static const char *verdict(const struct fidelity_verdict *v)
{
	if (!v->judged)
		return "";
	return v->inside ? "inside" : "OUTSIDE";
}

static void add_row(struct table *t, int m, const struct stats *real,
		    const struct stats *sim)
{
	const struct fidelity_def *def = &fidelity_table[m];
	struct fidelity_verdict v;

	fidelity_judge(m, real, sim, &v);
	table_text(t, def->title);
	number(t, def->unit, stats_mean(real));
	number(t, def->unit, stats_sd(real));
	number(t, def->unit, real->n ? real->min : NAN);
	number(t, def->unit, real->n ? real->max : NAN);
	number(t, def->unit, stats_mean(sim));
	number(t, def->unit, stats_sd(sim));
	if (isnan(v.z))
		table_text(t, "-");
	else
		table_printf(t, "%.1f", v.z);
	table_text(t, verdict(&v));
}

static int print_table(const struct stats *real, const struct stats *sim,
		       bool csv, struct err *err)
{
	static const char *const heads[] = { "metric", "real mean", "sd",
		"min", "max", "simulated", "sd", "z", "verdict" };
	struct table *t = table_new();
	int r;

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		table_column(t, heads[i], i && i < 8 ? TABLE_RIGHT : TABLE_LEFT);
	for (int m = 0; m < FIDELITY_NR; m++)
		add_row(t, m, &real[m], &sim[m]);
	r = csv ? table_csv(t, stdout) : table_print(t, stdout);
	table_free(t);
	if (r)
		return table_output_failed(err);
	return 0;
}

static void say_bound(const struct stats *real)
{
	int nr = real[FIDELITY_ELAPSED].n;

	if (nr > 1)
		printf("inside: |z| < %.2f (%d real runs), or nearer than %.2f "
		       "of a share, %.0f %% of a rate or count\n",
		       fidelity_bound(nr), nr, FIDELITY_SHARE_NEAR,
		       100 * FIDELITY_PART_NEAR);
	else
		puts("one real run: the difference is all there is to say");
}

static void json_row(struct json *j, int m, const struct stats *real,
		     const struct stats *sim)
{
	struct fidelity_verdict v;

	fidelity_judge(m, real, sim, &v);
	json_object(j);
	json_key(j, "name");
	json_text(j, fidelity_table[m].name);
	json_key(j, "n_real");
	json_int(j, real->n);
	json_key(j, "real_mean");
	json_double(j, stats_mean(real));
	json_key(j, "real_sd");
	json_double(j, stats_sd(real));
	json_key(j, "real_min");
	json_double(j, real->n ? real->min : NAN);
	json_key(j, "real_max");
	json_double(j, real->n ? real->max : NAN);
	json_key(j, "sim_mean");
	json_double(j, stats_mean(sim));
	json_key(j, "sim_sd");
	json_double(j, stats_sd(sim));
	json_key(j, "z");
	json_double(j, v.z);
	json_key(j, "judged");
	json_bool(j, v.judged);
	json_key(j, "inside");
	if (v.judged)
		json_bool(j, v.inside);
	else
		json_null(j);
	json_end(j, '}');
}

void fidelity_print_json(const struct stats *real, const struct stats *sim)
{
	struct json j;

	json_open(&j, stdout);
	json_object(&j);
	json_key(&j, "metrics");
	json_array(&j);
	for (int m = 0; m < FIDELITY_NR; m++)
		json_row(&j, m, &real[m], &sim[m]);
	json_end(&j, ']');
	json_end(&j, '}');
	json_done(&j);
}

int fidelity_print_csv(const struct stats *real, const struct stats *sim,
		       struct err *err)
{
	return print_table(real, sim, true, err);
}

int fidelity_print(const struct stats *real, const struct stats *sim,
		   struct err *err)
{
	if (print_table(real, sim, false, err))
		return err->code;
	say_bound(real);
	return 0;
}

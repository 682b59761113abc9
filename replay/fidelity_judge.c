/* SPDX-License-Identifier: MIT */
#include "replay/fidelity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Student's t, 97.5 %, by degrees of freedom. */
static const double t975[] = {
	NAN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
	2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093,
	2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045,
	2.042
};

#define NR_T ((int)(sizeof(t975) / sizeof(*t975)))

double fidelity_bound(int nr_real)
{
	int df = nr_real - 1;
	double t;

	if (nr_real < 2)
		return NAN;
	/* Beyond the table: 1.96 + 2.37 / df + 2.82 / df^2, the first terms of
	 * the expansion about the normal distribution. */
	t = df < NR_T ? t975[df] : 1.96 + 2.37 / df + 2.82 / df / df;
	return t * sqrt(1 + 1.0 / nr_real);
}

void fidelity_judge(enum fidelity_metric m, const struct stats *real,
		    const struct stats *sim, struct fidelity_verdict *v)
{
	const struct fidelity_def *def = &fidelity_table[m];
	double diff = stats_mean(sim) - stats_mean(real), sd = stats_sd(real);
	double near = def->unit == FIDELITY_SHARE ? FIDELITY_SHARE_NEAR :
		FIDELITY_PART_NEAR * fabs(stats_mean(real));

	*v = (struct fidelity_verdict){
		.z = sd > 0 ? diff / sd : NAN,
		.judged = def->judged && real->n > 1 && sim->n > 0,
	};
	v->inside = fabs(diff) <= near ||
		fabs(v->z) < fidelity_bound(real->n);
}

char *fidelity_json(const double *real, const double *sim)
{
	char *text = malloc(64 * FIDELITY_NR + 3), *p = text;

	if (!text)
		return NULL;
	*p++ = '{';
	for (int i = 0; i < FIDELITY_NR; i++) {
		double d = sim[i] - real[i];

		p += sprintf(p, "%s\"%s\": ", i ? ", " : "",
			     fidelity_table[i].name);
		p += isfinite(d) ? sprintf(p, "%.6g", d) : sprintf(p, "null");
	}
	*p++ = '}';
	*p = '\0';
	return text;
}

/* SPDX-License-Identifier: MIT */
#include "replay/stats.h"

#include <math.h>

void stats_add(struct stats *s, double x)
{
	double old = s->mean;

	if (isnan(x))
		return;
	if (!s->n || x < s->min)
		s->min = x;
	if (!s->n || x > s->max)
		s->max = x;
	s->n++;
	s->mean += (x - old) / s->n;
	s->m2 += (x - old) * (x - s->mean);
}

double stats_mean(const struct stats *s)
{
	return s->n ? s->mean : NAN;
}

double stats_sd(const struct stats *s)
{
	return s->n > 1 ? sqrt(s->m2 / (s->n - 1)) : NAN;
}

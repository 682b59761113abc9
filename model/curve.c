/* SPDX-License-Identifier: MIT */
#include "model/curve.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

int curve_init(struct curve *c, const int *nodes, int nr, struct err *err)
{
	*c = (struct curve){ .nr_nodes = nr };
	c->node = malloc(((size_t)nr + 1) * sizeof(*c->node));
	c->rate = calloc((size_t)nr + 1, sizeof(*c->rate));
	if (!c->node || !c->rate) {
		curve_release(c);
		return err_nomem(err);
	}
	if (nr)
		memcpy(c->node, nodes, (size_t)nr * sizeof(*nodes));
	return 0;
}

void curve_release(struct curve *c)
{
	free(c->node);
	free(c->ts);
	free(c->sum);
	free(c->rate);
	*c = (struct curve){ 0 };
}

/* From a to b, where a <= b; any two times have a difference in uint64_t. */
static double between(int64_t a, int64_t b)
{
	return (double)((uint64_t)b - (uint64_t)a);
}

static double *row(const struct curve *c, int i)
{
	return c->sum + (size_t)i * (size_t)(1 + c->nr_nodes);
}

static bool same(const struct curve *c, const double *share)
{
	if (!share || !c->rate[0])
		return !share && !c->rate[0];
	return !c->nr_nodes || !memcmp(c->rate + 1, share,
				       (size_t)c->nr_nodes * sizeof(*share));
}

static int grow(struct curve *c, struct err *err)
{
	size_t width = (size_t)(1 + c->nr_nodes) * sizeof(double);
	size_t size = c->size ? 2 * (size_t)c->size : 4;
	int64_t *ts = realloc(c->ts, size * sizeof(*ts));
	double *sum;

	if (!ts)
		return err_nomem(err);
	c->ts = ts;
	sum = realloc(c->sum, size * width);
	if (!sum)
		return err_nomem(err);
	c->sum = sum;
	c->size = (int)size;
	return 0;
}

int curve_step(struct curve *c, int64_t ts, const double *share,
	       struct err *err)
{
	double *sum;

	if (same(c, share))
		return 0;
	if (!c->nr || ts > c->ts[c->nr - 1]) {
		if (c->nr == c->size && grow(c, err))
			return err->code;
		sum = row(c, c->nr);
		for (int i = 0; i <= c->nr_nodes; i++)
			sum[i] = !c->nr ? 0 : row(c, c->nr - 1)[i] +
				c->rate[i] *
				between(c->ts[c->nr - 1], ts);
		c->ts[c->nr++] = ts;
	}
	c->rate[0] = share != NULL;
	for (int i = 0; i < c->nr_nodes; i++)
		c->rate[1 + i] = share ? share[i] : 0;
	return 0;
}

/* The last step at or before t, -1: t lies before the first. */
static int find(const struct curve *c, int64_t t, int hint)
{
	int lo = 0, hi = c->nr, reach = 1;

	if (hint > 0 && hint <= c->nr && c->ts[hint - 1] <= t) {
		lo = hint;
		while (lo + reach < c->nr && c->ts[lo + reach - 1] <= t) {
			lo += reach;
			reach *= 2;
		}
		if (lo + reach < hi)
			hi = lo + reach;
	}
	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (c->ts[mid] <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - 1;
}

/* The rate of a quantity within step i. */
static double rate_at(const struct curve *c, int i, int q)
{
	if (i == c->nr - 1)
		return c->rate[q];
	return (row(c, i + 1)[q] - row(c, i)[q]) /
	       between(c->ts[i], c->ts[i + 1]);
}

static double integral_of(const struct curve *c, int a, int b, int q,
			  const int64_t *t)
{
	double sum = 0;

	if (a == b)
		return a < 0 ? 0 : rate_at(c, a, q) * between(t[0], t[1]);
	if (a >= 0)
		sum -= row(c, a)[q] +
		       rate_at(c, a, q) * between(c->ts[a], t[0]);
	return sum + row(c, b)[q] +
	       rate_at(c, b, q) * between(c->ts[b], t[1]);
}

double curve_integral(const struct curve *c, int64_t from, int64_t to,
		      int *hint, double *into)
{
	const int64_t t[2] = { from, to };
	int a, b;

	a = find(c, from, hint ? *hint : 0);
	b = find(c, to, a + 1);
	if (hint)
		*hint = a + 1;
	for (int i = 0; i < c->nr_nodes; i++)
		into[i] = integral_of(c, a, b, 1 + i, t);
	return integral_of(c, a, b, 0, t);
}

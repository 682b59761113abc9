/* SPDX-License-Identifier: MIT */
#include "model/clusters.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

void clusters_release(struct clusters *c)
{
	free(c->run);
	*c = (struct clusters){ 0 };
}

/* The first run that the page could be part of, or that lies behind it. */
static int find_run(const struct clusters *c, uint64_t page)
{
	int lo = 0, hi = c->nr;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (c->run[mid].last + c->gap < page)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Closes the holes that are none any more, from run i on. */
static void join(struct clusters *c, int i)
{
	int to = i;

	for (int k = i + 1; k < c->nr; k++) {
		if (c->run[k].first <= c->run[to].last + c->gap) {
			if (c->run[k].last > c->run[to].last)
				c->run[to].last = c->run[k].last;
		} else {
			c->run[++to] = c->run[k];
		}
	}
	c->nr = to + 1;
}
static int insert_run(struct clusters *c, int i, uint64_t page)
{
	struct cluster *r;

	if (c->nr == c->size) {
		int size = c->size ? 2 * c->size : 8;

		r = realloc(c->run, (size_t)size * sizeof(*r));
		if (!r)
			return ERR_NOMEM;
		c->run = r;
		c->size = size;
	}
	r = &c->run[i];
	memmove(r + 1, r, (size_t)(c->nr - i) * sizeof(*r));
	*r = (struct cluster){ page, page };
	c->nr++;
	while (c->nr > CLUSTERS_MAX) {
		c->gap *= 2;
		join(c, 0);
	}
	return 0;
}

int clusters_add(struct clusters *c, uint64_t page)
{
	struct cluster *r;
	int i = c->last_hit;

	if (!c->gap)
		c->gap = CLUSTERS_GAP;
	if (i < c->nr && page >= c->run[i].first && page <= c->run[i].last)
		return 0;
	i = c->last_hit = find_run(c, page);
	if (i == c->nr || c->run[i].first > page + c->gap)
		return insert_run(c, i, page);
	r = &c->run[i];
	if (page < r->first)
		r->first = page;
	if (page > r->last) {
		r->last = page;
		if (i + 1 < c->nr && c->run[i + 1].first <= page + c->gap)
			join(c, i);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "model/run.h"

#include "model/rng.h"

#include <stdlib.h>
#include <string.h>

struct area *areas_add(struct areas *a, int proc)
{
	struct area *area;

	if (a->nr == a->size) {
		int size = a->size ? 2 * a->size : 64;

		area = realloc(a->area, (size_t)size * sizeof(*area));
		if (!area)
			return NULL;
		a->area = area;
		a->size = size;
	}
	area = &a->area[a->nr];
	*area = (struct area){ .id = a->nr, .proc = proc };
	area->name = strdup("");
	if (!area->name)
		return NULL;
	a->nr++;
	return area;
}

void areas_release(struct areas *a)
{
	for (int i = 0; i < a->nr; i++)
		free(a->area[i].name);
	free(a->area);
	*a = (struct areas){ 0 };
}

void run_info_release(struct run_info *r)
{
	free(r->policy);
	free(r->knobs);
	free(r->cost);
	free(r->discipline);
	free(r->fidelity);
	free(r->topology);
	*r = (struct run_info){ 0 };
}

uint64_t span_checksum(const struct span *s)
{
	uint64_t who = (uint64_t)(uint32_t)s->task << 32 | (uint32_t)s->cpu;

	who = rng_mix(who + RNG_STEP);
	who = rng_mix(who + (uint64_t)s->start_ns);
	return rng_mix(who + (uint64_t)s->end_ns);
}

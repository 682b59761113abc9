/* SPDX-License-Identifier: MIT */
/* A policy all of whose decisions are wrong, but well formed. */
#include "replay/policy.h"

#include <limits.h>

static int select_cpu(void *state, const struct view *v,
		      const struct select_args *a, struct decisions *d)
{
	return INT_MIN;
}

static int place_page(void *state, const struct view *v, int task, int area,
		      int64_t *pages)
{
	*pages = INT64_MIN;
	return 40;
}

static void tick(void *state, const struct view *v, int cpu,
		 struct decisions *d)
{
	static const struct pull pulls[] = {
		{ 0, 99, MOVE_PUSH }, { -5, 1, MOVE_PUSH },
		{ 1, 0, MOVE_PUSH }, { 0, 1, (enum move_why)200 },
	};
	static const struct page_move moves[] = {
		{ 9, 0, 1, 1 }, { 0, 0, 9, 1 }, { 0, -1, 0, 1 },
		{ 0, 0, 1, 1 }, { 0, 0, 1, -3 },
	};

	if (cpu || view_ticks(v) != 1)
		return;
	for (int i = 0; i < 4; i++)
		decide_pull(d, &pulls[i]);
	for (int i = 0; i < 5; i++)
		decide_pages(d, &moves[i]);
	decide_home(d, 0, 7);
	decide_home(d, 1, 0);
	decide_count(d, (enum policy_count)99, 1);
	decide_count(d, (enum policy_count)-1, 1);
}

static const struct policy_ops nonsense = {
	.name = "nonsense",
	.title = "wrong in every way",
	.about = "For tests.\n",
	.discipline = "queue_fifo",
	.select_cpu = select_cpu,
	.place_page = place_page,
	.tick = tick,
};

const struct policy_plugin homenode_policy = {
	POLICY_PLUGIN_BUILD, .ops = &nonsense };

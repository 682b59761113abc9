/* SPDX-License-Identifier: MIT */
/* CPUs x time, in the order of node, cache, core. */
#include "ui/view_heat.h"

static int open_cpus(void *view, struct tui *t, struct err *err)
{
	return view_heat_open(view, t, ROWS_CPUS);
}

const struct view_ops view_cpus = {
	.name = "cpus",
	.short_name = "cpus",
	.keys = view_heat_keys,
	.more_keys = view_heat_time_keys,
	.size = sizeof(struct view_heat),
	.open = open_cpus,
	.close = view_heat_close,
	.stale = view_heat_stale,
	.draw = view_heat_draw,
	.command = view_heat_command,
	.where = view_heat_where,
	.counts_all = view_heat_counts_all,
	.go = view_heat_go,
};

/* SPDX-License-Identifier: MIT */
/* Nodes x time: how busy their CPUs were. */
#include "ui/view_heat.h"

static int open_nodes(void *view, struct tui *t, struct err *err)
{
	return view_heat_open(view, t, ROWS_NODES);
}

const struct view_ops view_nodes = {
	.name = "nodes",
	.short_name = "nodes",
	.keys = view_heat_keys,
	.more_keys = view_heat_time_keys,
	.size = sizeof(struct view_heat),
	.open = open_nodes,
	.close = view_heat_close,
	.stale = view_heat_stale,
	.draw = view_heat_draw,
	.command = view_heat_command,
	.where = view_heat_where,
	.counts_all = view_heat_counts_all,
	.go = view_heat_go,
};

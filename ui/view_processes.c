/* SPDX-License-Identifier: MIT */
/* Processes x time: all threads of one in a row. */
#include "ui/view_heat.h"

static int open_processes(void *view, struct tui *t, struct err *err)
{
	return view_heat_open(view, t, ROWS_PROCESSES);
}

const struct view_ops view_processes = {
	.name = "processes",
	.short_name = "procs",
	.keys = view_heat_keys,
	.more_keys = view_heat_time_keys,
	.size = sizeof(struct view_heat),
	.open = open_processes,
	.close = view_heat_close,
	.stale = view_heat_stale,
	.draw = view_heat_draw,
	.command = view_heat_command,
	.where = view_heat_where,
	.go = view_heat_go,
};

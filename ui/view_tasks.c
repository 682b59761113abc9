/* SPDX-License-Identifier: MIT */
/* Tasks x time: where each ran, and where its pages were. */
#include "ui/view_heat.h"

static int open_tasks(void *view, struct tui *t, struct err *err)
{
	return view_heat_open(view, t, ROWS_TASKS);
}

const struct view_ops view_tasks = {
	.name = "tasks",
	.short_name = "tasks",
	.keys = view_heat_keys,
	.more_keys = view_heat_time_keys,
	.size = sizeof(struct view_heat),
	.open = open_tasks,
	.close = view_heat_close,
	.stale = view_heat_stale,
	.draw = view_heat_draw,
	.command = view_heat_command,
	.where = view_heat_where,
	.go = view_heat_go,
};

/* SPDX-License-Identifier: MIT */
/* Memory areas x time: on which nodes their pages were. */
#include "ui/view_heat.h"

static int open_memory(void *view, struct tui *t, struct err *err)
{
	return view_heat_open(view, t, ROWS_MEMORY);
}

const struct view_ops view_memory = {
	.name = "memory",
	.short_name = "mem",
	.keys = view_heat_keys,
	.more_keys = view_heat_time_keys,
	.size = sizeof(struct view_heat),
	.open = open_memory,
	.close = view_heat_close,
	.stale = view_heat_stale,
	.draw = view_heat_draw,
	.command = view_heat_command,
	.where = view_heat_where,
	.go = view_heat_go,
};

/* SPDX-License-Identifier: MIT */
/* view_heat_local: what drawing and keys of the heatmap views share. */
#ifndef UI_VIEW_HEAT_LOCAL_H
#define UI_VIEW_HEAT_LOCAL_H

#include "ui/view_heat.h"

/* Begin of a column of the grid; the column under the cursor. */
int64_t view_heat_cell_ns(const struct view_heat *v, const struct tui *t,
			  int col);
int view_heat_col(const struct view_heat *v, const struct tui *t);

/* Lines that the detail pane takes of so many. */
static inline int view_heat_detail_lines(const struct view_heat *v, int lines)
{
	return v->no_detail ? 0 : lines >= 18 ? 4 : 1;
}

#endif

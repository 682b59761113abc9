/* SPDX-License-Identifier: MIT */
/* view_heat_local: what drawing and keys of the heatmap views share. */
#ifndef UI_VIEW_HEAT_LOCAL_H
#define UI_VIEW_HEAT_LOCAL_H

#include "ui/view_heat.h"

/* Begin of a column of the grid; the column under the cursor; the screen's
 * column of one of the grid. */
int64_t view_heat_cell_ns(const struct view_heat *v, const struct tui *t,
			  int col);
int view_heat_col(const struct view_heat *v, const struct tui *t);
int view_heat_x(const struct view_heat *v, int col);

/* The line of the screen on which a row begins, and the one of its label. */
int view_heat_line(const struct view_heat *v, const struct tui *t,
		   const struct heatmap *h, int panel, int row);
int view_heat_label_line(const struct view_heat *v, const struct tui *t,
			 const struct heatmap *h, int panel, int row);

/* What lies over the heatmap: tags, the marked window, the followed task. */
void view_heat_marks(const struct view_heat *v, struct tui *t,
		     const struct heatmap *h);

/* Puts the row on the CPU where the followed task is at the cursor. */
void view_heat_follow(struct view_heat *v, struct tui *t);
void view_heat_follow_key(struct view_heat *v, struct tui *t);

/* To the next (by 1) or previous (-1) migration of the task: to another node, or
 * to another CPU. */
void view_heat_move(struct view_heat *v, struct tui *t, int by, bool node);

/* Asks for a file and writes what is on the screen. */
void view_heat_write(struct view_heat *v, struct tui *t);

/* Lines that the detail pane takes of so many. */
static inline int view_heat_detail_lines(const struct view_heat *v, int lines)
{
	switch (v->detail) {
	case DETAIL_NONE:
		return 0;
	case DETAIL_SHORT:
		return lines >= 18 ? 5 : 1;
	default:
		return lines >= 18 ? 9 : lines > 6 ? lines - 5 : 1;
	}
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * view_heat: what the views that are heatmaps share: rows x time with a cursor.
 * A view of one kind of rows is a view_ops with a struct view_heat as its
 * object and an open() that names the kind.
 */
#ifndef UI_VIEW_HEAT_H
#define UI_VIEW_HEAT_H

#include "ui/heatmap.h"
#include "ui/tui.h"

enum view_heat_detail { DETAIL_SHORT, DETAIL_LONG, DETAIL_NONE, NR_DETAILS };

struct view_heat {
	enum rows_kind kind;
	enum rows_sort sort;
	enum heat_mode mode;
	bool no_pages, no_legend;
	const struct heat_layout *as;	/* time lies as in this one; NULL */
	bool swapped;		/* the run beside comes first */
	enum view_heat_detail detail;
	const bool *only;	/* by task id: these alone; NULL: all that pass */

	struct rows rows;
	bool has_rows;		/* rows are those of run and filter */
	bool has_figures;	/* their figures are those of the window */
	int64_t sorted_from_ns, sorted_to_ns;	/* order is by this window */

	int row;		/* under the cursor */
	int first_row;		/* at the top */
	int chosen;		/* task or CPU of `row`, to find it again */
	int64_t row_ns;		/* the time for which `row` follows a task */

	struct heat_layout layout;	/* of the last drawing */
	bool has_layout;
	int top;			/* its first line */

	struct canvas_cell *kept;	/* what was painted, without cursor */
	size_t nr_kept;
	int kept_w;
	struct heatmap kept_of;
	struct heat_layout kept_layout;
	bool is_kept;
};

/* Of rows and what is shown of them; of time. */
extern const struct tui_binding view_heat_keys[], view_heat_time_keys[];

int view_heat_open(struct view_heat *v, struct tui *t, enum rows_kind kind);
void view_heat_close(void *view);
void view_heat_stale(void *view, struct tui *t, unsigned what);
int view_heat_draw(void *view, struct tui *t, int top, int lines,
		   struct err *err);
int view_heat_command(void *view, struct tui *t, int command,
		      const struct tui_key *key, struct err *err);
int view_heat_where(void *view, struct tui *t, int64_t *ns);
bool view_heat_counts_all(const void *view, const struct tui *t);
void view_heat_go(void *view, struct tui *t, int task, int64_t ns);

/* Both runs have something to draw. */
bool view_heat_ready(struct tui *t);

/* Paints rows that were made, and the cursor. */
int view_heat_paint(struct view_heat *v, struct tui *t, int top, int lines,
		    struct err *err);

/* Puts the cursor where the pointer is. */
void view_heat_point(struct view_heat *v, struct tui *t,
		     const struct tui_key *key);

/* The heatmap that the view shows now (view_heat.c). */
void view_heat_map(const struct view_heat *v, const struct tui *t,
		   struct heatmap *h);

#endif

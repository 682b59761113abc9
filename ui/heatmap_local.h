/* SPDX-License-Identifier: MIT */
/* heatmap_local: what layout, painting and legend of a heatmap share. */
#ifndef UI_HEATMAP_LOCAL_H
#define UI_HEATMAP_LOCAL_H

#include "ui/heatmap.h"

/* Lines that the legend takes at the layout's width; paints it, too. */
int heatmap_legend(const struct heat_layout *l, const struct heatmap *h,
		   const struct draw *d, bool paint);

/* Lines that the title takes (ui/heat_head.c); paints them, too. */
int heatmap_title(const struct heat_layout *l, const struct heatmap *h,
		  const struct draw *d, bool paint);
/* The same of a run's name and what is told of it: how high they are. */
int heatmap_head(const struct heat_layout *l, const struct heatmap *h,
		 const struct draw *d, int panel, bool paint);

/* Sets l->topo and l->topo_h: as much of the topology as has room in l->w. */
void heatmap_topo_fit(struct heat_layout *l, const struct heatmap *h,
		      const struct draw *d);
void heatmap_topo_paint(const struct heat_layout *l, const struct heatmap *h,
			const struct draw *d);
/* What the legend says of it, also where there is none. */
const char *heatmap_topo_text(const struct heat_layout *l,
			      const struct heatmap *h);

const char *heatmap_figure_head(enum heat_figure f);

#endif

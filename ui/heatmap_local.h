/* SPDX-License-Identifier: MIT */
/* heatmap_local: what layout, painting and legend of a heatmap share. */
#ifndef UI_HEATMAP_LOCAL_H
#define UI_HEATMAP_LOCAL_H

#include "ui/heatmap.h"

/* Lines that the legend takes at the layout's width; paints it, too. */
int heatmap_legend(const struct heat_layout *l, const struct heatmap *h,
		   const struct draw *d, bool paint);

const char *heatmap_figure_head(enum heat_figure f);

#endif

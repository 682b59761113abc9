/* SPDX-License-Identifier: MIT */
/*
 * export: one run in the form of another tool.  Each form reads what it needs
 * from the store as it goes; memory does not grow with the run's length.
 *
 * chrome	JSON of the trace event format, for chrome://tracing and Perfetto
 * perfetto	protobuf, for ui.perfetto.dev: sched_switch and sched_waking
 *		as if recorded, tracks for pages and changes of node
 * csv, json	rows of spans, moves, residency; JSON one object a line
 * text		what ftrace prints, of run 0: imported again it gives the same
 */
#ifndef UI_EXPORT_H
#define UI_EXPORT_H

#include "schema/store.h"

#include <stdio.h>

struct export_run {
	FILE *out;
	struct store *store;
	const struct run_info *run;
	const char *table;	/* "spans", "moves", "residency", "all" */
	struct topo topo;	/* that the run ran on */
	struct tasks tasks;
	struct areas areas;
	int *leader;		/* task id to that of its process */
};

int export_load(struct export_run *x, struct err *err);
void export_release(struct export_run *x);

/* What cannot be written shows in ferror(out). */
int export_chrome(struct export_run *x, struct err *err);
int export_perfetto(struct export_run *x, struct err *err);
int export_csv(struct export_run *x, struct err *err);
int export_json(struct export_run *x, struct err *err);
int export_text(struct export_run *x, struct err *err);

/* Task's process number and number to show; pid is tid where it is unknown. */
int export_pid(const struct export_run *x, int task);
const char *export_why(int why);	/* enum move_why */
const char *export_state(int state);	/* enum task_state */

/*
 * Sums of pages by process and node while changes of areas come; fn is called
 * once for each process and time after all of its changes of that time.
 */
struct export_pages;
typedef int (*export_pages_fn)(void *ctx, int64_t ts, int leader,
			       const int64_t *pages, struct err *err);
int export_each_pages(struct export_run *x, export_pages_fn fn, void *ctx,
		      struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * report: figures per task of one run in a window, filtered and sorted.
 *
 * report_read() adds the run up, report_print() writes it as a table in the
 * layout of the seeds' job tables, as CSV, or as JSON (DESIGN section 10).
 */
#ifndef UI_REPORT_H
#define UI_REPORT_H

#include "model/cost.h"
#include "model/residency.h"
#include "schema/store.h"

#include <stdbool.h>

enum report_sort {
	REPORT_CPU,		/* most CPU time first */
	REPORT_START,
	REPORT_NAME,
	REPORT_NODE,		/* node of most time, then CPU time */
	REPORT_LOCALITY,	/* lowest first, unknown last */
	REPORT_WAIT,		/* longest first */
	REPORT_MOVES,		/* most node migrations first */
};

struct report_query {
	int64_t from_ns, to_ns;	/* of the trace's clock */
	const char *comm;	/* shell pattern; NULL: all */
	const int *pid;
	int nr_pids;		/* 0: all */
	int sort;		/* enum report_sort */
	int top;		/* rows shown as text; 0: all */
	bool complete;		/* the window leaves out times at which events
				 * of some CPU are missing at an end */
};

struct report_total {
	int64_t cpu_ns, wait_ns;
	int64_t *node_ns;	/* [nr_node_ids] */
	double local_ns, known_ns, remote_ns;
	int64_t migrations, node_migrations;
	int64_t recorder_ns;	/* CPU time of homenode's own threads, which are
				 * in none of the others */
	int64_t pages_moved;	/* of the whole run, whatever the window */
	int64_t first_ns, last_ns;	/* of all tasks that count; of the run, if
					 * the COMMAND that was recorded is one */
};

struct report {
	struct store *store;
	struct topo topo;
	struct tasks tasks;
	struct areas areas;
	struct cost cost;
	const struct run_info *run;
	const struct report_query *query;
	struct residency *residency;
	int *task;		/* ids that passed the filter, in order */
	int nr_tasks;
	struct report_total total;
	int64_t cpu_lo_ns, cpu_hi_ns;	/* predicted; both 0: not a replay */
	int nr_losses;		/* loss intervals in the window */
	int64_t repairs;	/* of run 0 */
};

/* cost: as cost_parse() takes it, NULL: the defaults.  Run and query must
 * outlive it.  ERR_NOTFOUND if no task passes the filter. */
int report_read(struct report *r, struct store *s, const struct run_info *run,
		const struct report_query *q, const char *cost,
		struct err *err);
void report_release(struct report *r);

int report_print_text(const struct report *r);
int report_print_csv(const struct report *r);
void report_print_json(const struct report *r);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * rows: which rows a heatmap has, in which order, and the figures beside them.
 *
 * A row stands for one or more tasks, CPUs or memory areas; what it sums up is
 * the sum over them.  Rows beyond query.max_rows are put together into one,
 * "N others": nothing that passes the filter is left out.  Recorder threads
 * and tasks that did not run in the window are.  Rows of CPUs and nodes are
 * there whoever passes, and show what those ran.
 */
#ifndef UI_ROWS_H
#define UI_ROWS_H

#include "ui/study.h"

enum rows_kind {
	ROWS_TASKS,
	ROWS_PROCESSES,
	ROWS_CPUS,
	ROWS_NODES,
	ROWS_MEMORY,	/* memory areas */
	NR_ROWS_KINDS
};

/* Rows that the machine has, whoever runs: in its order, and all of them. */
static inline bool rows_are_cpus(enum rows_kind kind)
{
	return kind == ROWS_CPUS || kind == ROWS_NODES;
}

enum rows_sort {
	SORT_CPU,	/* most on-CPU time first */
	SORT_NODE,	/* by node of most time, then as SORT_CPU */
	SORT_LOCALITY,	/* least local first */
	SORT_START,	/* first span */
	SORT_NAME,
	SORT_MOVES,	/* most node migrations first */
	NR_SORTS
};

struct rows_query {
	enum rows_kind kind;
	enum rows_sort sort;
	bool keep_idle;		/* also tasks that did not run in the window */
	const char *text;	/* part of comm or cgroup, or a tid or pid;
				 * NULL: no filter */
	const char *comm;	/* what comm must match, as a shell pattern; NULL */
	const char *cgroup;	/* part of cgroup; NULL */
	const int *pid;		/* these processes only */
	int nr_pids;
	const bool *only;	/* by task id: these alone; NULL: all */
	int max_rows;		/* >= 1; 0: no limit */
	double min_share;	/* of all on-CPU time: rows with less go to the
				 * others; 0: none do */
	int64_t from_ns, to_ns;	/* figures and choice are for this window */
	int64_t max_spans;	/* CPUs that ran more in the window count all
				 * tasks, whatever the filter; 0: no limit */
};

/* Figures of a row in one run over the window. */
struct row_sum {
	int64_t run_ns, wait_ns, unsure_ns, censored_ns;
	double local_ns, known_ns;
	int64_t node_moves;
	int most_node;		/* place; -1 */
	int64_t pages;		/* of memory: mean over the window */
};

/* Of two rows together; most_node is then not known: -1. */
void row_sum_add(struct row_sum *to, const struct row_sum *s);

struct row {
	char *label;
	enum track_kind kind;	/* TRACK_NONE: areas */
	int nr, *number;	/* tasks, CPUs or areas, owned */
	int proc;		/* whose pages belong beside it; -1: none, or
				 * several processes */
	int node;		/* of CPU and node rows; -1 */
	bool is_others;
	const bool *only;	/* of CPUs: tasks that count; NULL: all */
	int64_t first_ns;	/* of its first span in any of the runs */
	struct row_sum *sum;	/* [rows.nr_runs] */
};

struct rows {
	enum rows_kind kind;
	int nr;
	struct row *row;
	int nr_runs;
	int64_t capacity_cpus;	/* online CPUs: a row cannot use more */
	bool *only;		/* of CPUs: tasks that pass; NULL: no filter */
	int64_t max_spans;	/* as in the query */
};

/* Whether a filter had to be left aside: see rows_query.max_spans. */
bool rows_count_all(const struct rows *rows);

/* For these runs (all loaded at least in part): rows are chosen by the sum over
 * them, so that each run shows the same ones. */
int rows_build(struct rows *rows, const struct study *s, const int *run,
	       int nr_runs, const struct rows_query *q, struct err *err);
void rows_release(struct rows *rows);

/* Makes the figures anew for another window; the rows stay as they are. */
int rows_figures(struct rows *rows, const struct study *s, const int *run,
		 int64_t from_ns, int64_t to_ns, struct err *err);

/* Another order, by the figures that they have. */
void rows_sort(struct rows *rows, const struct study *s, enum rows_sort sort);

/* CPUs that the row can keep busy at once: what a full cell means. */
int64_t row_capacity(const struct rows *rows, const struct row *row);

/* Fills one row of a grid with the row's CPU part (and, for rows with proc,
 * the pages), alive times included. */
void row_fill(const struct study *s, int run, const struct row *row,
	      struct grid *g, int at);

/* The span on the first CPU of such a row at a time, or the next one; where a
 * filter counts only some, the first of theirs that begins before until_ns. */
bool row_runner(const struct row *row, const struct tracks *t, int64_t ns,
		int64_t until_ns, struct span *sp);

/* The index of the row that holds a task (CPU), -1. */
int rows_find(const struct rows *rows, enum track_kind kind, int number);

/* "cpu", "node", ...; -1 with ERR_USAGE naming what is valid. */
int rows_sort_parse(const char *name, struct err *err);
int rows_kind_parse(const char *name, struct err *err);
const char *rows_sort_name(enum rows_sort s);
/* "tasks", ...: also the name of the view that shows them. */
const char *rows_kind_name(enum rows_kind k);

#endif

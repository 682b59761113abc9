/* SPDX-License-Identifier: MIT */
/*
 * pick: what image, heatmap and tui have in common on their command lines: the
 * options that choose rows, window and colours, and the runs to show.
 */
#ifndef UI_PICK_H
#define UI_PICK_H

#include "ui/heatmap.h"
#include "ui/opt.h"

struct pick {
	const char *mode, *rows, *sort, *comm, *cgroup, *pids, *theme, *title;
	int64_t top;		/* rows; 0: not given */
	int64_t from_ns, to_ns;	/* -1: not given; from the begin */
	bool no_pages, diff;
	/* read from the above by pick_check() and pick_resolve() */
	char *shown_title;	/* with bytes made safe; NULL: none given */
	enum theme theme_value;
	int *pid;
	int nr_pids;
	struct rows_query query;
};

#define PICK_INIT { .from_ns = -1, .to_ns = -1 }

/* Options of `struct pick p`, to be put into a table of options. */
#define PICK_OPTIONS(p)                                          \
	{ "mode", 'm', OPT_TEXT, &(p).mode },                    \
		{ "rows", 'r', OPT_TEXT, &(p).rows },            \
		{ "sort", 's', OPT_TEXT, &(p).sort },            \
		{ "top", 'n', OPT_COUNT, &(p).top },             \
		{ "comm", 'c', OPT_TEXT, &(p).comm },            \
		{ "pid", 'p', OPT_TEXT, &(p).pids },             \
		{ "cgroup", 0, OPT_TEXT, &(p).cgroup },          \
		{ "from", 0, OPT_TIME, &(p).from_ns },           \
		{ "to", 0, OPT_TIME, &(p).to_ns },               \
		{ "theme", 0, OPT_TEXT, &(p).theme },            \
		{ "title", 0, OPT_TEXT, &(p).title },            \
		{ "no-pages", 0, OPT_FLAG, &(p).no_pages },      \
		{ "diff", 0, OPT_FLAG, &(p).diff }

/* The text of --help for them. */
#define PICK_HELP \
	"  -m, --mode MODE     what colour means: node (default; where it ran),\n" \
	"                      locality, wait (for a CPU), load (of cpus and\n" \
	"                      nodes), or diff\n" \
	"      --diff          the difference of two runs (F --diff A B): locality in\n" \
	"                      B minus that in A, around 0; same as --mode diff\n" \
	"  -r, --rows ROWS     tasks (default), processes, cpus, nodes, memory\n" \
	"  -s, --sort ORDER    cpu (default), node, locality, start, name, moves\n" \
	"  -n, --top N         at most N rows, the rest in one row (default: those\n" \
	"                      with 0.5 % of the time on CPU, 40 at most)\n" \
	"  -c, --comm GLOB     only tasks with such a name: numawork, 'kworker/*';\n" \
	"                      of cpus and nodes what those ran there\n" \
	"  -p, --pid PID,...   only these processes\n" \
	"      --cgroup TEXT   only tasks with TEXT in their cgroup's path\n" \
	"      --from TIME     begin of the window, counted from the begin of\n" \
	"                      the recording: 5s, 250ms, ...\n" \
	"      --to TIME       its end\n" \
	"      --theme THEME   light or dark\n" \
	"      --title TEXT    instead of what the picture shows\n" \
	"      --no-pages      leave out the strips of pages\n"

/* Checks the words; before the file is opened. */
int pick_check(struct pick *p, struct heatmap *h, struct err *err);

/* Sets runs (operands; default: the recorded one), loads them, and sets window
 * and rows query of the heatmap. */
struct pick_operands {
	char **run;
	int nr;
};
int pick_resolve(struct pick *p, struct study *s,
		 const struct pick_operands *o, struct bar *bar,
		 struct heatmap *h, struct err *err);

/* rows_build() for p->query; ERR_NOTFOUND where nothing passes the filter. */
int pick_rows(const struct pick *p, const struct heatmap *h, struct rows *rows,
	      struct err *err);

void pick_release(struct pick *p);

#endif

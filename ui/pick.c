/* SPDX-License-Identifier: MIT */
#include "ui/pick.h"

#include "model/err.h"
#include "ui/axis.h"
#include "ui/run_pick.h"
#include "ui/run_text.h"
#include "ui/table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows without --top: what is seen at all, as many as a page takes. */
#define DEFAULT_ROWS 40
#define DEFAULT_SHARE 0.005

static int parse_pids(struct pick *p, struct err *err)
{
	const char *s = p->pids;
	char *end;

	p->pid = calloc(strlen(s) + 1, sizeof(*p->pid));
	if (!p->pid)
		return err_nomem(err);
	for (;;) {
		long pid;

		errno = 0;
		pid = strtol(s, &end, 10);
		if (end == s || errno || pid <= 0 || pid > INT_MAX ||
		    (*end && *end != ','))
			return err_set(err, ERR_USAGE,
				       "--pid '%s': process ids are wanted, "
				       "separated by commas", p->pids);
		p->pid[p->nr_pids++] = pid;
		if (!*end)
			return 0;
		s = end + 1;
	}
}

static int refuse_mode(enum heat_mode mode, enum rows_kind rows,
		       struct err *err)
{
	const char *name = rows_kind_name(rows);
	char list[100] = "";
	int i;

	for (i = 0; i < NR_HEAT_MODES; i++)
		if (heat_mode_suits(i, rows))
			err_list(list, sizeof(list), heat_mode_name(i));
	return err_set(err, ERR_USAGE, "mode %s is not of %s; --rows %s has: %s",
		       heat_mode_name(mode), name, name, list);
}

int pick_check(struct pick *p, struct heatmap *h, struct err *err)
{
	int mode = p->mode ? heat_mode_parse(p->mode, err) :
		   p->diff ? HEAT_DIFF : HEAT_NODE;
	int rows = p->rows ? rows_kind_parse(p->rows, err) : ROWS_TASKS;
	int sort = p->sort ? rows_sort_parse(p->sort, err) : SORT_CPU;

	if (mode < 0 || rows < 0 || sort < 0)
		return err->code;
	if (p->diff && mode != HEAT_DIFF)
		return err_set(err, ERR_USAGE,
			       "--diff and --mode %s exclude each other",
			       heat_mode_name(mode));
	if (!heat_mode_suits(mode, rows))
		return refuse_mode(mode, rows, err);
	if (rows_are_cpus(rows) && p->sort)
		return err_set(err, ERR_USAGE, "--sort is of tasks, processes "
			       "and memory; %s come in the machine's order",
			       rows_kind_name(rows));
	if (p->theme && strcmp(p->theme, "light") && strcmp(p->theme, "dark"))
		return err_set(err, ERR_USAGE,
			       "no theme '%s'; there are: light, dark",
			       p->theme);
	if (p->top > 100000)
		return err_set(err, ERR_USAGE, "--top wants 1 to 100000");
	if (p->from_ns >= 0 && p->to_ns >= 0 && p->from_ns >= p->to_ns)
		return err_set(err, ERR_USAGE, "--from is not before --to");
	if (p->theme)
		p->theme_value = strcmp(p->theme, "dark") ? THEME_LIGHT :
							    THEME_DARK;
	h->mode = mode;
	h->pages = !p->no_pages && mode != HEAT_DIFF;
	p->query = (struct rows_query){ .kind = rows, .sort = sort,
					.comm = p->comm, .cgroup = p->cgroup };
	h->title = p->shown_title = p->title ? text_safe_copy(p->title) : NULL;
	if (p->title && !h->title)
		return err_nomem(err);
	return p->pids ? parse_pids(p, err) : 0;
}

static int refuse_machines(const struct study *s, int a, int b,
			   struct err *err)
{
	char *text_a = run_text(&s->runs[a]), *text_b = run_text(&s->runs[b]);
	int ret;

	if (text_a && text_b)
		ret = err_set(err, ERR_USAGE, "%d (%s) and %d (%s) ran on "
			      "different machines: their nodes are not the "
			      "same; draw them one by one", s->runs[a].id,
			      text_a, s->runs[b].id, text_b);
	else
		ret = err_nomem(err);
	free(text_a);
	free(text_b);
	return ret;
}

static int pick_runs(const struct study *s, const struct pick_operands *o,
		     struct heatmap *h, struct err *err)
{
	int i;

	if (o->nr > HEATMAP_MAX_RUNS)
		return err_set(err, ERR_USAGE, "at most %d runs are shown",
			       HEATMAP_MAX_RUNS);
	if (h->mode == HEAT_DIFF && o->nr != 2)
		return err_set(err, ERR_USAGE,
			       "the difference is that of two runs, not of %d: "
			       "F --diff A B", o->nr);
	h->nr_runs = o->nr ? o->nr : 1;
	for (i = 0; i < o->nr; i++) {
		h->run[i] = run_pick(s->runs, s->nr_runs, o->run[i], err);
		if (h->run[i] < 0)
			return err_prefix(err, "'%s'", store_path(s->store));
		if (!study_same_machine(s, h->run[0], h->run[i]))
			return refuse_machines(s, h->run[0], h->run[i], err);
	}
	/* The first run is the base of a comparison, here as in compare. */
	if (h->mode == HEAT_DIFF) {
		i = h->run[0];
		h->run[0] = h->run[1];
		h->run[1] = i;
	}
	return 0;
}

/* The window that all runs lie in, cut to what was asked for. */
static int pick_window(const struct pick *p, const struct study *s,
		       struct heatmap *h, struct err *err)
{
	const struct run_info *r = s->run[h->run[0]].info;
	int64_t from = r->start_ns, to = r->end_ns;
	char name[64];
	int i;

	for (i = 1; i < h->nr_runs; i++) {
		r = s->run[h->run[i]].info;
		if (r->start_ns < from)
			from = r->start_ns;
		if (r->end_ns > to)
			to = r->end_ns;
	}
	if (from >= to)
		return err_set(err, ERR_NOTFOUND, "'%s': nothing ran",
			       store_path(s->store));
	h->zero_ns = from;
	if ((p->from_ns >= 0 && p->from_ns >= to - from) ||
	    (p->to_ns >= 0 && p->to_ns <= 0))
		return err_set(err, ERR_USAGE,
			       "the window is outside of the recording, which "
			       "is %s long",
			       axis_length(to - from, name, sizeof(name)));
	h->from_ns = p->from_ns >= 0 ? from + p->from_ns : from;
	h->to_ns = p->to_ns >= 0 && p->to_ns < to - from ? from + p->to_ns : to;
	return 0;
}

/* A strip that is blank all over takes room and says nothing. */
static void look_for_pages(const struct study *s, struct heatmap *h)
{
	int i, k;

	for (k = 0; k < h->nr_runs; k++)
		for (i = 0; i < s->tasks.nr; i++)
			if (pages_known(s->run[h->run[k]].pages, i))
				return;
	h->no_pages_known = true;
	h->pages = false;
}

int pick_resolve(struct pick *p, struct study *s,
		 const struct pick_operands *o, struct bar *bar,
		 struct heatmap *h, struct err *err)
{
	int ret, i;

	ret = pick_runs(s, o, h, err);
	if (!ret)
		ret = pick_window(p, s, h, err);
	for (i = 0; !ret && i < h->nr_runs; i++)
		ret = study_load(s, h->run[i], bar, err);
	if (ret)
		return ret;
	h->study = s;
	look_for_pages(s, h);
	p->query.pid = p->pid;
	p->query.nr_pids = p->nr_pids;
	p->query.from_ns = h->from_ns;
	p->query.to_ns = h->to_ns;
	p->query.max_rows = p->top;
	if (!p->top && !rows_are_cpus(p->query.kind)) {
		p->query.max_rows = DEFAULT_ROWS;
		p->query.min_share = DEFAULT_SHARE;
	}
	return 0;
}

/* Some names that --comm would find, those with most time first. */
static void names_there(const struct heatmap *h, const struct rows_query *q,
			char *buf, int size)
{
	struct rows_query all = { .kind = ROWS_TASKS, .from_ns = q->from_ns,
				  .to_ns = q->to_ns };
	struct err ignored = { 0 };
	const char *last = NULL;
	struct rows rows;
	int i, nr = 0, at = 0;

	buf[0] = 0;
	if (rows_build(&rows, h->study, h->run, h->nr_runs, &all, &ignored) < 0)
		return;
	for (i = 0; i < rows.nr && nr < 5 && at < size - 80; i++) {
		const char *comm =
			h->study->tasks.task[rows.row[i].number[0]].comm;
		char safe[64];

		if (last && !strcmp(last, comm))
			continue;
		last = comm;
		text_safe(comm, strlen(comm), 0, safe, sizeof(safe));
		at += snprintf(buf + at, size - at, "%s%s",
			       nr++ ? ", " : "; there are: ", safe);
	}
	if (i < rows.nr && nr)
		snprintf(buf + at, size - at, ", ...");
	rows_release(&rows);
}

int pick_rows(const struct pick *p, const struct heatmap *h, struct rows *rows,
	      struct err *err)
{
	int ret = rows_build(rows, h->study, h->run, h->nr_runs, &p->query,
			     err);
	bool filter = p->comm || p->pids || p->cgroup;
	char names[500];

	if (ret < 0 || rows->nr)
		return ret;
	rows_release(rows);
	if (p->query.kind == ROWS_MEMORY && h->no_pages_known)
		return err_set(err, ERR_NOTFOUND, "'%s': nothing is known of "
			       "memory areas: record them (without "
			       "--no-memory), or import with --numa-maps",
			       store_path(h->study->store));
	if (!filter)
		return err_set(err, ERR_NOTFOUND,
			       "'%s': nothing lies in this window",
			       store_path(h->study->store));
	names_there(h, &p->query, names, sizeof(names));
	return err_set(err, ERR_NOTFOUND,
		       "'%s': nothing passes --comm, --pid and --cgroup%s",
		       store_path(h->study->store), names);
}

void pick_release(struct pick *p)
{
	free(p->pid);
	free(p->shown_title);
	p->shown_title = NULL;
	p->pid = NULL;
	p->nr_pids = 0;
}

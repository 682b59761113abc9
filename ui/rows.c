/* SPDX-License-Identifier: MIT */
#include "ui/rows.h"

#include "model/err.h"
#include "ui/table.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sort_name[NR_SORTS] = {
	[SORT_CPU] = "cpu",	[SORT_NODE] = "node",
	[SORT_LOCALITY] = "locality", [SORT_START] = "start",
	[SORT_NAME] = "name",	[SORT_MOVES] = "moves",
};

static const char *const kind_name[NR_ROWS_KINDS] = {
	[ROWS_TASKS] = "tasks",
	[ROWS_PROCESSES] = "processes",
	[ROWS_CPUS] = "cpus",
	[ROWS_NODES] = "nodes",
	[ROWS_MEMORY] = "memory",
};

static int parse(const char *const *names, int nr, const char *what,
		 const char *name, struct err *err)
{
	char list[200] = "";
	int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(names[i], name))
			return i;
		err_list(list, sizeof(list), names[i]);
	}
	return err_set(err, ERR_USAGE, "no %s '%s'; there are: %s", what, name,
		       list);
}

int rows_sort_parse(const char *name, struct err *err)
{
	return parse(sort_name, NR_SORTS, "order", name, err);
}

int rows_kind_parse(const char *name, struct err *err)
{
	return parse(kind_name, NR_ROWS_KINDS, "kind of rows", name, err);
}

const char *rows_sort_name(enum rows_sort s)
{
	return sort_name[s];
}

const char *rows_kind_name(enum rows_kind k)
{
	return kind_name[k];
}

static void row_release(struct row *r)
{
	free(r->label);
	free(r->number);
	free(r->sum);
}

void rows_release(struct rows *rows)
{
	int i;

	for (i = 0; i < rows->nr; i++)
		row_release(&rows->row[i]);
	free(rows->row);
	free(rows->only);
	*rows = (struct rows){ 0 };
}

/* A row without label, its first member in place. */
static struct row *add_row(struct rows *rows, int *room, enum track_kind kind,
			   int number)
{
	struct row *r;

	if (rows->nr == *room) {
		int more = *room ? *room * 2 : 64;

		r = realloc(rows->row, more * sizeof(*r));
		if (!r)
			return NULL;
		rows->row = r;
		*room = more;
	}
	r = &rows->row[rows->nr];
	*r = (struct row){ .kind = kind, .proc = -1, .node = -1, .nr = 1,
			   .first_ns = INT64_MAX };
	r->number = malloc(sizeof(*r->number));
	r->sum = calloc(rows->nr_runs + 1, sizeof(*r->sum));
	if (!r->number || !r->sum) {
		row_release(r);
		return NULL;
	}
	r->number[0] = number;
	rows->nr++;
	return r;
}

static int add_member(struct row *r, int number)
{
	int *p;

	/* Room for a power of two, so that a row grows in few steps. */
	if (r->nr & (r->nr - 1)) {
		r->number[r->nr++] = number;
		return 0;
	}
	p = realloc(r->number, 2 * r->nr * sizeof(*p));
	if (!p)
		return ERR_NOMEM;
	r->number = p;
	r->number[r->nr++] = number;
	return 0;
}

static bool has_pid(const struct rows_query *q, int pid)
{
	int i;

	for (i = 0; i < q->nr_pids; i++)
		if (q->pid[i] == pid)
			return true;
	return !q->nr_pids;
}

static bool passes(const struct study *s, const struct rows_query *q, int task)
{
	const struct task *t = &s->tasks.task[task];
	const char *cgroup = t->cgroup ? t->cgroup : "";
	int pid = t->pid > 0 ? t->pid : t->tid;
	char number[32];

	if (t->flags & TASK_F_RECORDER || !has_pid(q, pid))
		return false;
	if (q->only && !q->only[task])
		return false;
	if (q->comm && fnmatch(q->comm, t->comm, 0))
		return false;
	if (q->cgroup && !strstr(cgroup, q->cgroup))
		return false;
	if (!q->text || !*q->text || strstr(t->comm, q->text) ||
	    strstr(cgroup, q->text))
		return true;
	snprintf(number, sizeof(number), "%d", t->tid);
	if (!strcmp(number, q->text))
		return true;
	snprintf(number, sizeof(number), "%d", pid);
	return !strcmp(number, q->text);
}

static bool ran(const struct study *s, const int *run, int nr_runs,
		enum track_kind kind, int number)
{
	struct track_total total;
	int i;

	for (i = 0; i < nr_runs; i++) {
		tracks_total(s->run[run[i]].tracks, kind, number, &total);
		if (total.nr_spans)
			return true;
	}
	return false;
}

/* -- what goes into the rows ---------------------------------------------- */

static int add_tasks(struct rows *rows, const struct study *s, const int *run,
		     const struct rows_query *q, struct err *err)
{
	int *row_of, room = 0, i;

	row_of = malloc((s->tasks.nr + 1) * sizeof(*row_of));
	if (!row_of)
		return err_nomem(err);
	for (i = 0; i < s->tasks.nr; i++)
		row_of[i] = -1;
	for (i = 0; i < s->tasks.nr; i++) {
		int leader = s->leader[i];
		struct row *r;

		if (!passes(s, q, i) ||
		    !ran(s, run, rows->nr_runs, TRACK_TASK, i))
			continue;
		if (q->kind == ROWS_PROCESSES && row_of[leader] >= 0) {
			if (add_member(&rows->row[row_of[leader]], i) < 0)
				break;
			continue;
		}
		r = add_row(rows, &room, TRACK_TASK, i);
		if (!r)
			break;
		r->proc = leader;
		row_of[leader] = rows->nr - 1;
	}
	free(row_of);
	return i < s->tasks.nr ? err_nomem(err) : 0;
}

static bool chooses(const struct rows_query *q)
{
	return (q->text && *q->text) || q->comm || q->cgroup || q->nr_pids ||
	       q->only;
}

/* Who counts on CPUs; how many. */
static int choose_tasks(struct rows *rows, const struct study *s,
			const struct rows_query *q, struct err *err)
{
	int i, nr = 0;

	rows->only = calloc(s->tasks.nr + 1, sizeof(*rows->only));
	if (!rows->only)
		return err_nomem(err);
	for (i = 0; i < s->tasks.nr; i++) {
		rows->only[i] = passes(s, q, i);
		nr += rows->only[i];
	}
	return nr;
}

static int add_cpus(struct rows *rows, const struct topo *t,
		    const struct rows_query *q, struct err *err)
{
	int *order = calloc(t->nr_cpu_ids + 1, sizeof(*order));
	int room = 0, nr, i;

	if (!order)
		return err_nomem(err);
	nr = topo_cpu_order(t, order);
	for (i = 0; i < nr; i++) {
		int node = topo_node_of(t, order[i]);
		struct row *r = rows->nr ? &rows->row[rows->nr - 1] : NULL;

		if (q->kind == ROWS_NODES && r && r->node == node) {
			if (add_member(r, order[i]) < 0)
				break;
			continue;
		}
		r = add_row(rows, &room, TRACK_CPU, order[i]);
		if (!r)
			break;
		r->node = node;
	}
	free(order);
	return i < nr ? err_nomem(err) : 0;
}

/* Areas of processes that pass the filter. */
static int add_areas(struct rows *rows, const struct study *s,
		     const struct rows_query *q, struct err *err)
{
	int room = 0, i;

	for (i = 0; i < s->areas.nr; i++) {
		int proc = s->areas.area[i].proc;
		struct row *r;

		if (proc < 0 || proc >= s->tasks.nr || !passes(s, q, proc))
			continue;
		r = add_row(rows, &room, TRACK_NONE, i);
		if (!r)
			return err_nomem(err);
		r->proc = proc;
	}
	return 0;
}

/* -- choice -------------------------------------------------------------- */

/* What rows are chosen by: time on a CPU, or pages. */
static int64_t weight(const struct rows *rows, const struct row *r)
{
	int64_t sum = 0;
	int k;

	for (k = 0; k < rows->nr_runs; k++)
		sum += r->kind == TRACK_NONE ? r->sum[k].pages :
					       r->sum[k].run_ns;
	return sum;
}

static void drop_idle(struct rows *rows)
{
	int i, kept = 0;

	for (i = 0; i < rows->nr; i++)
		if (weight(rows, &rows->row[i]) > 0)
			rows->row[kept++] = rows->row[i];
		else
			row_release(&rows->row[i]);
	rows->nr = kept;
}

/* -- order ---------------------------------------------------------------- */

struct order {
	const struct rows *rows;
	const struct study *study;
	enum rows_sort sort;
};

static double locality(const struct row *r)
{
	return r->sum[0].known_ns > 0 ? r->sum[0].local_ns / r->sum[0].known_ns :
					2;
}

static int more_first(int64_t a, int64_t b)
{
	return a > b ? -1 : a < b;
}

/* The task by whose name a row is sorted. */
static int name_task(const struct row *r)
{
	return r->kind == TRACK_NONE ? r->proc : r->number[0];
}

static int by_key(const struct row *a, const struct row *b,
		  const struct order *o)
{
	const struct task *t = o->study->tasks.task;

	switch (o->sort) {
	case SORT_NODE:
		return more_first(b->sum[0].most_node, a->sum[0].most_node);
	case SORT_LOCALITY:
		return locality(a) < locality(b) ? -1 :
						   locality(a) > locality(b);
	case SORT_START:
		return more_first(b->first_ns, a->first_ns);
	case SORT_NAME:
		return strcmp(t[name_task(a)].comm, t[name_task(b)].comm);
	case SORT_MOVES:
		return more_first(a->sum[0].node_moves, b->sum[0].node_moves);
	default:
		return 0;
	}
}

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct row *a = pa, *b = pb;
	const struct order *o = ctx;
	int c = by_key(a, b, o);

	if (!c)
		c = more_first(weight(o->rows, a), weight(o->rows, b));
	return c ? c : more_first(b->number[0], a->number[0]);
}

static void sort_rows(struct rows *rows, const struct study *s,
		      enum rows_sort sort, int nr)
{
	struct order o = { rows, s, sort };

	if (nr > 1)
		qsort_r(rows->row, nr, sizeof(*rows->row), compare, &o);
}

void rows_sort(struct rows *rows, const struct study *s, enum rows_sort sort)
{
	bool others = rows->nr && rows->row[rows->nr - 1].is_others;

	if (!rows_are_cpus(rows->kind))
		sort_rows(rows, s, sort, rows->nr - others);
}

/* How many rows stand for themselves, the rest in one; all, or some and one. */
static int nr_kept(const struct rows *rows, const struct rows_query *q)
{
	int64_t all = 0;
	int i, nr;

	for (i = 0; i < rows->nr; i++)
		all += weight(rows, &rows->row[i]);
	for (nr = rows->nr; nr > 1; nr--)
		if (weight(rows, &rows->row[nr - 1]) >= q->min_share * all)
			break;
	if (nr + 1 >= rows->nr)	/* a row of one other says less than itself */
		nr = rows->nr;
	if (q->max_rows > 0 && nr < rows->nr && nr >= q->max_rows)
		nr = q->max_rows - 1;
	if (q->max_rows > 0 && nr > q->max_rows)
		nr = q->max_rows - 1;
	return nr;
}

void row_sum_add(struct row_sum *to, const struct row_sum *s)
{
	to->run_ns += s->run_ns;
	to->wait_ns += s->wait_ns;
	to->unsure_ns += s->unsure_ns;
	to->censored_ns += s->censored_ns;
	to->local_ns += s->local_ns;
	to->known_ns += s->known_ns;
	to->node_moves += s->node_moves;
	to->pages += s->pages;
	to->most_node = -1;
}

static int merge_tail(struct rows *rows, int keep)
{
	struct row *to = &rows->row[keep];
	int i, k, m;

	for (i = keep + 1; i < rows->nr; i++) {
		struct row *r = &rows->row[i];

		for (m = 0; m < r->nr; m++)
			if (add_member(to, r->number[m]) < 0)
				return ERR_NOMEM;
		for (k = 0; k < rows->nr_runs; k++)
			row_sum_add(&to->sum[k], &r->sum[k]);
		row_release(r);
	}
	to->proc = -1;
	to->is_others = true;
	rows->nr = keep + 1;
	return 0;
}

/* -- labels --------------------------------------------------------------- */

static char *area_label(const struct study *s, const struct row *r)
{
	static const char *const kind[] = {
		[AREA_ANON] = "anon",	  [AREA_HEAP] = "heap",
		[AREA_STACK] = "stack",	  [AREA_FILE] = "file",
		[AREA_SHARED] = "shared", [AREA_INFERRED] = "touched",
	};
	const struct area *a = &s->areas.area[r->number[0]];
	const char *file = strrchr(a->name, '/');
	char name[160], safe[80], *text;

	study_task_name(s, r->proc, name, sizeof(name));
	file = file ? file + 1 : a->name;
	text_safe(file, strlen(file), 30, safe, sizeof(safe));
	if (asprintf(&text, "%s %s%s%s", name,
		     a->kind <= AREA_INFERRED ? kind[a->kind] : "?",
		     *safe ? " " : "", safe) < 0)
		return NULL;
	return text;
}

static char *label_of(const struct rows *rows, const struct study *s,
		      const struct row *r, int merged)
{
	char buf[160], *text;
	int n;

	if (r->kind == TRACK_NONE && !r->is_others)
		return area_label(s, r);
	if (r->is_others)
		n = asprintf(&text, "%d other%s", merged, text_s(merged));
	else if (r->kind == TRACK_CPU && rows->kind == ROWS_NODES)
		n = asprintf(&text, "node %d", r->node);
	else if (r->kind == TRACK_CPU)
		n = asprintf(&text, "cpu %d", r->number[0]);
	else if (rows->kind == ROWS_PROCESSES && r->nr > 1)
		n = asprintf(&text, "%s (%d)",
			     study_task_name(s, r->proc, buf, sizeof(buf)),
			     r->nr);
	else
		n = asprintf(&text, "%s",
			     study_task_name(s, r->number[0], buf,
					     sizeof(buf)));
	return n < 0 ? NULL : text;
}

static int label_rows(struct rows *rows, const struct study *s, int merged,
		      struct err *err)
{
	int i;

	for (i = 0; i < rows->nr; i++) {
		struct row *r = &rows->row[i];

		r->label = label_of(rows, s, r, merged);
		if (!r->label)
			return err_nomem(err);
	}
	return 0;
}

static int64_t online_cpus(const struct topo *t)
{
	int64_t nr = 0;
	int i;

	for (i = 0; i < t->nr_cpu_ids; i++)
		nr += t->cpu[i].present && t->cpu[i].online;
	return nr ? nr : 1;
}

static int add_rows(struct rows *rows, const struct study *s, const int *run,
		    const struct rows_query *q, struct err *err)
{
	int nr = 1;

	if (q->kind == ROWS_MEMORY)
		return add_areas(rows, s, q, err);
	if (!rows_are_cpus(q->kind))
		return add_tasks(rows, s, run, q, err);
	if (chooses(q))
		nr = choose_tasks(rows, s, q, err);
	return nr > 0 ? add_cpus(rows, study_topo(s, run[0]), q, err) : nr;
}

int rows_build(struct rows *rows, const struct study *s, const int *run,
	       int nr_runs, const struct rows_query *q, struct err *err)
{
	bool cpus = rows_are_cpus(q->kind);
	int ret, before, kept;

	*rows = (struct rows){
		.kind = q->kind, .nr_runs = nr_runs, .max_spans = q->max_spans,
		.capacity_cpus = online_cpus(study_topo(s, run[0])),
	};
	ret = add_rows(rows, s, run, q, err);
	if (!ret)
		ret = rows_figures(rows, s, run, q->from_ns, q->to_ns, err);
	if (ret < 0)
		goto out;
	if (!cpus && (!q->keep_idle || q->kind == ROWS_MEMORY))
		drop_idle(rows);
	before = rows->nr;
	if (!cpus)
		sort_rows(rows, s, SORT_CPU, rows->nr);
	kept = nr_kept(rows, q);
	if (kept < rows->nr && merge_tail(rows, kept) < 0) {
		ret = err_nomem(err);
		goto out;
	}
	if (!cpus)
		sort_rows(rows, s, q->sort, kept);
	ret = label_rows(rows, s, before - rows->nr + 1, err);
out:
	if (ret < 0)
		rows_release(rows);
	return ret;
}

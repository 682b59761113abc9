/* SPDX-License-Identifier: MIT */
#include "schema/store_local.h"

#include <stdlib.h>
#include <string.h>

/* -- tasks ---------------------------------------------------------------- */

static const struct stmt_def put_task = {
	.sql = "INSERT OR REPLACE INTO task VALUES"
	       " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
};

static char *mask_text(const struct cpumask *m)
{
	int n = cpumask_print(m, NULL, 0);
	char *text = n < 0 ? NULL : malloc((size_t)n + 1);

	if (text)
		cpumask_print(m, text, (size_t)n + 1);
	return text;
}

static int put_one_task(struct stmt *st, const struct task *t, struct err *err)
{
	char *affinity = mask_text(&t->affinity);
	const int64_t v[] = { t->id, t->tid, t->pid, t->parent, t->start_ns,
			      t->end_ns, t->flags, t->nice };

	if (!affinity)
		return err_nomem(err);
	for (int i = 0; i < 8; i++)
		stmt_bind_int(st, i + 1, v[i]);
	stmt_bind_text(st, 9, affinity);
	stmt_bind_text(st, 10, t->comm ? t->comm : "");
	stmt_bind_text(st, 11, t->cgroup);
	stmt_bind_text(st, 12, t->nspid);
	stmt_run(st, err);
	free(affinity);
	return err->code;
}

int store_put_tasks(struct store *s, const struct tasks *t, struct err *err)
{
	struct stmt *st;

	if (store_begin(s, err) ||
	    stmt_begin(s, PLACE_MAIN, &put_task, &st, err))
		return err->code;
	for (int i = 0; i < t->nr; i++)
		if (put_one_task(st, &t->task[i], err))
			break;
	stmt_end(st);
	return err->code ? err->code : store_end(s, err);
}

static const struct stmt_def get_tasks = {
	.sql = "SELECT id, tid, pid, parent, start_ns, end_ns, flags, nice,"
	       " affinity, comm, cgroup, nspid FROM task ORDER BY id",
	.flags = STMT_SCAN,
};

static int read_affinity(struct store *s, struct stmt *st, struct task *t,
			 struct err *err)
{
	char *text;

	if (stmt_text(st, 8, &text, err))
		return err->code;
	if (*text && cpumask_parse(&t->affinity, text, err))
		err_prefix(err, "'%s': damaged: task %d", s->path, t->id);
	free(text);
	return err->code;
}

static int read_task(struct store *s, struct stmt *st, struct tasks *tasks,
		     struct err *err)
{
	struct task *t;
	int tid;

	if (stmt_int(st, 0) != tasks->nr)
		return store_damaged(s, err, "task %d is missing", tasks->nr);
	if (stmt_number(st, 1, INT32_MIN, INT32_MAX, &tid, err))
		return err->code;
	t = tasks_add(tasks, tid, stmt_int(st, 4));
	if (!t)
		return err_nomem(err);
	t->end_ns = stmt_int(st, 5);
	t->flags = (uint32_t)stmt_int(st, 6);
	if (stmt_number(st, 2, INT32_MIN, INT32_MAX, &t->pid, err) ||
	    stmt_number(st, 3, TASK_NONE, INT32_MAX, &t->parent, err) ||
	    stmt_number(st, 7, INT32_MIN, INT32_MAX, &t->nice, err) ||
	    read_affinity(s, st, t, err))
		return err->code;
	free(t->comm);
	t->comm = NULL;
	if (stmt_text(st, 9, &t->comm, err) ||
	    stmt_text_or_null(st, 10, &t->cgroup, err))
		return err->code;
	return stmt_text_or_null(st, 11, &t->nspid, err);
}

static int check_parents(struct store *s, const struct tasks *tasks,
			 struct err *err)
{
	for (int i = 0; i < tasks->nr; i++)
		if (tasks->task[i].parent >= tasks->nr)
			return store_damaged(s, err, "task %d has parent %d, "
					     "of %d", i, tasks->task[i].parent,
					     tasks->nr);
	return 0;
}

int store_get_tasks(struct store *s, struct tasks *t, struct err *err)
{
	struct stmt *st;

	*t = (struct tasks){ 0 };
	if (stmt_begin(s, PLACE_MAIN, &get_tasks, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0)
		if (read_task(s, st, t, err))
			break;
	stmt_end(st);
	if (err->code || check_parents(s, t, err) || tasks_index(t, err))
		tasks_release(t);
	return err->code;
}

static const struct stmt_def put_name = {
	.sql = "INSERT OR REPLACE INTO name VALUES (?1, ?2, ?3)",
};

int store_put_name(struct store *s, int task, int64_t from_ns,
		   const char *comm, struct err *err)
{
	struct stmt *st;

	if (stmt_begin(s, PLACE_MAIN, &put_name, &st, err))
		return err->code;
	stmt_bind_int(st, 1, task);
	stmt_bind_int(st, 2, from_ns);
	stmt_bind_text(st, 3, comm);
	stmt_run(st, err);
	stmt_end(st);
	return err->code;
}

/* -- areas ---------------------------------------------------------------- */

static const struct stmt_def put_area = {
	.sql = "INSERT OR REPLACE INTO area VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
};

static const struct stmt_def put_derived_area = {
	.sql = "INSERT OR REPLACE INTO @.derived_area"
	       " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
};

static int put_from(struct store *s, enum place p, const struct stmt_def *def,
		    const struct areas *a, int from, struct err *err)
{
	struct stmt *st;

	if (store_begin(s, err) || stmt_begin(s, p, def, &st, err))
		return err->code;
	for (int i = from; i < a->nr && !err->code; i++) {
		stmt_bind_int(st, 1, a->area[i].id);
		stmt_bind_int(st, 2, a->area[i].proc);
		stmt_bind_int(st, 3, a->area[i].kind);
		stmt_bind_int(st, 4, (int64_t)a->area[i].start);
		stmt_bind_int(st, 5, (int64_t)a->area[i].bytes);
		stmt_bind_text(st, 6, a->area[i].name ? a->area[i].name : "");
		stmt_run(st, err);
	}
	stmt_end(st);
	return err->code ? err->code : store_end(s, err);
}

int store_put_areas(struct store *s, const struct areas *a, struct err *err)
{
	return put_from(s, PLACE_MAIN, &put_area, a, 0, err);
}

int store_put_derived_areas(struct store *s, const struct areas *a, int from,
			    struct err *err)
{
	static const char *const drop[] = {
		[PLACE_MAIN] = "DELETE FROM main.derived_area",
		[PLACE_TEMP] = "DELETE FROM temp.derived_area",
	};
	enum place p;

	if (store_write_place(s, &p, err) || store_exec(s, drop[p], err))
		return err->code;
	s->temp_areas = p == PLACE_TEMP;
	return put_from(s, p, &put_derived_area, a, from, err);
}

static const struct stmt_def get_derived_areas = {
	.sql = "SELECT id, proc, kind, start, bytes, name"
	       " FROM @.derived_area ORDER BY id",
	.flags = STMT_SCAN,
};
static const struct stmt_def get_areas = {
	.sql = "SELECT id, proc, kind, start, bytes, name FROM area"
	       " ORDER BY id",
	.flags = STMT_SCAN,
};

static int read_area(struct store *s, struct stmt *st, struct areas *areas,
		     int64_t nr_tasks, struct err *err)
{
	struct area *a;
	int proc, kind;

	if (stmt_int(st, 0) != areas->nr)
		return store_damaged(s, err, "area %d is missing", areas->nr);
	if (stmt_number(st, 1, 0, nr_tasks - 1, &proc, err) ||
	    stmt_number(st, 2, 0, UINT8_MAX, &kind, err))
		return err->code;
	a = areas_add(areas, proc);
	if (!a)
		return err_nomem(err);
	a->kind = (uint8_t)kind;
	a->start = (uint64_t)stmt_int(st, 3);
	a->bytes = (uint64_t)stmt_int(st, 4);
	free(a->name);
	a->name = NULL;
	return stmt_text(st, 5, &a->name, err);
}

static int read_areas(struct store *s, enum place p,
		      const struct stmt_def *def, struct areas *a,
		      struct err *err)
{
	int64_t nr_tasks, nr_areas;
	struct stmt *st;

	if (store_limits(s, &nr_tasks, &nr_areas, err) ||
	    stmt_begin(s, p, def, &st, err))
		return err->code;
	while (stmt_step(st, err) > 0)
		if (read_area(s, st, a, nr_tasks, err))
			break;
	stmt_end(st);
	return err->code;
}

int store_get_areas(struct store *s, struct areas *a, struct err *err)
{
	enum place p = s->temp_areas ? PLACE_TEMP : PLACE_MAIN;

	*a = (struct areas){ 0 };
	if (read_areas(s, PLACE_MAIN, &get_areas, a, err) ||
	    read_areas(s, p, &get_derived_areas, a, err))
		areas_release(a);
	return err->code;
}

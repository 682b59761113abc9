/* SPDX-License-Identifier: MIT */
#include "ui/study.h"

#include "model/err.h"
#include "ui/bar.h"
#include "ui/open.h"
#include "ui/run_pick.h"
#include "ui/run_text.h"
#include "ui/run_topo.h"
#include "ui/study_local.h"
#include "ui/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spans that study_step() reads at once: a few milliseconds. */
#define SLICE 20000

struct study_loader {
	struct store_spans *spans;
};

int study_leaders(struct study *s, struct err *err)
{
	const struct tasks *t = &s->tasks;
	int i;

	s->leader = calloc(t->nr + 1, sizeof(*s->leader));
	if (!s->leader)
		return err_nomem(err);
	for (i = 0; i < t->nr; i++) {
		int leader = t->task[i].pid > 0 ?
				     tasks_find(t, t->task[i].pid,
						t->task[i].start_ns) :
				     TASK_NONE;

		s->leader[i] = leader == TASK_NONE ? i : leader;
	}
	return 0;
}

/* The settings that a reader of a recorded schedule asks for first. */
static int recorded_knob(void *ctx, const char *name, const char *value)
{
	char **caption = ctx, *old = *caption;

	if (strcmp(name, "kernel.numa_balancing"))
		return 0;
	if (asprintf(caption, "%s%snuma_balancing=%s", old ? old : "",
		     old && *old ? ", " : "", value) < 0)
		*caption = old;
	else
		free(old);
	return 0;
}

/* What the file says goes to terminals and pictures. */
static int make_safe(char **text, struct err *err)
{
	char *safe = *text ? text_safe_copy(*text) : NULL;

	if (!safe)
		return err_nomem(err);
	free(*text);
	*text = safe;
	return 0;
}

static int recorded_caption(struct study *s, struct study_run *r,
			    struct err *err)
{
	const struct capture *c = &s->capture;

	if (asprintf(&r->caption, "%s%s%s%s", *c->kernel ? "Linux " : "",
		     c->kernel, *c->arch ? " " : "", c->arch) < 0)
		return err_nomem(err);
	return store_each_knob(s->store, recorded_knob, &r->caption, err);
}

int study_name_run(struct study *s, struct study_run *r, struct err *err)
{
	const struct run_info *i = r->info;
	char name[200];
	int ret = 0;

	r->title = text_safe_copy(run_name(i, name, sizeof(name)));
	if (!r->title)
		return err_nomem(err);
	if (i->id)
		r->caption = run_text_settings(i);
	else
		ret = recorded_caption(s, r, err);
	return ret < 0 ? ret : make_safe(&r->caption, err);
}

static int read_runs(struct study *s, struct err *err)
{
	int ret, i;

	ret = store_get_runs(s->store, &s->runs, &s->nr_runs, err);
	if (ret < 0)
		return ret;
	s->run = calloc(s->nr_runs + 1, sizeof(*s->run));
	if (!s->run)
		return err_nomem(err);
	for (i = 0; i < s->nr_runs; i++) {
		s->run[i].info = &s->runs[i];
		ret = study_name_run(s, &s->run[i], err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int study_open(struct study *s, const char *path, struct bar *bar,
	       struct err *err)
{
	int ret;

	*s = (struct study){ 0 };
	ret = open_study(&s->store, path, bar, err);
	if (!ret)
		ret = store_get_capture(s->store, &s->capture, err);
	if (!ret)
		ret = store_get_topo(s->store, &s->topo, err);
	if (!ret)
		ret = store_get_tasks(s->store, &s->tasks, err);
	if (!ret)
		ret = study_leaders(s, err);
	if (!ret)
		ret = store_get_areas(s->store, &s->areas, err);
	if (!ret)
		ret = store_get_loss(s->store, &s->loss, &s->nr_loss, err);
	if (!ret)
		ret = cost_init(&s->cost, &s->topo, err);
	if (!ret)
		ret = read_runs(s, err);
	if (!ret && !s->nr_runs)
		ret = err_set(err, ERR_NOTFOUND, "'%s': there is no recorded run, "
			      "since the work was generated, and no replay yet",
			      path);
	if (ret < 0)
		study_release(s);
	return ret;
}

static void run_unload(struct study_run *r)
{
	if (r->loader) {
		store_spans_close(r->loader->spans);
		free(r->loader);
	}
	tracks_free(r->tracks);
	store_tracks_close(r->drawing);
	pages_free(r->pages);
	residency_free(r->residency);
	if (r->machine)
		topo_release(r->machine);
	free(r->machine);
	r->machine = NULL;
	r->loader = NULL;
	r->tracks = NULL;
	r->drawing = NULL;
	r->pages = NULL;
	r->residency = NULL;
	r->loaded = false;
	r->ahead = 0;
}

void study_unload(struct study *s, int i)
{
	run_unload(&s->run[i]);
}

void study_release_runs(struct study *s)
{
	int i;

	for (i = 0; s->run && i < s->nr_runs; i++) {
		run_unload(&s->run[i]);
		free(s->run[i].title);
		free(s->run[i].caption);
	}
	for (i = 0; s->runs && i < s->nr_runs; i++)
		run_info_release(&s->runs[i]);
	free(s->run);
	free(s->runs);
	s->run = NULL;
	s->runs = NULL;
	s->nr_runs = 0;
}

void study_release(struct study *s)
{
	study_release_runs(s);
	free(s->leader);
	free(s->loss);
	cost_release(&s->cost);
	areas_release(&s->areas);
	tasks_release(&s->tasks);
	topo_release(&s->topo);
	capture_release(&s->capture);
	store_close(s->store);
	*s = (struct study){ 0 };
}

static int take_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct study_run *r = ctx;
	int ret = residency_mem(r->residency, m, err);

	return ret < 0 ? ret : pages_change(r->pages, m, err);
}

static int take_access(void *ctx, const struct mem_access *a, struct err *err)
{
	struct study_run *r = ctx;

	return residency_access(r->residency, a, err);
}

static int read_machine(struct study *s, struct study_run *r, struct err *err)
{
	if (!r->info->topology)
		return 0;
	r->machine = calloc(1, sizeof(*r->machine));
	if (!r->machine)
		return err_nomem(err);
	return run_topo(s->store, r->info, r->machine, err);
}

static int load_memory(struct study *s, struct study_run *r, struct err *err)
{
	int id = r->info->id, ret = read_machine(s, r, err);
	const struct topo *topo = study_topo(s, r - s->run);

	if (ret < 0)
		return ret;
	r->residency = residency_new(topo, &s->tasks, &s->areas, &s->cost,
				     r->info->start_ns, r->info->end_ns, err);
	r->pages = pages_new(topo, &s->areas, s->tasks.nr, err);
	if (!r->residency || !r->pages)
		return err->code ? err->code : err_nomem(err);
	ret = store_each_mem(s->store, id, take_mem, r, err);
	if (!ret)
		ret = store_each_access(s->store, id, take_access, r, err);
	return ret < 0 ? ret : residency_seal(r->residency, err);
}

static int make_tracks(struct study *s, struct study_run *r, struct err *err)
{
	struct tracks_source source = { study_topo(s, r - s->run), s->tasks.nr,
					r->residency, r->pages, s->leader,
					NULL };

	if (r->drawing)
		source.store = store_tracks_nodes(r->drawing);
	r->tracks = tracks_new(&source, err);
	return r->tracks ? 0 : err->code;
}

static int take_head(void *ctx, enum track_kind kind, int number,
		     const void *head, size_t len, struct err *err)
{
	struct study_run *r = ctx;

	return tracks_restore(r->tracks, kind, number, head, len, err);
}

static int begin_spans(struct study *s, struct study_run *r, struct err *err)
{
	int ret = make_tracks(s, r, err);

	if (ret < 0)
		return ret;
	r->loader = calloc(1, sizeof(*r->loader));
	if (!r->loader)
		return err_nomem(err);
	ret = store_spans_open(s->store, r->info->id, INT64_MIN, INT64_MAX,
			       &r->loader->spans, err);
	return ret < 0 ? ret : 1;
}

/* Where what is made is kept: the file, else SQLite's temporary file, else
 * memory.  A full disk or another that writes is no reason not to draw. */
static int begin_making(struct study *s, struct study_run *r, struct err *err)
{
	for (; r->keep < KEEP_MEMORY; r->keep++) {
		struct err why = { 0 };

		if (!store_tracks_make(s->store, r->info->id,
				       r->keep == KEEP_TEMP, &r->drawing, &why))
			break;
		if (why.code != ERR_IO)
			return err_set(err, why.code, "%s", why.text);
	}
	return begin_spans(s, r, err);
}

/* 0: there is nothing more to do. */
static int begin(struct study *s, struct study_run *r, struct err *err)
{
	int ret = load_memory(s, r, err);

	if (ret < 0)
		return ret;
	ret = store_tracks_open(s->store, r->info->id, &r->drawing, err);
	if (ret < 0)
		return ret;
	if (!ret)
		return begin_making(s, r, err);
	ret = make_tracks(s, r, err);
	if (!ret)
		ret = store_tracks_each_head(r->drawing, take_head, r, err);
	if (ret == ERR_FORMAT)
		err_prefix(err, "'%s'", store_path(s->store));
	r->loaded = !ret;
	return ret;
}

static int finish(struct study_run *r, struct err *err)
{
	int ret = 0;

	tracks_seal(r->tracks);
	if (r->drawing)
		ret = tracks_save(r->tracks, store_tracks_put_head, r->drawing,
				  err);
	if (!ret && r->drawing)
		ret = store_tracks_done(r->drawing, err);
	if (ret < 0)
		return ret;
	store_spans_close(r->loader->spans);
	free(r->loader);
	r->loader = NULL;
	r->loaded = true;
	return 0;
}

static double share_done(const struct study_run *r, int64_t ns)
{
	double all = (double)r->info->end_ns - r->info->start_ns;

	return all > 0 ? (ns - r->info->start_ns) / all : 0;
}

static int add_spans(struct study *s, struct study_run *r, double *done,
		     struct err *err)
{
	struct span sp = { .end_ns = r->info->start_ns };
	int n, ret = 1;

	for (n = 0; n < SLICE && ret > 0; n++) {
		ret = store_spans_next(r->loader->spans, &sp, err);
		if (ret > 0 && tracks_span(r->tracks, &sp, err) < 0)
			ret = err->code == ERR_FORMAT ?
				      err_prefix(err, "'%s'",
						 store_path(s->store)) :
				      err->code;
	}
	if (done)
		*done = share_done(r, sp.end_ns);
	return ret ? ret : finish(r, err);
}

int study_step(struct study *s, int i, double *done, struct err *err)
{
	struct study_run *r = &s->run[i];
	int ret;

	if (r->loaded)
		return 0;
	ret = r->loader ? add_spans(s, r, done, err) : begin(s, r, err);
	if (ret == ERR_IO && r->drawing && r->keep < KEEP_MEMORY) {
		run_unload(r);
		*err = (struct err){ 0 };
		r->keep++;
		return 1;
	}
	if (ret < 0)
		run_unload(r);
	return ret;
}

int study_load(struct study *s, int i, struct bar *bar, struct err *err)
{
	double done = 0;
	int ret;

	do {
		if (bar)
			bar_show(bar, "loading", done);
		ret = study_step(s, i, &done, err);
	} while (ret > 0);
	return ret;
}

int study_read_ahead(const struct study *s, int i, struct err *err)
{
	struct study_run *r = &s->run[i];

	if (r->ahead < 0)
		return 0;
	study_look(s);
	r->ahead = tracks_read_ahead(r->tracks, r->ahead);
	if (study_look_end(s, &i, 1, err) < 0)
		return err->code;
	return r->ahead >= 0;
}

const struct topo *study_topo(const struct study *s, int i)
{
	return s->run[i].machine ? s->run[i].machine : &s->topo;
}

bool study_same_machine(const struct study *s, int a, int b)
{
	const char *x = s->runs[a].topology, *y = s->runs[b].topology;

	return x && y ? !strcmp(x, y) : x == y;
}

void study_look(const struct study *s)
{
	struct err ignored = { 0 };

	/* What is wrong with the file is said where it is read. */
	if (s->store)
		store_begin(s->store, &ignored);
}

int study_look_end(const struct study *s, const int *run, int nr_runs,
		   struct err *err)
{
	struct err ignored = { 0 };
	int ret = 0, i;

	if (s->store)
		store_end(s->store, &ignored);
	for (i = 0; !ret && i < nr_runs; i++)
		ret = tracks_error(s->run[run[i]].tracks, err);
	if (ret == ERR_FORMAT && s->store)
		err_prefix(err, "'%s'", store_path(s->store));
	return ret;
}

bool study_alive(const struct study *s, int i, int task, int64_t *from,
		 int64_t *to)
{
	const struct study_run *r = &s->run[i];
	const struct task *t = &s->tasks.task[task];
	struct track_total total;

	tracks_total(r->tracks, TRACK_TASK, task, &total);
	if (!total.nr_spans)
		return false;
	*from = total.from_ns;
	if (t->flags & TASK_F_BORN_BEFORE)
		*from = r->info->start_ns;
	else if (!r->info->id && t->start_ns < *from)
		*from = t->start_ns;
	*to = total.last_state == STATE_DEAD ? total.last_ns : r->info->end_ns;
	return true;
}

char *study_task_name(const struct study *s, int task, char *buf, int size)
{
	const struct task *t;
	char comm[96];

	if (task < 0 || task >= s->tasks.nr) {
		snprintf(buf, size, "?");
		return buf;
	}
	t = &s->tasks.task[task];
	text_safe(t->comm, strlen(t->comm), 0, comm, sizeof(comm));
	snprintf(buf, size, "%s %d", *comm ? comm : "?", t->tid);
	return buf;
}

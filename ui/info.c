/* SPDX-License-Identifier: MIT */
#include "ui/info.h"

#include "model/err.h"
#include "model/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct info_item *add_item(struct info_list *l, const char *name)
{
	struct info_item *i = l->item;

	if (l->nr == l->size) {
		int size = l->size ? 2 * l->size : 16;

		i = realloc(i, (size_t)size * sizeof(*i));
		if (!i)
			return NULL;
		l->item = i;
		l->size = size;
	}
	i = &l->item[l->nr];
	*i = (struct info_item){ .name = strdup(name) };
	if (!i->name)
		return NULL;
	l->nr++;
	return i;
}

static int add_count(void *ctx, const char *name, int64_t count)
{
	struct info_item *i = add_item(ctx, name);

	if (!i)
		return ERR_NOMEM;
	i->count = count;
	return 0;
}

static int add_value(void *ctx, const char *name, const char *value)
{
	struct info_item *i = add_item(ctx, name);

	if (i)
		i->value = strdup(value);
	return i && i->value ? 0 : ERR_NOMEM;
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Processes are the different pids that are known. */
static int count_tasks(struct info *in, struct store *s, struct err *err)
{
	struct tasks t = { 0 };
	int *pid = NULL, n = 0;

	if (store_get_tasks(s, &t, err))
		return err->code;
	pid = malloc(((size_t)t.nr + 1) * sizeof(*pid));
	if (!pid) {
		tasks_release(&t);
		return err_nomem(err);
	}
	for (int i = 0; i < t.nr; i++)
		if (t.task[i].pid >= 0)
			pid[n++] = t.task[i].pid;
	qsort(pid, (size_t)n, sizeof(*pid), by_number);
	for (int i = 0; i < n; i++)
		in->processes += !i || pid[i] != pid[i - 1];
	in->tasks = t.nr;
	free(pid);
	tasks_release(&t);
	return 0;
}

static bool has_item(const struct info_list *l, const char *name)
{
	for (int i = 0; i < l->nr; i++)
		if (!strcmp(l->item[i].name, name))
			return true;
	return false;
}

/* What the timeline mended counts with run 0; what the importer said of the
 * same is the same. */
static int load_timeline_repairs(struct info *in, struct store *s,
				 struct err *err)
{
	for (int i = 0; i < TIMELINE_NR_REPAIRS; i++) {
		char name[80];
		int64_t n;

		snprintf(name, sizeof(name), "repair_%s",
			 timeline_repair_name(i));
		if (store_get_count(s, 0, name, &n, err))
			return err->code;
		if (n && !has_item(&in->repairs, timeline_repair_name(i)) &&
		    add_count(&in->repairs, timeline_repair_name(i), n))
			return err_nomem(err);
	}
	return 0;
}

static int load_lists(struct info *in, struct store *s, struct err *err)
{
	if (store_each_event_kind(s, add_count, &in->by_kind, err) ||
	    store_each_knob(s, add_value, &in->knobs, err) ||
	    store_each_repair(s, add_count, &in->repairs, err) ||
	    store_each_skipped(s, add_count, &in->skipped, err))
		return err->code ? err->code : err_nomem(err);
	return load_timeline_repairs(in, s, err);
}

/* What was recorded is run 0, also before anything was made of it.  Generated
 * work has none. */
static int add_run0(struct info *in, struct err *err)
{
	struct run_info *r;

	if ((in->nr_runs && !in->runs[0].id) ||
	    !strncmp(in->capture.source, STORE_GENERATED,
		     strlen(STORE_GENERATED)))
		return 0;
	r = realloc(in->runs, ((size_t)in->nr_runs + 1) * sizeof(*r));
	if (!r)
		return err_nomem(err);
	in->runs = r;
	memmove(r + 1, r, (size_t)in->nr_runs++ * sizeof(*r));
	*r = (struct run_info){
		.policy = strdup("recorded"),
		.knobs = strdup("{}"),
		.cost = strdup("{}"),
		.discipline = strdup(""),
		.start_ns = in->capture.start_ns,
		.end_ns = in->capture.end_ns,
	};
	if (!r->policy || !r->knobs || !r->cost || !r->discipline)
		return err_nomem(err);
	return 0;
}

int info_load(struct info *in, struct store *s, const char *path,
	      struct err *err)
{
	struct stat st;

	*in = (struct info){ .path = path };
	if (!stat(path, &st))
		in->bytes = st.st_size;
	if (store_get_capture(s, &in->capture, err) ||
	    store_get_topo(s, &in->topo, err) ||
	    load_lists(in, s, err) || count_tasks(in, s, err) ||
	    store_get_loss(s, &in->loss, &in->nr_loss, err) ||
	    store_get_runs(s, &in->runs, &in->nr_runs, err) ||
	    add_run0(in, err)) {
		info_release(in);
		return err->code;
	}
	in->events = store_nr_events(s);
	in->placement_samples = store_nr_placements(s);
	for (int i = 0; i < in->nr_loss; i++)
		if (in->loss[i].events > 0)
			in->lost += in->loss[i].events;
	return 0;
}

static void release_list(struct info_list *l)
{
	for (int i = 0; i < l->nr; i++) {
		free(l->item[i].name);
		free(l->item[i].value);
	}
	free(l->item);
}

void info_release(struct info *in)
{
	capture_release(&in->capture);
	topo_release(&in->topo);
	release_list(&in->by_kind);
	release_list(&in->knobs);
	release_list(&in->repairs);
	release_list(&in->skipped);
	free(in->loss);
	for (int i = 0; i < in->nr_runs; i++)
		run_info_release(&in->runs[i]);
	free(in->runs);
	*in = (struct info){ 0 };
}

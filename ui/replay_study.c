/* SPDX-License-Identifier: MIT */
#include "ui/replay_study.h"

#include "collect/topo_read.h"
#include "model/err.h"
#include "model/topo_text.h"
#include "schema/derive.h"
#include "ui/bar.h"
#include "ui/cost_spec.h"
#include "ui/json.h"
#include "ui/opt.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int show(void *bar, double done)
{
	return bar ? bar_show(bar, "deriving", done) : 0;
}

/* -- machine and cost ----------------------------------------------------------- */

static int read_machine(struct replay_study *s,
			const struct replay_study_args *a, struct err *err)
{
	if (!a->topology)
		return store_get_topo(s->store, &s->topo, err);
	if (topo_read(&s->topo, a->topology, err))
		return err->code;
	if (a->distance && topo_read_distances(&s->topo, a->distance, err))
		return err->code;
	if (topo_finish(&s->topo, err))
		return err->code;
	s->topology = topo_to_text(&s->topo);
	return s->topology ? 0 : err_nomem(err);
}

static int cost_of(struct replay_study *s, struct cost *cost,
		   const struct topo *t, const struct replay_study_args *a,
		   struct err *err)
{
	return cost_spec(cost, t, s->store, a->cost, &s->not_measured, err) ?
		       err_prefix(err, "--cost") : 0;
}

/* The recording's own circumstances are taken out of the demand by the same
 * model on the machine that was recorded.  That does not depend on the
 * intensity: one demand serves all. */
static int derive(struct replay_study *s, const struct replay_study_args *a,
		  struct bar *bar, struct err *err)
{
	struct topo recorded = { 0 };
	struct cost cost = { 0 };

	if (store_get_topo(s->store, &recorded, err) ||
	    cost_of(s, &cost, &recorded, a, err))
		goto out;
	cost.intensity = 1;
	cost.intensity_set = 0;
	derive_demand(s->store, &cost, show, bar, err);
	if (bar)
		bar_clear(bar);
out:
	cost_release(&cost);
	topo_release(&recorded);
	return err->code;
}

/* -- intensities ------------------------------------------------------------------ */

static int set_intensity(struct replay_study *s, const char *item,
			 struct err *err)
{
	const char *eq = strrchr(item, '=');
	char comm[64], *end;
	double v;
	int nr = 0;

	if (!eq || eq == item || (size_t)(eq - item) >= sizeof(comm))
		return err_set(err, ERR_USAGE,
			       "--intensity '%s': COMM=X is wanted, X from 0 to 1",
			       item);
	snprintf(comm, sizeof(comm), "%.*s", (int)(eq - item), item);
	v = strtod(eq + 1, &end);
	if (end == eq + 1 || *end || !(v >= 0 && v <= 1))
		return err_set(err, ERR_USAGE,
			       "--intensity '%s': '%s' is not a number from 0 to 1",
			       item, eq + 1);
	for (int i = 0; i < s->tasks.nr; i++) {
		if (fnmatch(comm, s->tasks.task[i].comm, 0))
			continue;
		s->intensity[i] = v;
		nr++;
	}
	if (!nr)
		return err_set(err, ERR_NOTFOUND,
			       "--intensity '%s': no task has this name", item);
	return 0;
}

static int read_intensity(struct replay_study *s,
			  const struct replay_study_args *a, struct err *err)
{
	s->intensity = malloc(((size_t)s->tasks.nr + 1) * sizeof(double));
	if (!s->intensity)
		return err_nomem(err);
	for (int i = 0; i < s->tasks.nr; i++)
		s->intensity[i] = NAN;
	for (int i = 0; a->intensity && i < a->intensity->nr; i++)
		if (set_intensity(s, a->intensity->item[i], err))
			return err->code;
	return 0;
}

/* The numbers of the model, and the intensities in the order given. */
static int write_cost(struct replay_study *s, const struct replay_study_args *a,
		      struct err *err)
{
	char *numbers = cost_json(&s->cost);
	size_t len;
	FILE *out;
	struct json j;

	if (!numbers || !a->intensity || !a->intensity->nr) {
		s->cost_json = numbers;
		return numbers ? 0 : err_nomem(err);
	}
	out = open_memstream(&s->cost_json, &len);
	if (!out) {
		free(numbers);
		return err_nomem(err);
	}
	numbers[strlen(numbers) - 1] = '\0';
	fprintf(out, "%s,\"intensity_of\":", numbers);
	free(numbers);
	json_open(&j, out);
	json_array(&j);
	for (int i = 0; i < a->intensity->nr; i++)
		json_text(&j, a->intensity->item[i]);
	json_end(&j, ']');
	fputc('}', out);
	return fclose(out) ? err_nomem(err) : 0;
}

/* -- loading ----------------------------------------------------------------------- */

static int add_access(void *ctx, const struct mem_access *a, struct err *err)
{
	struct replay_study *s = ctx;
	struct mem_access *more;
	int size;

	if (s->nr_access == s->size_access) {
		size = s->size_access ? 2 * s->size_access : 256;
		more = realloc(s->access, (size_t)size * sizeof(*more));
		if (!more)
			return err_nomem(err);
		s->access = more;
		s->size_access = size;
	}
	s->access[s->nr_access++] = *a;
	return 0;
}

static int by_task(const void *a, const void *b)
{
	const struct mem_access *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return (x->area > y->area) - (x->area < y->area);
}

static int load(struct replay_study *s, struct err *err)
{
	if (store_get_capture(s->store, &s->capture, err) ||
	    store_get_tasks(s->store, &s->tasks, err) ||
	    store_get_areas(s->store, &s->areas, err) ||
	    tasks_index(&s->tasks, err) ||
	    store_get_demand_tasks(s->store, &s->demand, &s->nr_demand, err) ||
	    store_each_access(s->store, 0, add_access, s, err))
		return err->code;
	if (s->nr_access)
		qsort(s->access, (size_t)s->nr_access, sizeof(*s->access),
		      by_task);
	if (!s->nr_demand)
		return err_set(err, ERR_NOTFOUND,
			       "'%s': no task ran: there is nothing to replay",
			       store_path(s->store));
	return 0;
}

int replay_study_open(struct replay_study *s,
		      const struct replay_study_args *a, struct bar *bar,
		      struct err *err)
{
	*s = (struct replay_study){ 0 };
	if (store_open(&s->store, a->path, STORE_WRITE, err) ||
	    read_machine(s, a, err) || derive(s, a, bar, err) ||
	    cost_of(s, &s->cost, &s->topo, a, err) || load(s, err) ||
	    read_intensity(s, a, err) || write_cost(s, a, err))
		return err->code;
	return demand_copy_make(&s->copy, s->store, s->demand, s->nr_demand,
				bar, err);
}

void replay_study_release(struct replay_study *s)
{
	demand_copy_release(&s->copy);
	capture_release(&s->capture);
	topo_release(&s->topo);
	tasks_release(&s->tasks);
	areas_release(&s->areas);
	cost_release(&s->cost);
	free(s->demand);
	free(s->access);
	free(s->intensity);
	free(s->cost_json);
	free(s->topology);
	store_close(s->store);
	*s = (struct replay_study){ 0 };
}

void replay_study_input(const struct replay_study *s, struct engine_input *in)
{
	*in = (struct engine_input){
		.topo = &s->topo,
		.tasks = &s->tasks,
		.areas = &s->areas,
		.demand = s->demand,
		.nr_demand = s->nr_demand,
		.cost = &s->cost,
		.intensity = s->intensity,
		.access = s->access,
		.nr_access = s->nr_access,
		.start_ns = s->capture.start_ns,
		.end_ns = s->capture.end_ns,
		.page_size = s->capture.page_size,
	};
}

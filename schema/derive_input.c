/* SPDX-License-Identifier: MIT */
#include "schema/derive_local.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

#define TIME_MAX (INT64_C(1) << 61)

int derive_check_time(const struct derive_input *in, int64_t ns,
		      struct err *err)
{
	if (ns >= -TIME_MAX && ns <= TIME_MAX)
		return 0;
	return err_set(err, ERR_FORMAT, "'%s': damaged: a time of %lld ns",
		       store_path(in->store), (long long)ns);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static int see_knob(void *ctx, const char *name, const char *value)
{
	struct derive_input *in = ctx;

	if (!strcmp(name, "kernel.numa_balancing"))
		in->numa_balancing = atoi(value) != 0;
	if (!ends_with(name, "transparent_hugepage/enabled"))
		return 0;
	if (strstr(value, "[always]") || !strcmp(value, "always"))
		in->thp = AREA_THP_ALWAYS;
	else if (strstr(value, "[madvise]") || !strcmp(value, "madvise"))
		in->thp = AREA_THP_MADVISE;
	return 0;
}

/* An earlier derivation's areas come behind the recorded ones. */
static void forget_derived(struct derive_input *in)
{
	struct areas *a = &in->areas;

	while (a->nr && a->area[a->nr - 1].kind == AREA_INFERRED)
		free(a->area[--a->nr].name);
	in->nr_recorded = a->nr;
}

static int read_losses(struct derive_input *in, struct err *err)
{
	struct loss *loss;
	int nr;

	if (store_get_loss(in->store, &loss, &nr, err))
		return err->code;
	in->loss = malloc(((size_t)nr + 1) * sizeof(*in->loss));
	for (int i = 0; in->loss && i < nr; i++)
		in->loss[i] = (struct timeline_loss){
			.cpu = loss[i].cpu,
			.from_ns = loss[i].from_ns, .to_ns = loss[i].to_ns,
		};
	in->nr_loss = nr;
	free(loss);
	return in->loss ? 0 : err_nomem(err);
}

int derive_input_read(struct derive_input *in, struct store *s,
		      struct err *err)
{
	*in = (struct derive_input){ .store = s, .numa_balancing = -1 };
	if (store_get_capture(s, &in->capture, err) ||
	    derive_check_time(in, in->capture.start_ns, err) ||
	    derive_check_time(in, in->capture.end_ns, err) ||
	    store_get_topo(s, &in->topo, err) ||
	    store_get_tasks(s, &in->tasks, err) ||
	    tasks_index(&in->tasks, err) ||
	    store_get_areas(s, &in->areas, err) ||
	    store_each_knob(s, see_knob, in, err))
		return err->code;
	forget_derived(in);
	in->leader = tasks_leaders(&in->tasks);
	if (!in->leader)
		return err_nomem(err);
	return read_losses(in, err);
}

void derive_input_release(struct derive_input *in)
{
	capture_release(&in->capture);
	topo_release(&in->topo);
	tasks_release(&in->tasks);
	areas_release(&in->areas);
	free(in->leader);
	free(in->loss);
}

/* -- samples -------------------------------------------------------------- */

static int look_ahead(struct sample_reader *r, struct err *err)
{
	int ret = store_placements_next(r->it, &r->ahead, err);

	r->more = ret > 0;
	return ret < 0 ? ret : 0;
}

int sample_reader_open(struct sample_reader *r, const struct derive_input *in,
		       struct err *err)
{
	*r = (struct sample_reader){
		.in = in, .nr_nodes = in->topo.nr_node_ids,
	};
	r->pages = calloc((size_t)r->nr_nodes + 1, sizeof(*r->pages));
	if (!r->pages)
		return err_nomem(err);
	if (store_placements_open(in->store, &r->it, err))
		return err->code;
	return look_ahead(r, err);
}

void sample_reader_close(struct sample_reader *r)
{
	store_placements_close(r->it);
	free(r->pages);
	*r = (struct sample_reader){ 0 };
}

static bool same_sample(const struct placement *p,
			const struct rebuild_sample *s)
{
	return p->ts == s->ts && p->area == s->area && p->source == s->source;
}

int sample_reader_next(struct sample_reader *r, struct rebuild_sample *s,
		       struct err *err)
{
	while (r->more && r->ahead.area >= r->in->nr_recorded)
		if (look_ahead(r, err))
			return err->code;
	if (!r->more)
		return 0;
	*s = (struct rebuild_sample){
		.ts = r->ahead.ts, .area = r->ahead.area,
		.source = r->ahead.source, .pages = r->pages,
	};
	if (derive_check_time(r->in, s->ts, err))
		return err->code;
	memset(r->pages, 0, (size_t)r->nr_nodes * sizeof(*r->pages));
	while (r->more && same_sample(&r->ahead, s)) {
		const struct placement *p = &r->ahead;

		if (p->node >= 0 && p->node < r->nr_nodes && p->pages > 0 &&
		    p->pages <= INT64_MAX >> 20)
			r->pages[p->node] += p->pages;
		if (look_ahead(r, err))
			return err->code;
	}
	return 1;
}

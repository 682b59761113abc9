/* SPDX-License-Identifier: MIT */
#include "collect/ingest_local.h"

#include "model/err.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PAGES (INT64_C(1) << 52)	/* 16 EiB of 4 KiB pages */

static uint64_t hash(const struct area_key *k)
{
	uint64_t h = k->start >> 12;

	h = (h ^ (uint64_t)k->proc) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ (uint64_t)k->image ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return (h ^ k->is_stack) >> 20;
}

static bool same_key(const struct area_key *a, const struct area_key *b)
{
	return a->proc == b->proc && a->image == b->image &&
	       a->start == b->start && a->is_stack == b->is_stack;
}

static int *find_slot(const struct ingest *in, const struct area_key *k)
{
	uint64_t mask = (uint64_t)in->nr_area_slots - 1, at = hash(k) & mask;

	while (in->area_slot[at] >= 0 &&
	       !same_key(&in->area[in->area_slot[at]].key, k))
		at = (at + 1) & mask;
	return &in->area_slot[at];
}

static int grow_slots(struct ingest *in, struct err *err)
{
	int nr = in->nr_area_slots ? in->nr_area_slots * 2 : 256, *new;

	if (in->areas.nr < in->nr_area_slots / 4 * 3)
		return 0;
	new = malloc((size_t)nr * sizeof(*new));
	if (!new)
		return err_nomem(err);
	memset(new, 0xff, (size_t)nr * sizeof(*new));
	free(in->area_slot);
	in->area_slot = new;
	in->nr_area_slots = nr;
	for (int i = 0; i < in->areas.nr; i++)
		*find_slot(in, &in->area[i].key) = i;
	return 0;
}

static int grow_processes(struct ingest *in, int proc, struct err *err)
{
	int nr = proc + 64, *new;

	if (proc < in->nr_first_area)
		return 0;
	new = realloc(in->first_area, (size_t)nr * sizeof(*new));
	if (!new)
		return err_nomem(err);
	for (int i = in->nr_first_area; i < nr; i++)
		new[i] = -1;
	in->first_area = new;
	in->nr_first_area = nr;
	return 0;
}

/* The area of a sample, made if it is new; -1: no memory. */
static int area_of(struct ingest *in, const struct area_key *k,
		   const struct placement_fact *f, struct err *err)
{
	struct area *a;
	int *slot;

	if (grow_slots(in, err) < 0 || grow_processes(in, k->proc, err) < 0)
		return -1;
	slot = find_slot(in, k);
	if (*slot >= 0)
		return *slot;
	if (in->areas.nr >= in->nr_area_states) {
		int nr = in->nr_area_states ? in->nr_area_states * 2 : 64;
		struct area_state *new;

		new = realloc(in->area, (size_t)nr * sizeof(*new));
		if (!new) {
			err_nomem(err);
			return -1;
		}
		in->area = new;
		in->nr_area_states = nr;
	}
	a = areas_add(&in->areas, k->proc);
	if (!a) {
		err_nomem(err);
		return -1;
	}
	a->kind = (uint8_t)f->kind;
	a->start = f->start;
	a->bytes = f->bytes;
	if (f->name && f->name[0]) {
		char *name = strdup(f->name);

		if (!name) {
			err_nomem(err);
			return -1;
		}
		free(a->name);
		a->name = name;
	}
	in->area[a->id] = (struct area_state){
		.key = *k, .next = in->first_area[k->proc], .seen_ts = INT64_MIN,
	};
	in->first_area[k->proc] = a->id;
	*slot = a->id;
	return a->id;
}

static int add_row(struct ingest *in, int area, int node, int64_t pages,
		   struct err *err)
{
	struct placement *new;

	if (in->nr_rows == in->size_rows) {
		int size = in->size_rows ? in->size_rows * 2 : 256;

		new = realloc(in->row, (size_t)size * sizeof(*new));
		if (!new)
			return err_nomem(err);
		in->row = new;
		in->size_rows = size;
	}
	in->row[in->nr_rows++] = (struct placement){
		.ts = in->row_ts, .area = area, .node = node, .pages = pages,
		.source = in->row_source,
	};
	return 0;
}

static int by_area(const void *pa, const void *pb)
{
	const struct placement *a = pa, *b = pb;

	if (a->area != b->area)
		return a->area < b->area ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Two mappings may count as one area, the two stacks of a moment of growth for
 * one; a row without pages is then of no account. */
static int flush(struct ingest *in, struct err *err)
{
	int code = 0, kept = 0;

	if (in->nr_rows)
		qsort(in->row, (size_t)in->nr_rows, sizeof(*in->row), by_area);
	for (int i = 0; i < in->nr_rows; i++) {
		struct placement *r = &in->row[i];
		struct placement *last = kept ? &in->row[kept - 1] : NULL;

		if (last && last->area == r->area && last->node == r->node)
			last->pages += r->pages;
		else if (last && last->area == r->area && last->node < 0)
			*last = *r;
		else
			in->row[kept++] = *r;
	}
	for (int i = 0; i < kept && code == 0; i++)
		code = store_put_placement(in->store, &in->row[i], err);
	in->totals.samples += kept;
	in->nr_rows = 0;
	return code;
}

/* Everything at hand is of one process, time and source. */
static int turn_to(struct ingest *in, int pid, int64_t ts, char source,
		   struct err *err)
{
	if (in->nr_rows && (in->row_pid != pid || in->row_ts != ts ||
			    in->row_source != source) && flush(in, err) < 0)
		return err->code;
	in->row_pid = pid;
	in->row_ts = ts;
	in->row_source = source;
	return 0;
}

static int add_pages(struct ingest *in, int area, const struct placement_fact *f,
		     struct err *err)
{
	bool any = false;

	for (int n = 0; n < f->nr_node_ids; n++) {
		if (f->pages[n] <= 0)
			continue;
		any = true;
		if (cpumask_set(&in->seen_nodes, n) == ERR_NOMEM)
			return err_nomem(err);
		if (add_row(in, area, n, f->pages[n] < MAX_PAGES ?
			    f->pages[n] : MAX_PAGES, err) < 0)
			return err->code;
	}
	in->area[area].has_pages = any;
	return any ? 0 : add_row(in, area, -1, 0, err);
}

int ingest_placement(struct ingest *in, const struct placement_fact *f,
		     struct err *err)
{
	int proc = lives_at(&in->lives, f->pid, f->ts, true, err), area;
	struct area_key key = { 0 };
	struct task *leader;
	int64_t since;

	if (proc == TASK_NONE)
		return err->code ? err->code :
			ingest_repair(in, "placement_without_process", 1, err);
	leader = &in->lives.tasks.task[proc];
	if (leader->pid < 0)
		leader->pid = f->pid;
	key.proc = proc;
	key.image = lives_image(&in->lives, proc, f->ts, &since);
	key.is_stack = f->kind == AREA_STACK;
	key.start = key.is_stack ? 0 : f->start;
	if (turn_to(in, f->pid, f->ts, f->source, err) < 0)
		return err->code;
	area = area_of(in, &key, f, err);
	if (area < 0)
		return err->code;
	if (in->area[area].seen_ts > f->ts)
		return ingest_repair(in, "placement_backward", 1, err);
	in->area[area].seen_ts = f->ts;
	if (key.is_stack && f->start < in->areas.area[area].start)
		in->areas.area[area].start = f->start;
	/* Areas grow, and where one ends may not have been told at first. */
	if (f->bytes > in->areas.area[area].bytes)
		in->areas.area[area].bytes = f->bytes;
	return add_pages(in, area, f, err);
}

/* Areas of an image that an exec replaced are gone since the exec. */
static int clear_area(struct ingest *in, int area, int64_t ts, int64_t since,
		      bool old_image, struct err *err)
{
	struct area_state *a = &in->area[area];
	struct placement gone = {
		.ts = since, .area = area, .node = -1, .source = in->row_source,
	};

	if (!a->has_pages || (!old_image && a->seen_ts >= ts))
		return 0;
	a->has_pages = false;
	if (!old_image)
		return add_row(in, area, -1, 0, err);
	if (since <= a->seen_ts)
		gone.ts = a->seen_ts + 1;
	in->totals.samples++;
	return store_put_placement(in->store, &gone, err);
}

int ingest_placement_end(struct ingest *in, int pid, int64_t ts,
			 struct err *err)
{
	int proc = lives_at(&in->lives, pid, ts, false, err), image, code;
	int64_t since = 0;

	code = turn_to(in, pid, ts, in->row_source ? in->row_source : 'm', err);
	if (code < 0 || proc == TASK_NONE || proc >= in->nr_first_area)
		return code;
	image = lives_image(&in->lives, proc, ts, &since);
	for (int i = in->first_area[proc]; i >= 0 && code == 0;
	     i = in->area[i].next)
		code = clear_area(in, i, ts, since,
				  in->area[i].key.image != image, err);
	return code < 0 ? code : flush(in, err);
}

int ingest_finish_places(struct ingest *in, struct err *err)
{
	int code = flush(in, err);

	return code < 0 ? code : store_put_areas(in->store, &in->areas, err);
}

void ingest_release_places(struct ingest *in)
{
	areas_release(&in->areas);
	free(in->area);
	free(in->area_slot);
	free(in->first_area);
	free(in->row);
}

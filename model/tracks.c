/* SPDX-License-Identifier: MIT */
#include "model/tracks.h"

#include "model/err.h"
#include "model/pages.h"
#include "model/residency.h"
#include "model/tracks_local.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nodes that are kept in memory. */
#define POOL_BYTES (32 << 20)

static int number_nodes(struct tracks *t, struct err *err)
{
	const struct topo *topo = t->topo;
	int node;

	t->node = calloc(topo->nr_node_ids + 1, sizeof(*t->node));
	t->place = calloc(topo->nr_node_ids + 1, sizeof(*t->place));
	if (!t->node || !t->place)
		return err_nomem(err);
	for (node = 0; node < topo->nr_node_ids; node++) {
		t->place[node] = -1;
		if (!topo->node[node].present)
			continue;
		t->place[node] = t->nr_nodes;
		t->node[t->nr_nodes++] = node;
	}
	return 0;
}

struct tracks *tracks_new(const struct tracks_source *source, struct err *err)
{
	struct tracks *t = calloc(1, sizeof(*t));
	int i;

	if (!t) {
		err_nomem(err);
		return NULL;
	}
	t->from = *source;
	t->topo = source->topo;
	t->task = calloc(source->nr_tasks + 1, sizeof(*t->task));
	t->cpu = calloc(t->topo->nr_cpu_ids + 1, sizeof(*t->cpu));
	t->seen = calloc(1, sizeof(*t->seen));
	t->recent = calloc(1, sizeof(*t->recent));
	t->pool = pool_new(POOL_BYTES);
	if (!t->task || !t->cpu || !t->seen || !t->recent || !t->pool) {
		err_nomem(err);
		tracks_free(t);
		return NULL;
	}
	if (number_nodes(t, err) < 0) {
		tracks_free(t);
		return NULL;
	}
	for (i = 0; i < source->nr_tasks; i++)
		t->task[i] = (struct track){ .number = i, .last_place = -1 };
	for (i = 0; i < t->topo->nr_cpu_ids; i++)
		t->cpu[i] = (struct track){ .is_cpu = true, .number = i,
					    .last_place = -1 };
	return t;
}

static void track_release(struct track *k)
{
	spine_free(k->spine);
	free(k->by_node);
}

void tracks_free(struct tracks *t)
{
	int i;

	if (!t)
		return;
	for (i = 0; t->task && i < t->from.nr_tasks; i++)
		track_release(&t->task[i]);
	for (i = 0; t->cpu && i < t->topo->nr_cpu_ids; i++)
		track_release(&t->cpu[i]);
	pool_free(t->pool);
	free(t->recent);
	free(t->seen);
	free(t->task);
	free(t->cpu);
	free(t->node);
	free(t->place);
	free(t);
}

int tracks_nr_nodes(const struct tracks *t)
{
	return t->nr_nodes;
}

int tracks_place(const struct tracks *t, int node)
{
	if (node < 0 || node >= t->topo->nr_node_ids)
		return -1;
	return t->place[node];
}

int tracks_node(const struct tracks *t, int place)
{
	assert(place >= 0 && place < t->nr_nodes);
	return t->node[place];
}

/* -- adding spans --------------------------------------------------------- */

static void add_sums(struct sums *to, const struct sums *s)
{
	if (!to->nr_spans || s->from_ns < to->from_ns)
		to->from_ns = s->from_ns;
	to->to_ns = s->to_ns;
	to->nr_spans += s->nr_spans;
	to->run_ns += s->run_ns;
	/* Many wait for one CPU: hostile times may go beyond any number. */
	to->wait_ns = ((uint64_t)to->wait_ns + s->wait_ns) & TRACKS_MAX_NS;
	to->unsure_ns += s->unsure_ns;
	to->censored_ns += s->censored_ns;
	to->local_ns += s->local_ns;
	to->known_ns += s->known_ns;
	to->node_moves += s->node_moves;
}

static void add_nodes(int64_t *to, const int64_t *by_node, int nr_nodes)
{
	int i;

	for (i = 0; i < nr_nodes; i++)
		to[i] += by_node[i];
}

/* Puts the group of a level away as a node and makes an entry of it above. */
static int close_group(struct tracks *t, struct spine *s, int level,
		       struct err *err)
{
	struct group *g = &s->level[level], *up = &s->level[level + 1];
	struct bytes b = { 0 };
	struct entry *e;
	int64_t id;
	int i, ret;

	assert(level + 1 < MAX_LEVELS);
	if (s->nr_levels < level + 2)
		s->nr_levels = level + 2;
	if (up->nr == GROUP_ENTRIES) {
		ret = close_group(t, s, level + 1, err);
		if (ret < 0)
			return ret;
	}
	ret = group_encode(g, t->nr_nodes, &b) < 0 ?
		      err_nomem(err) : tracks_put_node(t, &b, &id, err);
	free(b.data);
	if (ret < 0)
		return ret;
	e = group_add(up, t->nr_nodes);
	if (!e)
		return err_nomem(err);
	e->node = id;
	for (i = 0; i < g->nr; i++) {
		add_sums(&e->sums, &g->entry[i].sums);
		add_nodes(up->by_node + (size_t)(up->nr - 1) * t->nr_nodes,
			  g->by_node + (size_t)i * t->nr_nodes, t->nr_nodes);
	}
	g->nr = 0;
	return 0;
}

/* Puts a full chunk away; its entry was added to with every item. */
static int close_chunk(struct tracks *t, struct spine *s, struct err *err)
{
	struct bytes b = { 0 };
	int64_t id;
	int ret;

	ret = chunk_encode(&s->chunk, &b) < 0 ?
		      err_nomem(err) : tracks_put_node(t, &b, &id, err);
	free(b.data);
	if (ret < 0)
		return ret;
	s->level[0].entry[s->level[0].nr - 1].node = id;
	s->chunk.nr = 0;
	s->chunk.len = 0;
	return 0;
}

static struct spine *open_spine(struct track *k, int nr_nodes)
{
	if (!k->by_node)
		k->by_node = calloc(nr_nodes + 1, sizeof(*k->by_node));
	if (!k->spine)
		k->spine = calloc(1, sizeof(*k->spine));
	if (!k->by_node || !k->spine)
		return NULL;
	if (!k->spine->nr_levels)
		k->spine->nr_levels = 1;
	return k->spine;
}

/* The entry that the next item of a track is added to. */
static struct entry *open_entry(struct tracks *t, struct track *k,
				struct err *err)
{
	struct spine *s = open_spine(k, t->nr_nodes);
	struct group *g;
	struct entry *e;

	if (!s || (s->chunk.nr == CHUNK_SPANS && close_chunk(t, s, err) < 0))
		goto fail;
	g = &s->level[0];
	if (s->chunk.nr)
		return &g->entry[g->nr - 1];
	if (g->nr == GROUP_ENTRIES && close_group(t, s, 0, err) < 0)
		goto fail;
	e = group_add(g, t->nr_nodes);
	if (e) {
		e->node = NODE_OPEN;
		return e;
	}
fail:
	if (!err->code)
		err_nomem(err);
	return NULL;
}

static int add_item(struct tracks *t, struct track *k,
		    const struct track_item *i, struct err *err)
{
	const struct span *s = &i->span;
	int64_t len = s->end_ns - s->start_ns, from = track_from(s);
	struct sums sums = {
		.from_ns = from, .to_ns = s->end_ns, .nr_spans = 1,
		.run_ns = len, .wait_ns = s->start_ns - from,
		.unsure_ns = s->flags & SPAN_F_UNSURE ? len : 0,
		.censored_ns = track_censored(s) ? len : 0,
		.local_ns = i->local_ns, .known_ns = i->known_ns,
		.node_moves = k->is_cpu ? 0 : i->moved,
	};
	int place = k->is_cpu ? i->home : i->place;
	struct entry *e = open_entry(t, k, err);
	struct group *g;

	if (!e)
		return err->code;
	if (chunk_add(&k->spine->chunk, k, i) < 0)
		return err_nomem(err);
	add_sums(&e->sums, &sums);
	g = &k->spine->level[0];
	if (place >= 0) {
		g->by_node[(size_t)(g->nr - 1) * t->nr_nodes + place] += len;
		k->by_node[place] += len;
	}
	if (!k->sums.nr_spans)
		k->first_ns = s->start_ns;
	add_sums(&k->sums, &sums);
	k->last_state = s->state;
	k->last_place = i->place;
	k->last_other = k->is_cpu ? s->task : s->cpu;
	return 0;
}

/* Rounded to whole ns, so that sums are the same in whatever order. */
static void set_locality(const struct tracks *t, struct track_item *i)
{
	const struct span *s = &i->span;
	int64_t len = s->end_ns - s->start_ns;
	double local, known;

	if (!t->from.residency || len <= 0)
		return;
	local = residency_local(t->from.residency, s->task,
				topo_node_of(t->topo, s->cpu), s->start_ns,
				s->end_ns, &known);
	i->known_ns = known >= len ? len : llround(known);
	i->local_ns = local >= i->known_ns ? i->known_ns : llround(local);
	i->is_mixed = i->known_ns && (i->known_ns < len ||
				      (i->local_ns && i->local_ns < len));
}

static int check(const struct tracks *t, const struct span *s, struct err *err)
{
	const struct track *task, *cpu;

	if (s->task < 0 || s->task >= t->from.nr_tasks)
		return err_set(err, ERR_FORMAT, "span of task %d, which is none",
			       s->task);
	if (topo_node_of(t->topo, s->cpu) < 0 || s->cpu > UINT16_MAX)
		return err_set(err, ERR_FORMAT, "span on CPU %d, which is none",
			       s->cpu);
	task = &t->task[s->task];
	cpu = &t->cpu[s->cpu];
	if (s->end_ns < s->start_ns || s->start_ns < 0 ||
	    s->end_ns > TRACKS_MAX_NS ||
	    (task->sums.nr_spans && s->start_ns < task->sums.to_ns) ||
	    (cpu->sums.nr_spans && s->start_ns < cpu->sums.to_ns))
		return err_set(err, ERR_FORMAT,
			       "span of task %d on CPU %d at %lld ns overlaps "
			       "the one before it, or is no time",
			       s->task, s->cpu, (long long)s->start_ns);
	return 0;
}

/* Waiting lies between two spans, whatever the file says. */
static int64_t ready_of(const struct track *task, const struct span *s)
{
	if (s->ready_ns < 0 || s->ready_ns > s->start_ns)
		return -1;
	if (task->sums.nr_spans && s->ready_ns < task->sums.to_ns)
		return task->sums.to_ns;
	return s->ready_ns;
}

int tracks_span(struct tracks *t, const struct span *s, struct err *err)
{
	struct track_item i = { .span = *s, .home = -1 };
	struct track *task, *cpu;
	int ret;

	ret = check(t, s, err);
	if (ret < 0)
		return ret;
	task = &t->task[s->task];
	cpu = &t->cpu[s->cpu];
	i.place = track_place(t, s->cpu);
	i.moved = task->sums.nr_spans && task->last_place != i.place;
	i.span.ready_ns = ready_of(task, s);
	set_locality(t, &i);
	if (t->from.pages)
		i.home = pages_home(t->from.pages, t->from.leader[s->task],
				    s->start_ns);
	t->sealed = false;
	t->recent->track = NULL;
	ret = add_item(t, task, &i, err);
	return ret < 0 ? ret : add_item(t, cpu, &i, err);
}

static void seal(struct track *k)
{
	int i;

	for (i = 0; k->spine && i < k->spine->nr_levels; i++)
		group_seal(&k->spine->level[i]);
}

void tracks_seal(struct tracks *t)
{
	int i;

	if (t->sealed)
		return;
	t->sealed = true;
	for (i = 0; i < t->from.nr_tasks; i++)
		seal(&t->task[i]);
	for (i = 0; i < t->topo->nr_cpu_ids; i++)
		seal(&t->cpu[i]);
}

/* -- keeping them --------------------------------------------------------- */

static int save_track(struct tracks *t, struct track *k, tracks_head_fn fn,
		      void *ctx, struct err *err)
{
	struct bytes b = { 0 };
	int ret;

	if (!k->spine)
		return 0;
	ret = spine_encode(k->spine, t->nr_nodes, &b) < 0 ?
		      err_nomem(err) :
		      tracks_put_node(t, &b, &k->spine_node, err);
	b.len = 0;
	if (!ret)
		ret = head_encode(k, t->nr_nodes, &b) < 0 ? err_nomem(err) :
			fn(ctx, k->is_cpu ? TRACK_CPU : TRACK_TASK, k->number,
			   b.data, b.len, err);
	free(b.data);
	if (ret < 0)
		return ret;
	spine_free(k->spine);
	k->spine = NULL;
	return 0;
}

int tracks_save(struct tracks *t, tracks_head_fn fn, void *ctx,
		struct err *err)
{
	int i, ret = 0;

	for (i = 0; !ret && i < t->from.nr_tasks; i++)
		ret = save_track(t, &t->task[i], fn, ctx, err);
	for (i = 0; !ret && i < t->topo->nr_cpu_ids; i++)
		ret = save_track(t, &t->cpu[i], fn, ctx, err);
	t->sealed = true;
	return ret;
}

int tracks_restore(struct tracks *t, enum track_kind kind, int number,
		   const void *head, size_t len, struct err *err)
{
	bool cpu = kind == TRACK_CPU;
	struct track *k;
	int ret;

	t->sealed = true;
	if (number < 0 ||
	    number >= (cpu ? t->topo->nr_cpu_ids : t->from.nr_tasks) ||
	    (cpu && track_place(t, number) < 0))
		return err_set(err, ERR_FORMAT, "damaged: what is kept for "
			       "drawing is of %s %d, which is none",
			       cpu ? "CPU" : "task", number);
	k = cpu ? &t->cpu[number] : &t->task[number];
	free(k->by_node);
	ret = head_decode(k, t->nr_nodes, head, len);
	if (ret == ERR_NOMEM)
		return err_nomem(err);
	return ret ? err_set(err, ret, "damaged: what is kept for drawing of "
			     "%s %d", cpu ? "CPU" : "task", number) : 0;
}

/* SPDX-License-Identifier: MIT */
#include "model/tracks.h"

#include "model/err.h"
#include "model/pages.h"
#include "model/residency.h"
#include "model/tracks_local.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS (1u << (32 - BLOCK_BITS))

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

	if (!t) {
		err_nomem(err);
		return NULL;
	}
	t->from = *source;
	t->topo = source->topo;
	t->task = calloc(source->nr_tasks + 1, sizeof(*t->task));
	t->cpu = calloc(t->topo->nr_cpu_ids + 1, sizeof(*t->cpu));
	if (!t->task || !t->cpu) {
		err_nomem(err);
		tracks_free(t);
		return NULL;
	}
	if (number_nodes(t, err) < 0) {
		tracks_free(t);
		return NULL;
	}
	return t;
}

static void track_release(struct track *k)
{
	int i;

	for (i = 0; k->refs && i < k->nr_blocks; i++) {
		free(k->refs[i]->home_ns);
		free(k->refs[i]);
	}
	free(k->refs);
	free(k->block);
	free(k->node_ns);
}

void tracks_free(struct tracks *t)
{
	uint32_t b;
	int i;

	if (!t)
		return;
	for (i = 0; t->task && i < t->from.nr_tasks; i++)
		track_release(&t->task[i]);
	for (i = 0; t->cpu && i < t->topo->nr_cpu_ids; i++)
		track_release(&t->cpu[i]);
	for (b = 0; b < t->nr_blocks; b++) {
		free(t->block[b]->item);
		free(t->block[b]->node_ns);
		free(t->block[b]);
	}
	free(t->block);
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

/* Room for one more pointer of `size` bytes in an array that has nr. */
static void *grown(void *array, int nr, int *room, size_t size)
{
	int more = *room ? *room * 2 : 4;
	void *p;

	if (nr < *room)
		return array;
	p = realloc(array, more * size);
	if (p)
		*room = more;
	return p;
}

static struct block *new_block(struct tracks *t, struct track *k, int task)
{
	struct block *b;
	void *p;

	if (t->nr_blocks == t->size) {
		uint32_t more = t->size ? t->size * 2 : 64;

		p = realloc(t->block, more * sizeof(*t->block));
		if (!p || more > MAX_BLOCKS)
			return NULL;
		t->block = p;
		t->size = more;
	}
	p = grown(k->block, k->nr_blocks, &k->size, sizeof(*k->block));
	if (!p)
		return NULL;
	k->block = p;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->task = task;
	b->node_ns = calloc(t->nr_nodes + 1, sizeof(*b->node_ns));
	if (!b->node_ns) {
		free(b);
		return NULL;
	}
	k->block[k->nr_blocks++] = t->nr_blocks;
	t->block[t->nr_blocks++] = b;
	return b;
}

static bool is_wide(const struct span *s)
{
	return s->end_ns - s->start_ns >= WAIT_UNKNOWN ||
	       (s->ready_ns >= 0 && s->start_ns - s->ready_ns >= WAIT_UNKNOWN);
}

/* The block that takes a task's next span, with room for it.  Most tasks have
 * few spans, so blocks start small. */
static struct block *open_block(struct tracks *t, struct track *k,
				const struct span *s)
{
	struct block *b;
	struct item *p;

	b = k->nr_blocks ? t->block[k->block[k->nr_blocks - 1]] : NULL;
	if (!b || b->nr == BLOCK_SPANS || b->wide || is_wide(s) ||
	    s->start_ns - b->base_ns >= WIDE) {
		b = new_block(t, k, s->task);
		if (!b)
			return NULL;
		b->base_ns = s->start_ns;
		b->wide = is_wide(s);
		b->first = k->nr_spans;
	}
	if (b->nr == b->size) {
		int more = b->wide    ? 1 :
			   b->size    ? b->size * 2 :
			   k->nr_blocks > 1 ? BLOCK_SPANS :
					      4;

		p = realloc(b->item, more * sizeof(*p));
		if (!p)
			return NULL;
		b->item = p;
		b->size = more;
	}
	return b;
}

static struct refs *open_refs(const struct tracks *t, struct track *k)
{
	struct refs *r;
	void *p;

	if (k->nr_blocks && k->refs[k->nr_blocks - 1]->nr < BLOCK_SPANS)
		return k->refs[k->nr_blocks - 1];
	p = grown(k->refs, k->nr_blocks, &k->size, sizeof(*k->refs));
	if (!p)
		return NULL;
	k->refs = p;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->home_ns = calloc(t->nr_nodes + 1, sizeof(*r->home_ns));
	if (!r->home_ns) {
		free(r);
		return NULL;
	}
	k->refs[k->nr_blocks++] = r;
	return r;
}

static void add_sums(struct sums *s, const struct track_item *i, bool first,
		     bool moved)
{
	int64_t len = i->span.end_ns - i->span.start_ns;
	int64_t from = track_from(&i->span);

	if (first || from < s->from_ns)
		s->from_ns = from;
	s->to_ns = i->span.end_ns;
	s->run_ns += len;
	s->wait_ns += i->span.start_ns - from;
	if (i->span.flags & SPAN_F_UNSURE)
		s->unsure_ns += len;
	if (track_censored(&i->span))
		s->censored_ns += len;
	s->local_ns += i->local * len;
	s->known_ns += i->known * len;
	s->node_moves += moved;
}

static int add_total(const struct tracks *t, struct track *k,
		     const struct track_item *i, int place)
{
	struct track_total *sum = &k->total;
	int64_t len = i->span.end_ns - i->span.start_ns;

	if (!k->node_ns) {
		k->node_ns = calloc(t->nr_nodes + 1, sizeof(*k->node_ns));
		if (!k->node_ns)
			return ERR_NOMEM;
		sum->node_ns = k->node_ns;
		sum->first_ns = i->span.start_ns;
	}
	sum->nr_spans = ++k->nr_spans;
	sum->last_ns = i->span.end_ns;
	sum->run_ns += len;
	sum->wait_ns += i->span.start_ns - track_from(&i->span);
	sum->local_ns += i->local * len;
	sum->known_ns += i->known * len;
	k->node_ns[place] += len;
	return 0;
}

static void set_locality(const struct tracks *t, struct track_item *i)
{
	const struct span *s = &i->span;
	int64_t len = s->end_ns - s->start_ns;

	if (!t->from.residency || len <= 0)
		return;
	i->local = residency_local(t->from.residency, s->task,
				   topo_node_of(t->topo, s->cpu), s->start_ns,
				   s->end_ns, &i->known) / len;
	i->known /= len;
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
	    (task->nr_spans && s->start_ns < task->total.last_ns) ||
	    (cpu->nr_spans && s->start_ns < cpu->total.last_ns))
		return err_set(err, ERR_FORMAT,
			       "span of task %d on CPU %d at %lld ns overlaps "
			       "the one before it",
			       s->task, s->cpu, (long long)s->start_ns);
	return 0;
}

static void pack(struct block *b, const struct track_item *i)
{
	const struct span *s = &i->span;
	int64_t len = s->end_ns - s->start_ns;
	int64_t wait = s->start_ns - s->ready_ns;

	b->item[b->nr++] = (struct item){
		.at = s->start_ns - b->base_ns,
		.len = b->wide ? WIDE : len,
		.wait = s->ready_ns < 0 ? WAIT_UNKNOWN : b->wide ? WIDE : wait,
		.waker = s->waker,
		.cpu = s->cpu,
		.state_flags = s->state | s->flags << 4,
		.home = i->home < 0 || i->home >= NO_HOME ? NO_HOME : i->home,
		.local = i->local * SHARE_ALL + 0.5,
		.known = i->known * SHARE_ALL + 0.5,
	};
}

/* Waiting lies between two spans, whatever the file says. */
static int64_t ready_of(const struct track *task, const struct span *s)
{
	if (s->ready_ns < 0 || s->ready_ns > s->start_ns)
		return -1;
	if (task->nr_spans && s->ready_ns < task->total.last_ns)
		return task->total.last_ns;
	return s->ready_ns;
}

int tracks_span(struct tracks *t, const struct span *s, struct err *err)
{
	struct track_item i = { .span = *s, .home = -1 };
	struct track *task, *cpu;
	struct block *b;
	struct refs *r;
	int place, ret;
	bool moved;

	ret = check(t, s, err);
	if (ret < 0)
		return ret;
	task = &t->task[s->task];
	cpu = &t->cpu[s->cpu];
	place = track_place(t, s->cpu);
	moved = task->nr_spans && task->last_node != place;
	i.span.ready_ns = ready_of(task, s);
	set_locality(t, &i);
	if (t->from.pages)
		i.home = pages_home(t->from.pages, t->from.leader[s->task],
				    s->start_ns);
	b = open_block(t, task, &i.span);
	r = open_refs(t, cpu);
	if (!b || !r || add_total(t, task, &i, place) < 0 ||
	    add_total(t, cpu, &i, place) < 0)
		return err_nomem(err);
	add_sums(&b->sums, &i, !b->nr, moved);
	add_sums(&r->sums, &i, !r->nr, false);
	b->node_ns[place] += s->end_ns - s->start_ns;
	if (i.home >= 0)
		r->home_ns[i.home] += s->end_ns - s->start_ns;
	r->item[r->nr++] = task->block[task->nr_blocks - 1] << BLOCK_BITS |
			   b->nr;
	pack(b, &i);
	task->total.node_moves += moved;
	task->last_node = place;
	t->sealed = false;
	return 0;
}

static void seal(struct tracks *t, struct track *k)
{
	int64_t least = INT64_MAX;
	int i;

	for (i = k->nr_blocks - 1; i >= 0; i--) {
		struct sums *s = k->refs ? &k->refs[i]->sums :
					   &t->block[k->block[i]]->sums;

		if (s->from_ns < least)
			least = s->from_ns;
		s->later_from_ns = least;
	}
}

void tracks_seal(struct tracks *t)
{
	int i;

	if (t->sealed)
		return;
	t->sealed = true;
	for (i = 0; i < t->from.nr_tasks; i++)
		seal(t, &t->task[i]);
	for (i = 0; i < t->topo->nr_cpu_ids; i++)
		seal(t, &t->cpu[i]);
}

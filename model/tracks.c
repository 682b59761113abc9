/* SPDX-License-Identifier: MIT */
#include "model/tracks.h"

#include "model/err.h"
#include "model/residency.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BITS 6
#define BLOCK_SPANS (1 << BLOCK_BITS)
#define MAX_BLOCKS (1u << (32 - BLOCK_BITS))

struct item {
	int64_t start_ns, end_ns, ready_ns;	/* ready <= start; -1: unknown */
	int waker;
	uint16_t cpu;
	uint8_t state, flags;
	float local, known;	/* shares of the length */
};

struct sums {
	int64_t from_ns, to_ns;	/* all that the block can add to */
	int64_t later_from_ns;	/* least from_ns of this and all later ones */
	int64_t run_ns, wait_ns, unsure_ns, censored_ns;
	double local_ns, known_ns;
	int64_t node_moves;
};

/* A block of a task's spans. */
struct block {
	struct sums sums;
	int task;
	int nr, size;
	int64_t *node_ns;
	struct item *item;
};

/* A block of a CPU's spans: places of items. */
struct refs {
	struct sums sums;
	int nr;
	uint32_t item[BLOCK_SPANS];	/* block number << BLOCK_BITS | index */
};

struct track {
	int nr_blocks, size;
	int64_t nr_spans;
	uint32_t *block;	/* of a task: numbers in tracks->block */
	struct refs **refs;	/* of a CPU */
	int64_t *node_ns;
	struct track_total total;
	int last_node;		/* place; -1: none yet */
};

struct tracks {
	const struct topo *topo;
	const struct residency *residency;
	int nr_nodes;
	int *node;		/* by place */
	int *place;		/* by node */
	int nr_tasks;
	struct track *task, *cpu;
	uint32_t nr_blocks, size;
	struct block **block;
};

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

struct tracks *tracks_new(const struct topo *topo, int nr_tasks,
			  const struct residency *residency, struct err *err)
{
	struct tracks *t = calloc(1, sizeof(*t));

	if (!t) {
		err_nomem(err);
		return NULL;
	}
	t->topo = topo;
	t->residency = residency;
	t->nr_tasks = nr_tasks;
	t->task = calloc(nr_tasks + 1, sizeof(*t->task));
	t->cpu = calloc(topo->nr_cpu_ids + 1, sizeof(*t->cpu));
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

	for (i = 0; k->refs && i < k->nr_blocks; i++)
		free(k->refs[i]);
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
	for (i = 0; t->task && i < t->nr_tasks; i++)
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

static int place_of_cpu(const struct tracks *t, int cpu)
{
	return tracks_place(t, topo_node_of(t->topo, cpu));
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

/* The block that takes a task's next span, with room for it.  Most tasks have
 * few spans, so blocks start small. */
static struct block *open_block(struct tracks *t, struct track *k, int task)
{
	struct block *b;
	struct item *p;

	b = k->nr_blocks ? t->block[k->block[k->nr_blocks - 1]] : NULL;
	if (!b || b->nr == BLOCK_SPANS) {
		b = new_block(t, k, task);
		if (!b)
			return NULL;
	}
	if (b->nr == b->size) {
		int more = b->size ? b->size * 2 : k->nr_blocks > 1 ? 64 : 4;

		p = realloc(b->item, more * sizeof(*p));
		if (!p)
			return NULL;
		b->item = p;
		b->size = more;
	}
	return b;
}

static struct refs *open_refs(struct track *k)
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
	if (r)
		k->refs[k->nr_blocks++] = r;
	return r;
}

static int64_t from_of(const struct item *i)
{
	return i->ready_ns >= 0 ? i->ready_ns : i->start_ns;
}

static bool is_censored(const struct item *i)
{
	return i->flags & (SPAN_F_CENSORED_START | SPAN_F_CENSORED_END);
}

static void add_sums(struct sums *s, const struct item *i, bool first,
		     bool moved)
{
	int64_t len = i->end_ns - i->start_ns;

	if (first || from_of(i) < s->from_ns)
		s->from_ns = from_of(i);
	s->to_ns = i->end_ns;
	s->run_ns += len;
	s->wait_ns += i->start_ns - from_of(i);
	if (i->flags & SPAN_F_UNSURE)
		s->unsure_ns += len;
	if (is_censored(i))
		s->censored_ns += len;
	s->local_ns += (double)i->local * len;
	s->known_ns += (double)i->known * len;
	s->node_moves += moved;
}

static int add_total(const struct tracks *t, struct track *k,
		     const struct item *i, int place)
{
	struct track_total *sum = &k->total;
	int64_t len = i->end_ns - i->start_ns;

	if (!k->node_ns) {
		k->node_ns = calloc(t->nr_nodes + 1, sizeof(*k->node_ns));
		if (!k->node_ns)
			return ERR_NOMEM;
		sum->node_ns = k->node_ns;
		sum->first_ns = i->start_ns;
	}
	sum->nr_spans = ++k->nr_spans;
	sum->last_ns = i->end_ns;
	sum->run_ns += len;
	sum->wait_ns += i->start_ns - from_of(i);
	sum->local_ns += (double)i->local * len;
	sum->known_ns += (double)i->known * len;
	if (place >= 0)
		k->node_ns[place] += len;
	return 0;
}

static void set_locality(const struct tracks *t, struct item *i, int task)
{
	int64_t len = i->end_ns - i->start_ns;
	double local, known;

	if (!t->residency || len <= 0)
		return;
	local = residency_local(t->residency, task,
				topo_node_of(t->topo, i->cpu), i->start_ns,
				i->end_ns, &known);
	i->local = local / len;
	i->known = known / len;
}

static int check(const struct tracks *t, const struct span *s, struct err *err)
{
	const struct track *task, *cpu;

	if (s->task < 0 || s->task >= t->nr_tasks)
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

int tracks_span(struct tracks *t, const struct span *s, struct err *err)
{
	struct track *task, *cpu;
	struct block *b;
	struct refs *r;
	struct item *i;
	int place, ret;
	bool moved;

	ret = check(t, s, err);
	if (ret < 0)
		return ret;
	task = &t->task[s->task];
	cpu = &t->cpu[s->cpu];
	place = place_of_cpu(t, s->cpu);
	moved = task->nr_spans && task->last_node != place;
	b = open_block(t, task, s->task);
	r = open_refs(cpu);
	if (!b || !r)
		return err_nomem(err);
	i = &b->item[b->nr];
	*i = (struct item){
		.start_ns = s->start_ns,
		.end_ns = s->end_ns,
		.ready_ns = s->ready_ns <= s->start_ns ? s->ready_ns : -1,
		.waker = s->waker,
		.cpu = s->cpu,
		.state = s->state,
		.flags = s->flags,
	};
	if (i->ready_ns >= 0 && task->nr_spans &&
	    i->ready_ns < task->total.last_ns)
		i->ready_ns = task->total.last_ns;
	set_locality(t, i, s->task);
	if (add_total(t, task, i, place) < 0 || add_total(t, cpu, i, place) < 0)
		return err_nomem(err);
	add_sums(&b->sums, i, !b->nr, moved);
	add_sums(&r->sums, i, !r->nr, false);
	b->node_ns[place] += s->end_ns - s->start_ns;
	r->item[r->nr++] = task->block[task->nr_blocks - 1] << BLOCK_BITS |
			   b->nr;
	b->nr++;
	task->total.node_moves += moved;
	task->last_node = place;
	return 0;
}

static struct sums *sums_of(const struct tracks *t, const struct track *k,
			    int block)
{
	return k->refs ? &k->refs[block]->sums :
			 &t->block[k->block[block]]->sums;
}

static void seal(struct tracks *t, struct track *k)
{
	int64_t least = INT64_MAX;
	int i;

	for (i = k->nr_blocks - 1; i >= 0; i--) {
		struct sums *s = sums_of(t, k, i);

		if (s->from_ns < least)
			least = s->from_ns;
		s->later_from_ns = least;
	}
}

void tracks_seal(struct tracks *t)
{
	int i;

	for (i = 0; i < t->nr_tasks; i++)
		seal(t, &t->task[i]);
	for (i = 0; i < t->topo->nr_cpu_ids; i++)
		seal(t, &t->cpu[i]);
}

static const struct track *track_of(const struct tracks *t,
				    enum track_kind kind, int number)
{
	static const struct track none;

	if (kind == TRACK_TASK && number >= 0 && number < t->nr_tasks)
		return &t->task[number];
	if (kind == TRACK_CPU && number >= 0 && number < t->topo->nr_cpu_ids)
		return &t->cpu[number];
	return &none;
}

/* The item at a place of a track, and whose it is. */
static const struct item *item_at(const struct tracks *t, const struct track *k,
				  int block, int index, int *task)
{
	const struct block *b;

	if (k->refs) {
		uint32_t at = k->refs[block]->item[index];

		b = t->block[at >> BLOCK_BITS];
		index = at & (BLOCK_SPANS - 1);
	} else {
		b = t->block[k->block[block]];
	}
	*task = b->task;
	return &b->item[index];
}

static int nr_items(const struct tracks *t, const struct track *k, int block)
{
	return k->refs ? k->refs[block]->nr : t->block[k->block[block]]->nr;
}

/* The first block that reaches beyond ns: ends are in order. */
static int first_block(const struct tracks *t, const struct track *k,
		       int64_t ns)
{
	int lo = 0, hi = k->nr_blocks;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (sums_of(t, k, mid)->to_ns > ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* An item whose locality is neither all nor nothing is asked for anew where an
 * edge cuts it: its share is not spread evenly. */
static void fill_cut(const struct tracks *t, const struct item *i, int task,
		     struct grid *g, int row)
{
	int node = topo_node_of(t->topo, i->cpu);
	int col = grid_col(g, i->start_ns > g->from_ns ? i->start_ns :
							 g->from_ns);

	for (; col < g->nr_cols && g->edge[col] < i->end_ns; col++) {
		struct grid_cell *c = grid_at(g, row, col);
		int64_t from = g->edge[col], to = g->edge[col + 1];
		double known;

		if (from < i->start_ns)
			from = i->start_ns;
		if (to > i->end_ns)
			to = i->end_ns;
		if (from >= to)
			continue;
		c->local_ns += residency_local(t->residency, task, node, from,
					       to, &known);
		c->known_ns += known;
	}
}

static void fill_item(const struct tracks *t, const struct item *i, int task,
		      struct grid *g, int row)
{
	struct grid_run run = {
		.start_ns = i->start_ns,
		.end_ns = i->end_ns,
		.node = place_of_cpu(t, i->cpu),
		.unsure = i->flags & SPAN_F_UNSURE,
		.censored = is_censored(i),
	};
	bool even = i->known == 0 ||
		    (i->known == 1 && (i->local == 0 || i->local == 1)) ||
		    !t->residency;

	if (even) {
		run.local = i->local;
		run.known = i->known;
	}
	grid_run(g, row, &run);
	grid_time(g, row, GRID_WAIT, from_of(i), i->start_ns);
	if (!even && i->end_ns > g->from_ns && i->start_ns < g->to_ns)
		fill_cut(t, i, task, g, row);
}

static void fill_block(const struct tracks *t, const struct track *k, int block,
		       struct grid *g, int row)
{
	int last = -1, prev, task, i, n = nr_items(t, k, block);
	const struct item *it;

	if (!k->refs && block) {
		prev = block - 1;
		it = item_at(t, k, prev, nr_items(t, k, prev) - 1, &task);
		last = place_of_cpu(t, it->cpu);
	}
	for (i = 0; i < n; i++) {
		int place;

		it = item_at(t, k, block, i, &task);
		place = place_of_cpu(t, it->cpu);
		if (it->end_ns > g->from_ns || it->start_ns >= g->from_ns) {
			fill_item(t, it, task, g, row);
			grid_begin(g, row, it->start_ns,
				   !k->refs && last >= 0 && last != place);
		}
		last = place;
	}
}

static void add_block(const struct tracks *t, const struct track *k, int block,
		      struct grid *g, int row, int col)
{
	const struct sums *s = sums_of(t, k, block);
	struct grid_cell *c = grid_at(g, row, col);
	int64_t *node_ns = grid_nodes(g, row, col);
	int task, i;

	c->ns[GRID_RUN] += s->run_ns;
	c->ns[GRID_WAIT] += s->wait_ns;
	c->ns[GRID_UNSURE] += s->unsure_ns;
	c->ns[GRID_CENSORED] += s->censored_ns;
	c->local_ns += s->local_ns;
	c->known_ns += s->known_ns;
	c->spans += nr_items(t, k, block);
	c->node_moves += s->node_moves;
	if (k->refs) {
		i = place_of_cpu(t, item_at(t, k, block, 0, &task)->cpu);
		node_ns[i] += s->run_ns;
		return;
	}
	for (i = 0; i < t->nr_nodes; i++)
		node_ns[i] += t->block[k->block[block]]->node_ns[i];
}

void tracks_fill(const struct tracks *t, enum track_kind kind, int number,
		 struct grid *g, int row)
{
	const struct track *k = track_of(t, kind, number);
	int b = first_block(t, k, g->from_ns - 1);

	assert(g->nr_nodes == t->nr_nodes);
	for (; b < k->nr_blocks; b++) {
		const struct sums *s = sums_of(t, k, b);
		int col;

		if (s->later_from_ns >= g->to_ns)
			break;
		col = grid_col(g, s->from_ns);
		if (col >= 0 && col < g->nr_cols &&
		    s->to_ns < g->edge[col + 1])
			add_block(t, k, b, g, row, col);
		else
			fill_block(t, k, b, g, row);
	}
}

void tracks_total(const struct tracks *t, enum track_kind kind, int number,
		  struct track_total *total)
{
	*total = track_of(t, kind, number)->total;
}

int64_t tracks_find(const struct tracks *t, enum track_kind kind, int number,
		    int64_t ns)
{
	const struct track *k = track_of(t, kind, number);
	int b = first_block(t, k, ns), i, task;

	if (b == k->nr_blocks)
		return k->nr_spans;
	for (i = 0; i < nr_items(t, k, b) - 1; i++)
		if (item_at(t, k, b, i, &task)->end_ns > ns)
			break;
	return (int64_t)b * BLOCK_SPANS + i;
}

void tracks_get(const struct tracks *t, enum track_kind kind, int number,
		int64_t i, struct span *s)
{
	const struct track *k = track_of(t, kind, number);
	const struct item *it;
	int task;

	assert(i >= 0 && i < k->nr_spans);
	it = item_at(t, k, i >> BLOCK_BITS, i & (BLOCK_SPANS - 1), &task);
	*s = (struct span){
		.task = task,
		.cpu = it->cpu,
		.start_ns = it->start_ns,
		.end_ns = it->end_ns,
		.ready_ns = it->ready_ns,
		.waker = it->waker,
		.state = it->state,
		.flags = it->flags,
	};
}

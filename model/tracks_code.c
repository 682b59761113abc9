/* SPDX-License-Identifier: MIT */
/*
 * Bytes of chunks, groups, spines and heads.  Numbers are varints; a difference
 * that may be negative is written as 2 * d, or -2 * d - 1.
 *
 * item		start minus end of the item before (the first: minus 0), length,
 *		byte of state + 16 * flags, byte of enum item_bit + 64 * locality;
 *		then, where a bit says so: start minus ready; waker; CPU (task's
 *		item) or task (CPU's); locality MIXED: local ns, known ns; home
 * chunk	items, place before + 1, the items
 * entry	node + 1, spans, from minus the to before, to - from, run, wait, unsure,
 *		censored, local, known, node moves; nodes that are not 0: how many,
 *		then place and ns of each
 * group	entries, the entries
 * spine	levels; groups from the highest level down; the chunk
 * head		node of the spine, first start, last state, entry of all of it
 *
 * What is read may come from a damaged file: everything that is used as an
 * index or a length is checked.
 */
#include "model/tracks_local.h"

#include "model/err.h"
#include "model/event.h"
#include "model/task.h"

#include <stdlib.h>
#include <string.h>

enum item_bit {
	ITEM_READY = 1,
	ITEM_WAKER = 2,
	ITEM_OTHER = 4,
	ITEM_HOME = 8,
};

enum locality { UNKNOWN, REMOTE, LOCAL, MIXED };

#define LOCALITY_UNIT 64

/* -- numbers -------------------------------------------------------------- */

static uint64_t zigzag(int64_t v)
{
	return v < 0 ? ~(uint64_t)v << 1 | 1 : (uint64_t)v << 1;
}

static int64_t unzigzag(uint64_t v)
{
	return v & 1 ? (int64_t)~(v >> 1) : (int64_t)(v >> 1);
}

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static inline uint64_t get_raw(struct reader *r)
{
	const uint8_t *behind;
	uint64_t v;

	behind = varint_get(r->at, r->end, &v);
	if (!behind) {
		r->bad = true;
		return 0;
	}
	r->at = behind;
	return v;
}

/* A number in 0..max. */
static inline int64_t get(struct reader *r, int64_t max)
{
	uint64_t v = get_raw(r);

	if (max < 0 || v > (uint64_t)max) {
		r->bad = true;
		return 0;
	}
	return v;
}

static int room(struct bytes *b, size_t more)
{
	size_t size = b->size ? b->size : 64;
	uint8_t *p;

	while (size < b->len + more)
		size *= 2;
	if (size == b->size)
		return 0;
	p = realloc(b->data, size);
	if (!p)
		return ERR_NOMEM;
	b->data = p;
	b->size = size;
	return 0;
}

/* -- items ---------------------------------------------------------------- */

static enum locality locality_of(const struct track_item *i)
{
	if (!i->known_ns)
		return UNKNOWN;
	if (i->is_mixed)
		return MIXED;
	return i->local_ns ? LOCAL : REMOTE;
}

static uint8_t *put_item(uint8_t *p, const struct track *last, bool first,
			 const struct track_item *i)
{
	const struct span *s = &i->span;
	int other = last->is_cpu ? s->task : s->cpu;
	int bits = (s->ready_ns >= 0 ? ITEM_READY : 0) |
		   (s->waker >= 0 ? ITEM_WAKER : 0) |
		   (first || other != last->last_other ? ITEM_OTHER : 0) |
		   (last->is_cpu && i->home >= 0 ? ITEM_HOME : 0);

	p = varint_put(p, s->start_ns - (first ? 0 : last->sums.to_ns));
	p = varint_put(p, s->end_ns - s->start_ns);
	*p++ = s->state | s->flags << 4;
	*p++ = bits | locality_of(i) * LOCALITY_UNIT;
	if (bits & ITEM_READY)
		p = varint_put(p, s->start_ns - s->ready_ns);
	if (bits & ITEM_WAKER)
		p = varint_put(p, s->waker);
	if (bits & ITEM_OTHER)
		p = varint_put(p, other);
	if (locality_of(i) == MIXED) {
		p = varint_put(p, i->local_ns);
		p = varint_put(p, i->known_ns);
	}
	return bits & ITEM_HOME ? varint_put(p, i->home) : p;
}

int chunk_add(struct chunk *c, const struct track *last,
	      const struct track_item *i)
{
	struct bytes b = { c->bytes, c->len, c->size };

	if (room(&b, ITEM_BYTES) < 0)
		return ERR_NOMEM;
	c->bytes = b.data;
	c->size = b.size;
	c->len = put_item(b.data + b.len, last, !c->nr, i) - b.data;
	if (!c->nr++)
		c->place_before = last->last_place;
	return 0;
}

void chunk_open(struct chunk_reader *r, const struct tracks *t,
		const struct track *k, const struct chunk *c)
{
	*r = (struct chunk_reader){ .t = t, .k = k, .at = c->bytes,
				    .end = c->bytes + c->len, .nr = c->nr,
				    .other = -1,
				    .last_place = c->place_before };
}

static void read_optional(struct reader *in, struct chunk_reader *r, int bits,
			  struct track_item *i)
{
	struct span *s = &i->span;
	int nr_tasks = r->t->from.nr_tasks;
	int64_t len = s->end_ns - s->start_ns;

	s->ready_ns = -1;
	s->waker = TASK_NONE;
	if (bits & ITEM_READY)
		s->ready_ns = s->start_ns - get(in, s->start_ns);
	if (bits & ITEM_WAKER)
		s->waker = get(in, nr_tasks - 1);
	if (bits & ITEM_OTHER)
		r->other = get(in, r->k->is_cpu ? nr_tasks - 1 : UINT16_MAX);
	i->is_mixed = bits / LOCALITY_UNIT == MIXED;
	i->known_ns = bits / LOCALITY_UNIT == UNKNOWN ? 0 : len;
	i->local_ns = bits / LOCALITY_UNIT == LOCAL ? len : 0;
	if (i->is_mixed) {
		i->local_ns = get(in, len);
		i->known_ns = get(in, len);
	}
	i->home = bits & ITEM_HOME ? (int)get(in, r->t->nr_nodes - 1) : -1;
	s->task = r->k->is_cpu ? r->other : r->k->number;
	s->cpu = r->k->is_cpu ? r->k->number : r->other;
}

int chunk_next(struct chunk_reader *r, struct track_item *i)
{
	struct reader in = { r->at, r->end, false };
	struct span *s = &i->span;
	int state, bits;

	if (!r->nr)
		return 0;
	s->start_ns = r->last_end_ns + get(&in, TRACKS_MAX_NS - r->last_end_ns);
	s->end_ns = s->start_ns + get(&in, TRACKS_MAX_NS - s->start_ns);
	if (in.bad || in.end - in.at < 2)
		return ERR_FORMAT;
	state = *in.at++;
	bits = *in.at++;
	s->state = state & 15;
	s->flags = state >> 4;
	read_optional(&in, r, bits, i);
	i->place = in.bad || r->other < 0 ? -1 : track_place(r->t, s->cpu);
	if (i->place < 0 || s->state > STATE_OTHER || i->local_ns > i->known_ns)
		return ERR_FORMAT;
	i->moved = !r->k->is_cpu && r->last_place >= 0 &&
		   r->last_place != i->place;
	r->last_place = i->place;
	r->last_end_ns = s->end_ns;
	r->at = in.at;
	r->nr--;
	return 1;
}

/* -- groups --------------------------------------------------------------- */

static int group_room(struct group *g, int size, int nr_nodes)
{
	struct entry *e;
	int64_t *by_node;

	e = realloc(g->entry, size * sizeof(*e));
	if (!e)
		return ERR_NOMEM;
	g->entry = e;
	by_node = realloc(g->by_node,
			  (size_t)size * nr_nodes * sizeof(*by_node));
	if (!by_node)
		return ERR_NOMEM;
	g->by_node = by_node;
	g->size = size;
	return 0;
}

struct entry *group_add(struct group *g, int nr_nodes)
{
	struct entry *e;

	if (g->nr == g->size &&
	    group_room(g, g->size ? g->size * 2 : 4, nr_nodes) < 0)
		return NULL;
	memset(g->by_node + (size_t)g->nr * nr_nodes, 0,
	       nr_nodes * sizeof(*g->by_node));
	e = &g->entry[g->nr++];
	*e = (struct entry){ 0 };
	return e;
}

void group_seal(struct group *g)
{
	int64_t least = INT64_MAX;
	int i;

	for (i = g->nr - 1; i >= 0; i--) {
		if (g->entry[i].sums.from_ns < least)
			least = g->entry[i].sums.from_ns;
		g->entry[i].later_from_ns = least;
	}
}

void group_release(struct group *g)
{
	free(g->entry);
	free(g->by_node);
	*g = (struct group){ 0 };
}

void spine_free(struct spine *s)
{
	int i;

	for (i = 0; s && i < MAX_LEVELS; i++)
		group_release(&s->level[i]);
	if (s)
		free(s->chunk.bytes);
	free(s);
}

/* 12 numbers and two for each node. */
static int put_entry(struct bytes *b, const struct sums *s, int64_t before_ns,
		     int64_t node, const int64_t *by_node, int nr_nodes)
{
	int used = 0, i;
	uint8_t *p;

	if (room(b, VARINT_MAX * (12 + 2 * (size_t)nr_nodes)) < 0)
		return ERR_NOMEM;
	for (i = 0; i < nr_nodes; i++)
		used += by_node[i] > 0;
	p = varint_put(b->data + b->len, node + 1);
	p = varint_put(p, s->nr_spans);
	p = varint_put(p, zigzag(s->from_ns - before_ns));
	p = varint_put(p, s->to_ns - s->from_ns);
	p = varint_put(p, s->run_ns);
	p = varint_put(p, s->wait_ns);
	p = varint_put(p, s->unsure_ns);
	p = varint_put(p, s->censored_ns);
	p = varint_put(p, s->local_ns);
	p = varint_put(p, s->known_ns);
	p = varint_put(p, s->node_moves);
	p = varint_put(p, used);
	for (i = 0; i < nr_nodes; i++)
		if (by_node[i] > 0) {
			p = varint_put(p, i);
			p = varint_put(p, by_node[i]);
		}
	b->len = p - b->data;
	return 0;
}

static void get_entry(struct reader *r, struct sums *s, int64_t before_ns,
		      int64_t *node, int64_t *by_node, int nr_nodes)
{
	int64_t sum = 0, from, width;
	int used;

	*node = get(r, INT64_MAX) - 1;
	s->nr_spans = get(r, UINT32_MAX);
	from = before_ns + unzigzag(get_raw(r) & INT64_MAX);
	if (from < 0 || from > TRACKS_MAX_NS)
		r->bad = true;
	s->from_ns = r->bad ? 0 : from;
	width = get(r, TRACKS_MAX_NS - s->from_ns);
	s->to_ns = s->from_ns + width;
	s->run_ns = get(r, width);
	s->wait_ns = get(r, TRACKS_MAX_NS);
	s->unsure_ns = get(r, s->run_ns);
	s->censored_ns = get(r, s->run_ns);
	s->local_ns = get(r, s->run_ns);
	s->known_ns = get(r, s->run_ns);
	s->node_moves = get(r, s->nr_spans);
	for (used = get(r, nr_nodes); used > 0 && !r->bad; used--) {
		int place = get(r, nr_nodes - 1);

		by_node[place] = get(r, s->run_ns - sum);
		sum += by_node[place];
	}
	if (!s->nr_spans || s->local_ns > s->known_ns)
		r->bad = true;
}

int group_encode(const struct group *g, int nr_nodes, struct bytes *b)
{
	int64_t before = 0;
	int i;

	if (room(b, VARINT_MAX) < 0)
		return ERR_NOMEM;
	b->len = varint_put(b->data + b->len, g->nr) - b->data;
	for (i = 0; i < g->nr; i++) {
		const struct entry *e = &g->entry[i];

		if (put_entry(b, &e->sums, before, e->node,
			      g->by_node + (size_t)i * nr_nodes, nr_nodes) < 0)
			return ERR_NOMEM;
		before = e->sums.to_ns;
	}
	return 0;
}

static int read_group(struct group *g, int nr_nodes, struct reader *r)
{
	int nr = get(r, GROUP_ENTRIES), i;
	int64_t before = 0;

	if (nr && group_room(g, nr, nr_nodes) < 0)
		return ERR_NOMEM;
	for (i = 0; i < nr; i++) {
		struct entry *e = group_add(g, nr_nodes);

		if (!e)
			return ERR_NOMEM;
		get_entry(r, &e->sums, before, &e->node,
			  g->by_node + (size_t)i * nr_nodes, nr_nodes);
		if (r->bad || e->sums.to_ns < before)
			return ERR_FORMAT;
		before = e->sums.to_ns;
	}
	group_seal(g);
	return r->bad ? ERR_FORMAT : 0;
}

int group_decode(struct group *g, int nr_nodes, const uint8_t *p, size_t len)
{
	struct reader r = { p, p + len, false };
	int ret = read_group(g, nr_nodes, &r);

	return ret ? ret : r.at == r.end ? 0 : ERR_FORMAT;
}

/* -- chunks, spines, heads ------------------------------------------------ */

int chunk_encode(const struct chunk *c, struct bytes *b)
{
	uint8_t *p;

	if (room(b, c->len + 2 * VARINT_MAX) < 0)
		return ERR_NOMEM;
	p = varint_put(b->data + b->len, c->nr);
	p = varint_put(p, c->place_before + 1);
	if (c->len)
		memcpy(p, c->bytes, c->len);
	b->len = p + c->len - b->data;
	return 0;
}

int chunk_decode(struct chunk *c, int nr_nodes, const uint8_t *p, size_t len)
{
	struct reader r = { p, p + len, false };

	c->nr = get(&r, CHUNK_SPANS);
	c->place_before = (int)get(&r, nr_nodes) - 1;
	if (r.bad)
		return ERR_FORMAT;
	c->len = c->size = r.end - r.at;
	c->bytes = malloc(c->len + 1);
	if (!c->bytes)
		return ERR_NOMEM;
	memcpy(c->bytes, r.at, c->len);
	return 0;
}

int spine_encode(const struct spine *s, int nr_nodes, struct bytes *b)
{
	int i;

	if (room(b, VARINT_MAX) < 0)
		return ERR_NOMEM;
	b->len = varint_put(b->data + b->len, s->nr_levels) - b->data;
	for (i = s->nr_levels - 1; i >= 0; i--)
		if (group_encode(&s->level[i], nr_nodes, b) < 0)
			return ERR_NOMEM;
	return chunk_encode(&s->chunk, b);
}

int spine_decode(struct spine *s, int nr_nodes, const uint8_t *p, size_t len)
{
	struct reader r = { p, p + len, false };
	int i, ret;

	s->nr_levels = get(&r, MAX_LEVELS);
	for (i = s->nr_levels - 1; i >= 0; i--) {
		ret = read_group(&s->level[i], nr_nodes, &r);
		if (ret < 0)
			return ret;
	}
	if (r.bad)
		return ERR_FORMAT;
	return chunk_decode(&s->chunk, nr_nodes, r.at, r.end - r.at);
}

int head_encode(const struct track *k, int nr_nodes, struct bytes *b)
{
	if (room(b, VARINT_MAX + 1) < 0)
		return ERR_NOMEM;
	b->len = varint_put(b->data + b->len, k->first_ns) - b->data;
	b->data[b->len++] = k->last_state;
	return put_entry(b, &k->sums, 0, k->spine_node, k->by_node, nr_nodes);
}

int head_decode(struct track *k, int nr_nodes, const uint8_t *p, size_t len)
{
	struct reader r = { p, p + len, false };

	k->by_node = calloc(nr_nodes + 1, sizeof(*k->by_node));
	if (!k->by_node)
		return ERR_NOMEM;
	k->first_ns = get(&r, TRACKS_MAX_NS);
	k->last_state = r.at < r.end ? *r.at++ : 0;
	get_entry(&r, &k->sums, 0, &k->spine_node, k->by_node, nr_nodes);
	return r.bad || r.at != r.end || k->last_state > STATE_OTHER ?
		       ERR_FORMAT : 0;
}

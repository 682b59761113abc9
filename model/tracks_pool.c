/* SPDX-License-Identifier: MIT */
/* Nodes of tracks: put away, read again, kept while there is room. */
#include "model/tracks_local.h"

#include "model/err.h"

#include <stdlib.h>
#include <string.h>

#define HASH_BITS 14
#define HASH_SIZE (1 << HASH_BITS)

struct pool {
	size_t budget, used;
	struct node *hash[HASH_SIZE];
	struct node *newest, *oldest;	/* nodes that nobody holds */
	/* Without a store: the nodes' bytes. */
	struct bytes *kept;
	int64_t nr_kept, size_kept;
};

struct pool *pool_new(size_t budget)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (p)
		p->budget = budget;
	return p;
}

bool pool_is_full(const struct pool *p)
{
	return p->used >= p->budget / 4 * 3;
}

static void node_free(struct node *n)
{
	if (n->kind == NODE_CHUNK)
		free(n->chunk.bytes);
	else if (n->kind == NODE_GROUP)
		group_release(&n->group);
	else
		spine_free(n->spine);
	free(n);
}

void pool_free(struct pool *p)
{
	struct node *n, *next;
	int64_t k;
	int i;

	if (!p)
		return;
	for (i = 0; i < HASH_SIZE; i++)
		for (n = p->hash[i]; n; n = next) {
			next = n->hash_next;
			node_free(n);
		}
	for (k = 0; k < p->nr_kept; k++)
		free(p->kept[k].data);
	free(p->kept);
	free(p);
}

/* -- bytes ---------------------------------------------------------------- */

static int keep(struct pool *p, const struct bytes *b)
{
	struct bytes copy = { .len = b->len };

	if (p->nr_kept == p->size_kept) {
		int64_t more = p->size_kept ? 2 * p->size_kept : 64;
		struct bytes *k = realloc(p->kept, more * sizeof(*k));

		if (!k)
			return ERR_NOMEM;
		p->kept = k;
		p->size_kept = more;
	}
	copy.data = malloc(b->len + 1);
	if (!copy.data)
		return ERR_NOMEM;
	memcpy(copy.data, b->data, b->len);
	p->kept[p->nr_kept++] = copy;
	return 0;
}

int tracks_put_node(struct tracks *t, const struct bytes *b, int64_t *id,
		    struct err *err)
{
	const struct tracks_store *s = t->from.store;
	int ret;

	*id = t->nr_nodes_put;
	ret = s ? s->put(s->ctx, *id, b->data, b->len, err) :
		  keep(t->pool, b);
	if (ret < 0)
		return s ? ret : err_nomem(err);
	t->nr_nodes_put++;
	return 0;
}

/* -- nodes ---------------------------------------------------------------- */

struct making {
	const struct tracks *t;
	struct node *n;
};

static size_t group_cost(const struct group *g, int nodes)
{
	return g->size * (sizeof(*g->entry) + nodes * sizeof(*g->by_node));
}

static size_t cost_of(const struct node *n, int nodes)
{
	size_t sum = sizeof(*n);
	int i;

	if (n->kind == NODE_CHUNK)
		return sum + n->chunk.size;
	if (n->kind == NODE_GROUP)
		return sum + group_cost(&n->group, nodes);
	sum += sizeof(*n->spine) + n->spine->chunk.size;
	for (i = 0; i < n->spine->nr_levels; i++)
		sum += group_cost(&n->spine->level[i], nodes);
	return sum;
}

static int decode(void *ctx, const void *bytes, size_t len)
{
	const struct making *m = ctx;
	struct node *n = m->n;
	int nodes = m->t->nr_nodes, ret;

	if (n->kind == NODE_SPINE && !n->spine)
		n->spine = calloc(1, sizeof(*n->spine));
	ret = n->kind == NODE_CHUNK ?
		      chunk_decode(&n->chunk, nodes, bytes, len) :
	      n->kind == NODE_GROUP ?
		      group_decode(&n->group, nodes, bytes, len) :
	      n->spine ? spine_decode(n->spine, nodes, bytes, len) :
			 ERR_NOMEM;
	if (!ret)
		n->cost = cost_of(n, nodes);
	return ret;
}

static int read_node(const struct tracks *t, struct node *n)
{
	const struct tracks_store *s = t->from.store;
	struct making m = { t, n };
	const struct bytes *b;

	if (s)
		return s->get(s->ctx, n->id, decode, &m, t->seen);
	if (n->id < 0 || n->id >= t->pool->nr_kept)
		return ERR_FORMAT;
	b = &t->pool->kept[n->id];
	return decode(&m, b->data, b->len);
}

static struct node **hash_of(struct pool *p, int64_t id)
{
	return &p->hash[(uint64_t)id * 0x9e3779b97f4a7c15u >>
			(64 - HASH_BITS)];
}

static void unlink_free(struct pool *p, struct node *n)
{
	if (n->newer)
		n->newer->older = n->older;
	else
		p->newest = n->older;
	if (n->older)
		n->older->newer = n->newer;
	else
		p->oldest = n->newer;
	n->newer = n->older = NULL;
}

static void evict(struct pool *p)
{
	while (p->used > p->budget && p->oldest) {
		struct node *n = p->oldest, **link = hash_of(p, n->id);

		unlink_free(p, n);
		while (*link != n)
			link = &(*link)->hash_next;
		*link = n->hash_next;
		p->used -= n->cost;
		node_free(n);
	}
}

struct node *tracks_hold(const struct tracks *t, int64_t id,
			 enum node_kind kind)
{
	struct pool *p = t->pool;
	struct node **link = hash_of(p, id), *n;
	int ret;

	if (t->seen->code)
		return NULL;
	for (n = *link; n && n->id != id; n = n->hash_next)
		;
	if (n && n->kind != kind) {
		tracks_note(t, ERR_FORMAT, id);
		return NULL;
	}
	if (n) {
		if (!n->held++)
			unlink_free(p, n);
		return n;
	}
	n = calloc(1, sizeof(*n));
	if (!n) {
		tracks_note(t, ERR_NOMEM, id);
		return NULL;
	}
	*n = (struct node){ .id = id, .kind = kind, .held = 1 };
	ret = read_node(t, n);
	if (ret < 0) {
		tracks_note(t, ret, id);
		node_free(n);
		return NULL;
	}
	n->hash_next = *link;
	*link = n;
	p->used += n->cost;
	evict(p);
	return n;
}

void tracks_let_go(const struct tracks *t, struct node *n)
{
	struct pool *p = t->pool;

	if (!n || --n->held)
		return;
	n->older = p->newest;
	if (p->newest)
		p->newest->newer = n;
	else
		p->oldest = n;
	p->newest = n;
	evict(p);
}

void tracks_note(const struct tracks *t, int code, int64_t id)
{
	if (code == ERR_NOMEM)
		err_nomem(t->seen);
	else
		err_set(t->seen, code, "damaged: node %lld of what is kept for "
			"drawing", (long long)id);
}

int tracks_error(const struct tracks *t, struct err *err)
{
	if (!t->seen->code)
		return 0;
	return err_set(err, t->seen->code, "%s", t->seen->text);
}

/* SPDX-License-Identifier: MIT */
#include "replay/autonuma.h"

#include <stdlib.h>

static int64_t chunk(const struct autonuma *a, int knob)
{
	return (a->knob[knob].i << 20) / view_page_size(a->v);
}

/* -- knuma_scand ------------------------------------------------------------ */

static bool has_room(struct autonuma *a, struct autonuma_mm *mm)
{
	size_t nr = (size_t)a->nr_nodes + 1;

	if (mm->pages)
		return true;
	mm->pages = calloc(2 * nr, sizeof(*mm->pages));
	if (!mm->pages) {
		decide_nomem(a->d);
		return false;
	}
	mm->count = mm->pages + nr;
	return true;
}

static void end_of_mm(struct autonuma *a, struct autonuma_mm *mm)
{
	mm->pass++;
	mm->total = 0;
	for (int n = 0; mm->pages && n < a->nr_nodes; n++) {
		mm->pages[n] = mm->count[n];
		mm->total += mm->count[n];
		mm->count[n] = 0;
	}
}

static void mark(struct autonuma *a, struct autonuma_area *x, int unit)
{
	struct autonuma_mm *mm = &a->mm[x->proc];
	struct autonuma_unit *u = &x->unit[unit];

	if (!u->marked) {
		u->marked = true;
		x->nr_marked++;
		mm->nr_marked++;
	}
	mm->count[u->node] += x->per_unit;
	decide_count(a->d, POLICY_SCANNED, x->per_unit);
}

/* The next process that is alive and has memory; false: there is none. */
static bool next_mm(struct autonuma *a)
{
	for (; a->scan_mm < a->nr_tasks; a->scan_mm++) {
		struct autonuma_mm *mm = &a->mm[a->scan_mm];

		if (mm->nr_tasks > 0 && mm->first_area >= 0 && has_room(a, mm))
			return true;
	}
	return false;
}

/* On to the next area; false: the process has no more. */
static bool next_area(struct autonuma *a)
{
	a->scan_area = a->scan_area < 0 ? a->mm[a->scan_mm].first_area :
		a->area[a->scan_area].sibling;
	a->scan_unit = 0;
	if (a->scan_area >= 0)
		autonuma_sync(a, a->scan_area);
	return a->scan_area >= 0;
}

static void wake_movers(struct autonuma *a)
{
	for (int n = 0; n < a->nr_nodes; n++)
		a->mover[n].awake |= a->mover[n].waiting > 0;
}

static void end_of_pass(struct autonuma *a)
{
	wake_movers(a);
	a->last_scanned = a->scanned;
	a->scanned = 0;
	a->scan_mm = 0;
	a->scan_area = -1;
	a->scan_ns = view_now(a->v) + a->knob[AUTONUMA_PASS_SLEEP].i;
}

/* Returns the number of pages it marked; 0: the pass is over. */
static int64_t scan_some(struct autonuma *a)
{
	struct autonuma_area *x;

	while (next_mm(a)) {
		x = a->scan_area >= 0 ? &a->area[a->scan_area] : NULL;
		if (x && a->scan_unit < x->nr) {
			mark(a, x, a->scan_unit++);
			return x->per_unit;
		}
		if (next_area(a))
			continue;
		end_of_mm(a, &a->mm[a->scan_mm++]);
	}
	return 0;
}

void autonuma_scan(struct autonuma *a)
{
	int64_t left = chunk(a, AUTONUMA_SCAN_CHUNK), some;

	if (view_now(a->v) < a->scan_ns)
		return;
	while (left > 0) {
		some = scan_some(a);
		if (!some) {
			end_of_pass(a);
			return;
		}
		left -= some;
		a->scanned += some;
		if (a->scanned - some < a->last_scanned / 2 &&
		    a->scanned >= a->last_scanned / 2)
			wake_movers(a);
	}
	a->scan_ns = view_now(a->v) + a->knob[AUTONUMA_SCAN_SLEEP].i;
}

/* -- knuma_migrated --------------------------------------------------------- */

static struct autonuma_queue *queue_of(struct autonuma *a, int to, int from)
{
	return &a->queue[to * a->nr_nodes + from];
}

static bool push(struct autonuma *a, struct autonuma_queue *q,
		 const struct autonuma_move *m)
{
	int size = q->size ? 2 * q->size : 64;
	struct autonuma_move *more;

	if (q->first + q->nr == q->size && q->first) {
		for (int i = 0; i < q->nr; i++)
			q->move[i] = q->move[q->first + i];
		q->first = 0;
	}
	if (q->nr == q->size) {
		more = realloc(q->move, (size_t)size * sizeof(*more));
		if (!more) {
			decide_nomem(a->d);
			return false;
		}
		q->move = more;
		q->size = size;
	}
	q->move[q->first + q->nr++] = *m;
	return true;
}

void autonuma_want(struct autonuma *a, int area, int unit, int node)
{
	struct autonuma_area *x = &a->area[area];
	struct autonuma_unit *u = &x->unit[unit];
	const struct autonuma_move m = { area, unit, x->per_unit };

	if (u->wanted == node || !a->knob[AUTONUMA_MIGRATE].i)
		return;
	autonuma_cancel(a, area, unit);
	if (!push(a, queue_of(a, node, u->node), &m))
		return;
	u->wanted = (int16_t)node;
	a->mover[node].waiting += x->per_unit;
	a->mover[node].awake |= a->mover[node].waiting >=
		chunk(a, AUTONUMA_MIGRATE_CHUNK);
}

/* What it left in the queue is skipped when its turn comes. */
void autonuma_cancel(struct autonuma *a, int area, int unit)
{
	struct autonuma_unit *u = &a->area[area].unit[unit];

	if (u->wanted < 0)
		return;
	a->mover[u->wanted].waiting -= a->area[area].per_unit;
	u->wanted = -1;
}

/* Returns how many pages moved; 0: it was cancelled or is gone. */
static int64_t move_one(struct autonuma *a, int to, int from)
{
	struct autonuma_queue *q = queue_of(a, to, from);
	const struct autonuma_move m = q->move[q->first++];
	struct autonuma_area *x = &a->area[m.area];
	struct autonuma_unit *u;

	if (!--q->nr)
		q->first = 0;
	if (m.per_unit != x->per_unit || m.unit >= x->nr)
		return 0;
	u = &x->unit[m.unit];
	if (u->wanted != to || u->node != from)
		return 0;
	autonuma_cancel(a, m.area, m.unit);
	decide_pages(a->d, &(struct page_move){
		.area = m.area, .from = from, .to = to, .pages = x->per_unit });
	u->node = (int16_t)to;
	x->moved_ns = view_now(a->v);
	return x->per_unit;
}

/* From one source after the other, until the batch is full. */
static void move_batch(struct autonuma *a, int to)
{
	struct autonuma_mover *m = &a->mover[to];
	int64_t left = chunk(a, AUTONUMA_MIGRATE_CHUNK);
	int empty = 0;

	while (left > 0 && empty < a->nr_nodes) {
		int from = m->turn;

		m->turn = (m->turn + 1) % a->nr_nodes;
		if (!queue_of(a, to, from)->nr) {
			empty++;
			continue;
		}
		empty = 0;
		left -= move_one(a, to, from);
	}
	m->next_ns = view_now(a->v) + a->knob[AUTONUMA_MIGRATE_SLEEP].i;
	m->awake = empty < a->nr_nodes;
}

void autonuma_migrate(struct autonuma *a)
{
	for (int n = 0; n < a->nr_nodes; n++)
		if (a->mover[n].awake && view_now(a->v) >= a->mover[n].next_ns)
			move_batch(a, n);
}

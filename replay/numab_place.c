/* SPDX-License-Identifier: MIT */
#include "replay/numab.h"

#define SLOTS 10
#define THRESHOLD 7

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

void numab_adapt_period(struct numab *n, int task, int64_t private,
			int64_t shared)
{
	struct numab_task *t = &n->task[task];
	int proc = view_task_proc(n->v, task);
	int64_t min = numab_scan_min(n, task), max = numab_scan_max(n, task);
	int64_t remote = t->locality[0], local = t->locality[1];
	int64_t slot = t->period_ns / SLOTS, ps, lr, by;

	/* What was counted stays for the next time. */
	if (local + shared == 0 || t->locality[2]) {
		t->period_ns *= 2;
		if (t->period_ns > max)
			t->period_ns = max;
		n->proc[proc].next_scan_ns = view_now(n->v) + t->period_ns;
		return;
	}
	lr = local * SLOTS / (local + remote);
	ps = private * SLOTS / (private + shared);
	if (ps >= THRESHOLD)
		by = ps > THRESHOLD ? ps - THRESHOLD : 1;
	else if (lr >= THRESHOLD)
		by = lr > THRESHOLD ? lr - THRESHOLD : 1;
	else
		by = -(THRESHOLD - (lr > ps ? lr : ps));
	t->period_ns = clamp(t->period_ns + by * slot, min, max);
	t->locality[0] = t->locality[1] = t->locality[2] = 0;
}

/* Part of its time that the task ran since the last placement, << 16. */
static int64_t busy_part(struct numab *n, struct numab_task *t)
{
	int64_t now = view_now(n->v);
	int64_t ran = t->runtime - t->placed_runtime;
	int64_t passed = now - t->placed_ns;
	int64_t part = 1 << 16;

	if (t->placed_ns && passed > 0)
		part = (int64_t)((double)ran / (double)passed * (1 << 16));
	t->placed_ns = now;
	t->placed_runtime = t->runtime;
	return part < 1 << 16 ? part : 1 << 16;
}

/* Old faults count half; the group gets the difference. */
static void decay_node(struct numab_task *t, struct numab_group *g, int node,
		       int64_t part, int64_t total)
{
	struct numab_faults *sum = &t->sum[node], *buf = &t->buf[node];

	for (int p = 0; p < 2; p++) {
		int64_t mem = buf->mem[p] - (sum->mem[p] - sum->mem[p] / 2);
		int64_t cpu = part * buf->cpu[p] / (total + 1) -
			(sum->cpu[p] - sum->cpu[p] / 2);

		sum->mem[p] += mem;
		sum->cpu[p] += cpu;
		t->total += mem;
		if (!g)
			continue;
		g->sum[node].mem[p] += mem;
		g->sum[node].cpu[p] += cpu;
		g->total += mem;
	}
	*buf = (struct numab_faults){ 0 };
}

/* The node with most faults of the task, or of its group. */
static int most_faults(const struct numab *n, const struct numab_faults *sum)
{
	int64_t most = 0;
	int best = -1;

	for (int i = 0; i < n->nr_nodes; i++) {
		int64_t f = sum[i].mem[0] + sum[i].mem[1];

		if (f > most && view_node_cpus(n->v, i)) {
			most = f;
			best = i;
		}
	}
	return best;
}

/* Once per pass, by the faults of the one before. */
void numab_place(struct numab *n, int task)
{
	struct numab_task *t = &n->task[task];
	const struct numab_proc *p = &n->proc[view_task_proc(n->v, task)];
	struct numab_group *g = numab_group(n, task);
	int64_t by[2] = { 0 }, part, total;
	int best;

	if (t->scan_seq == p->scan_seq)
		return;
	t->scan_seq = p->scan_seq;
	part = busy_part(n, t);
	total = t->locality[0] + t->locality[1];
	for (int i = 0; i < n->nr_nodes; i++) {
		by[0] += t->buf[i].mem[0];
		by[1] += t->buf[i].mem[1];
		decay_node(t, g, i, part, total);
	}
	best = most_faults(n, g ? g->sum : t->sum);
	if (g) {
		numab_group_count_active(n, g);
		best = numab_group_node(n, g, best);
	}
	if (best >= 0 && best != t->preferred) {
		t->preferred = best;
		decide_home(n->d, task, best);
	}
	numab_adapt_period(n, task, by[1], by[0]);
}

int64_t numab_weight(const struct numab *n, int task, int node, int within)
{
	const struct numab_task *t = &n->task[task];

	return numab_part(n, t->sum, t->total, node, within);
}

int64_t numab_rank(const struct numab *n, int task, int node, int within)
{
	return numab_group(n, task) ?
		numab_group_weight(n, task, node, within) :
		numab_weight(n, task, node, within);
}

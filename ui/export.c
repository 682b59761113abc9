/* SPDX-License-Identifier: MIT */
#include "ui/export.h"

#include "model/err.h"
#include "ui/run_topo.h"

#include <stdlib.h>
#include <string.h>

int export_load(struct export_run *x, struct err *err)
{
	if (store_get_tasks(x->store, &x->tasks, err) < 0 ||
	    store_get_areas(x->store, &x->areas, err) < 0 ||
	    run_topo(x->store, x->run, &x->topo, err) < 0 ||
	    tasks_index(&x->tasks, err) < 0)
		return err->code;
	x->leader = tasks_leaders(&x->tasks);
	return x->leader ? 0 : err_nomem(err);
}

void export_release(struct export_run *x)
{
	topo_release(&x->topo);
	tasks_release(&x->tasks);
	areas_release(&x->areas);
	free(x->leader);
}

int export_pid(const struct export_run *x, int task)
{
	const struct task *t = &x->tasks.task[task];

	return t->pid >= 0 ? t->pid : t->tid;
}

const char *export_why(int why)
{
	static const char *const names[MOVE_NR] = {
		[MOVE_WAKE] = "wake", [MOVE_FORK] = "fork",
		[MOVE_EXEC] = "exec", [MOVE_BALANCE] = "balance",
		[MOVE_PUSH] = "push", [MOVE_NUMA] = "numa",
		[MOVE_AFFINITY] = "affinity", [MOVE_RECORDED] = "recorded",
	};

	return why >= 0 && why < MOVE_NR ? names[why] : "?";
}

const char *export_state(int state)
{
	static const char *const names[] = {
		[STATE_RUNNABLE] = "R", [STATE_SLEEPING] = "S",
		[STATE_DISK] = "D", [STATE_STOPPED] = "T", [STATE_IDLE] = "I",
		[STATE_PARKED] = "P", [STATE_DEAD] = "X", [STATE_OTHER] = "?",
	};

	return state >= 0 && state <= STATE_OTHER ? names[state] : "?";
}

struct export_pages {
	struct export_run *x;
	export_pages_fn fn;
	void *ctx;
	int nr;			/* node ids */
	int64_t *area;		/* [area][node] */
	int64_t *process;	/* [leader][node] */
	int64_t ts;
	int *changed;		/* leaders, since ts */
	int nr_changed;
	bool *is_changed;	/* [leader] */
};

static int tell(struct export_pages *p, struct err *err)
{
	int code = 0;

	for (int i = 0; i < p->nr_changed; i++) {
		int leader = p->changed[i];

		p->is_changed[leader] = false;
		if (code == 0)
			code = p->fn(p->ctx, p->ts, leader, p->process +
				     (size_t)leader * (size_t)p->nr, err);
	}
	p->nr_changed = 0;
	return code;
}

static int on_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct export_pages *p = ctx;
	int64_t *was;
	int proc, leader;

	if (m->area < 0 || m->area >= p->x->areas.nr || m->node < 0 ||
	    m->node >= p->nr)
		return 0;
	proc = p->x->areas.area[m->area].proc;
	if (proc < 0 || proc >= p->x->tasks.nr)
		return 0;
	leader = p->x->leader[proc];
	if (p->ts != m->ts && tell(p, err) < 0)
		return err->code;
	was = &p->area[(size_t)m->area * (size_t)p->nr + (size_t)m->node];
	p->process[(size_t)leader * (size_t)p->nr + (size_t)m->node] +=
		m->pages - *was;
	*was = m->pages;
	p->ts = m->ts;
	if (!p->is_changed[leader])
		p->changed[p->nr_changed++] = leader;
	p->is_changed[leader] = true;
	return 0;
}

int export_each_pages(struct export_run *x, export_pages_fn fn, void *ctx,
		      struct err *err)
{
	struct export_pages p = {
		.x = x, .fn = fn, .ctx = ctx, .nr = x->topo.nr_node_ids,
	};
	int code = 0;

	p.area = calloc((size_t)x->areas.nr + 1,
			(size_t)(p.nr + 1) * sizeof(*p.area));
	p.process = calloc((size_t)x->tasks.nr + 1,
			   (size_t)(p.nr + 1) * sizeof(*p.process));
	p.changed = calloc((size_t)x->tasks.nr + 1, sizeof(*p.changed));
	p.is_changed = calloc((size_t)x->tasks.nr + 1, sizeof(*p.is_changed));
	if (!p.area || !p.process || !p.changed || !p.is_changed)
		code = err_nomem(err);
	if (code == 0)
		code = store_each_mem(x->store, x->run->id, on_mem, &p, err);
	if (code == 0)
		code = tell(&p, err);
	free(p.area);
	free(p.process);
	free(p.changed);
	free(p.is_changed);
	return code;
}

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
	bool is_open;		/* ts and leader have changes to be told */
	int64_t ts;
	int leader;
};

static int tell(struct export_pages *p, struct err *err)
{
	if (!p->is_open)
		return 0;
	p->is_open = false;
	return p->fn(p->ctx, p->ts, p->leader,
		     p->process + (size_t)p->leader * (size_t)p->nr, err);
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
	if (p->is_open && (p->ts != m->ts || p->leader != leader) &&
	    tell(p, err) < 0)
		return err->code;
	was = &p->area[(size_t)m->area * (size_t)p->nr + (size_t)m->node];
	p->process[(size_t)leader * (size_t)p->nr + (size_t)m->node] +=
		m->pages - *was;
	*was = m->pages;
	p->is_open = true;
	p->ts = m->ts;
	p->leader = leader;
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
	if (!p.area || !p.process)
		code = err_nomem(err);
	if (code == 0)
		code = store_each_mem(x->store, x->run->id, on_mem, &p, err);
	if (code == 0)
		code = tell(&p, err);
	free(p.area);
	free(p.process);
	return code;
}

/* SPDX-License-Identifier: MIT */
#include "replay/synth.h"

#include <stdlib.h>
#include <string.h>

#include "model/err.h"
#include "replay/synth_local.h"

#define FIRST_TID 1000
#define PAGE_SIZE_BYTES 4096

/* A program while it is being written. */
struct synth_prog {
	uint8_t *buf;		/* DEMAND_CHUNK bytes; NULL: nothing yet */
	size_t len;
	int next_chunk;
	int64_t ns;		/* of its work and sleeps */
};

/* -- tasks and areas ---------------------------------------------------------- */

static bool failed(const struct synth *s)
{
	return s->err->code != 0;
}

void synth_fail(struct synth *s, const char *why)
{
	if (!failed(s))
		err_set(s->err, ERR_USAGE, "%s", why);
}

static int grow(struct synth *s)
{
	int size = s->size ? s->size * 2 : 64;
	struct demand_task *demand;
	struct synth_prog *prog;
	uint8_t *role;

	prog = realloc(s->prog, (size_t)size * sizeof(*prog));
	if (!prog)
		return err_nomem(s->err);
	s->prog = prog;
	demand = realloc(s->out->demand, (size_t)size * sizeof(*demand));
	if (!demand)
		return err_nomem(s->err);
	s->out->demand = demand;
	role = realloc(s->out->role, (size_t)size);
	if (!role)
		return err_nomem(s->err);
	s->out->role = role;
	s->size = size;
	return 0;
}

static int add_task(struct synth *s, const char *comm, int leader, int parent,
		    int cpu)
{
	struct tasks *tasks = &s->out->tasks;
	struct task *t;
	char *name;

	if (failed(s) || (tasks->nr == s->size && grow(s)))
		return 0;
	t = tasks_add(tasks, FIRST_TID + tasks->nr, 0);
	name = strdup(comm);
	if (!t || !name) {
		free(name);
		err_nomem(s->err);
		return 0;
	}
	free(t->comm);
	t->comm = name;
	t->pid = leader == TASK_NONE ? t->tid : tasks->task[leader].tid;
	t->parent = parent;
	t->flags = parent == TASK_NONE ? TASK_F_BORN_BEFORE : 0;
	t->end_ns = -1;
	t->nice = 0;
	if (parent != TASK_NONE &&
	    cpumask_copy(&t->affinity, &tasks->task[parent].affinity))
		err_nomem(s->err);
	s->out->demand[t->id] = (struct demand_task){
		.task = t->id,
		.forked = parent != TASK_NONE,
		.first_cpu = cpu,
	};
	s->prog[t->id] = (struct synth_prog){ 0 };
	s->out->role[t->id] = SYNTH_OTHER;
	return t->id;
}

void synth_bind(struct synth *s, int task, int nr)
{
	for (int c = 0; c < nr && !failed(s); c++)
		if (cpumask_set(&s->out->tasks.task[task].affinity, c))
			err_nomem(s->err);
}

void synth_role(struct synth *s, int task, enum synth_role role)
{
	if (!failed(s))
		s->out->role[task] = (uint8_t)role;
}

int synth_process(struct synth *s, const char *comm, int parent, int cpu)
{
	return add_task(s, comm, TASK_NONE, parent, cpu);
}

int synth_thread(struct synth *s, const char *comm, int leader, int parent)
{
	return add_task(s, comm, leader, parent, -1);
}

int synth_area(struct synth *s, int proc, const char *name, int64_t bytes)
{
	struct area *a;
	char *copy;

	if (failed(s))
		return 0;
	a = areas_add(&s->out->areas, proc);
	copy = strdup(name);
	if (!a || !copy) {
		free(copy);
		err_nomem(s->err);
		return 0;
	}
	free(a->name);
	a->name = copy;
	a->kind = AREA_ANON;
	a->bytes = (uint64_t)bytes;
	return a->id;
}

void synth_access(struct synth *s, int task, int area, int64_t weight)
{
	struct synth_result *out = s->out;
	struct mem_access *more;
	size_t nr = (size_t)out->nr_access;

	if (failed(s))
		return;
	if (!(nr & (nr - 1))) {
		more = realloc(out->access, (nr ? 2 * nr : 1) * sizeof(*more));
		if (!more) {
			err_nomem(s->err);
			return;
		}
		out->access = more;
	}
	out->access[out->nr_access++] = (struct mem_access){
		.task = task, .area = area, .faults = weight };
}

/* -- programs ----------------------------------------------------------------- */

static void flush(struct synth *s, int task)
{
	struct synth_prog *p = &s->prog[task];

	if (p->len && s->sink &&
	    s->sink->chunk(s->sink->ctx, task, p->next_chunk, p->buf, p->len,
			   s->err) < 0)
		return;
	if (p->len)
		p->next_chunk++;
	p->len = 0;
}

static void put(struct synth *s, int task, struct demand_op op)
{
	struct synth_prog *p = &s->prog[task];
	uint8_t buf[DEMAND_OP_MAX];
	size_t len;

	if (failed(s))
		return;
	if (!p->buf)
		p->buf = malloc(DEMAND_CHUNK);
	if (!p->buf) {
		err_nomem(s->err);
		return;
	}
	len = demand_encode(buf, &op);
	if (p->len + len > DEMAND_CHUNK)
		flush(s, task);
	memcpy(p->buf + p->len, buf, len);
	p->len += len;
}

int64_t synth_vary(struct synth *s, int64_t ns, double share)
{
	double x = (double)rng_below(&s->rng, (1 << 20) + 1) / (1 << 19) - 1;

	return share > 0 ? (int64_t)((double)ns * (1 + share * x)) : ns;
}

void synth_run(struct synth *s, int task, int64_t ns)
{
	if (ns <= 0)
		return;
	put(s, task, (struct demand_op){ .code = DEMAND_RUN, .ns = ns,
					 .slow = DEMAND_SLOW_ONE });
	s->work_ns += ns;
	if (!failed(s))
		s->prog[task].ns += ns;
}

void synth_wake(struct synth *s, int task, int other)
{
	put(s, task, (struct demand_op){ .code = DEMAND_WAKE, .task = other });
}

void synth_wait(struct synth *s, int task, int other)
{
	put(s, task, (struct demand_op){ .code = DEMAND_WAIT, .task = other });
}

void synth_sleep(struct synth *s, int task, int64_t ns)
{
	put(s, task, (struct demand_op){ .code = DEMAND_SLEEP, .ns = ns });
	if (!failed(s))
		s->prog[task].ns += ns;
}

void synth_fork(struct synth *s, int task, int child)
{
	put(s, task, (struct demand_op){ .code = DEMAND_FORK, .task = child });
}

void synth_exec(struct synth *s, int task)
{
	put(s, task, (struct demand_op){ .code = DEMAND_EXEC });
}

void synth_touch(struct synth *s, int task, int area, int64_t pages)
{
	if (pages > 0)
		put(s, task, (struct demand_op){
			.code = DEMAND_TOUCH, .area = area, .pages = pages });
}

void synth_hold(struct synth *s, int task, int area, int node, int64_t pages)
{
	if (pages > 0)
		put(s, task, (struct demand_op){
			.code = DEMAND_HELD, .area = area, .to = node,
			.pages = pages });
}

int synth_open(struct synth *s, int task, int64_t size, int64_t low,
	       int how)
{
	int id = s->nr_channels++;

	put(s, task, (struct demand_op){
		.code = DEMAND_OPEN, .area = id, .pages = size,
		.from = (int)low, .to = how });
	return id;
}

void synth_send(struct synth *s, int task, int channel)
{
	put(s, task, (struct demand_op){ .code = DEMAND_SEND, .area = channel });
}

void synth_recv(struct synth *s, int task, int channel)
{
	put(s, task, (struct demand_op){ .code = DEMAND_RECV, .area = channel });
}

void synth_exit(struct synth *s, int task)
{
	struct synth_prog *p;

	put(s, task, (struct demand_op){ .code = DEMAND_EXIT });
	if (failed(s))
		return;
	p = &s->prog[task];
	flush(s, task);
	free(p->buf);
	p->buf = NULL;
	if (p->ns > s->longest_ns)
		s->longest_ns = p->ns;
}

/* -- the whole ---------------------------------------------------------------- */

void synth_result_release(struct synth_result *r)
{
	tasks_release(&r->tasks);
	areas_release(&r->areas);
	free(r->demand);
	free(r->access);
	free(r->role);
	*r = (struct synth_result){ 0 };
}

int synth_make(const struct synth_spec *spec, int nr_cpus, uint64_t seed,
	       const struct demand_sink *sink, struct synth_result *result,
	       struct err *err)
{
	struct synth s = {
		.out = result, .sink = sink, .err = err,
		.nr_cpus = nr_cpus > 0 ? nr_cpus : 1,
	};

	*result = (struct synth_result){ .page_size = PAGE_SIZE_BYTES };
	rng_seed(&s.rng, seed);
	spec->ops->make(&s, spec->values);
	for (int t = 0; t < s.size && t < result->tasks.nr; t++)
		free(s.prog[t].buf);
	free(s.prog);
	if (failed(&s))
		return err->code;
	result->end_ns = s.work_ns / s.nr_cpus;
	if (result->end_ns < s.longest_ns)
		result->end_ns = s.longest_ns;
	return tasks_index(&result->tasks, err);
}

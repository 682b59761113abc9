/* SPDX-License-Identifier: MIT */
/*
 * The trace event format, https://docs.google.com/document/d/1CvAClvFfyA5R-
 * PhYUmn5OOQtYMH4h6I0nSsKchNAySU: one process for each node, with its CPUs as
 * threads; then the processes with their tasks.  Times are us with three digits.
 */
#include "ui/export.h"

#include "model/err.h"
#include "ui/json.h"

#include <inttypes.h>
#include <stdlib.h>

#define NODE_PID 0x40000000	/* above every pid: node n is this + n */

struct chrome {
	struct export_run *x;
	struct json json;
	int *last_node;		/* by task, -1 */
};

static void start(struct chrome *c, const char *phase, int pid, int tid)
{
	json_object(&c->json);
	json_key(&c->json, "ph");
	json_text(&c->json, phase);
	json_key(&c->json, "pid");
	json_int(&c->json, pid);
	json_key(&c->json, "tid");
	json_int(&c->json, tid);
}

static void put_time(struct chrome *c, const char *key, int64_t ns)
{
	char text[40];
	int64_t size = ns < 0 ? -ns : ns;

	snprintf(text, sizeof(text), "%s%" PRId64 ".%03d", ns < 0 ? "-" : "",
		 size / 1000, (int)(size % 1000));
	json_key(&c->json, key);
	json_raw(&c->json, text);
}

static void put_name(struct chrome *c, const char *name)
{
	json_key(&c->json, "name");
	json_text(&c->json, name);
}

static void end(struct chrome *c)
{
	json_end(&c->json, '}');
	fputc('\n', c->x->out);
}

static void describe(struct chrome *c, const char *what, int pid, int tid,
		     const char *name)
{
	start(c, "M", pid, tid);
	put_name(c, what);
	json_key(&c->json, "args");
	json_object(&c->json);
	put_name(c, name);
	json_end(&c->json, '}');
	end(c);
}

static void describe_all(struct chrome *c)
{
	const struct export_run *x = c->x;
	char name[40];

	for (int n = 0; n < x->topo.nr_node_ids; n++)
		if (x->topo.node[n].present) {
			snprintf(name, sizeof(name), "node %d", n);
			describe(c, "process_name", NODE_PID + n, 0, name);
		}
	for (int cpu = 0; cpu < x->topo.nr_cpu_ids; cpu++)
		if (x->topo.cpu[cpu].present) {
			snprintf(name, sizeof(name), "CPU %d", cpu);
			describe(c, "thread_name",
				 NODE_PID + x->topo.cpu[cpu].node, cpu, name);
		}
	for (int i = 0; i < x->tasks.nr; i++) {
		const struct task *t = &x->tasks.task[i];

		if (export_pid(x, i) == t->tid)
			describe(c, "process_name", t->tid, t->tid, t->comm);
		describe(c, "thread_name", export_pid(x, i), t->tid, t->comm);
	}
}

static void slice(struct chrome *c, int pid, int tid, int64_t from, int64_t to,
		  const char *name)
{
	start(c, "X", pid, tid);
	put_time(c, "ts", from);
	put_time(c, "dur", to - from);
	put_name(c, name);
}

static void put_arg(struct chrome *c, const char *key, int64_t v)
{
	json_key(&c->json, key);
	json_int(&c->json, v);
}

static void on_cpu(struct chrome *c, const struct span *s, int node)
{
	const struct task *t = &c->x->tasks.task[s->task];

	slice(c, NODE_PID + (node < 0 ? 0 : node), s->cpu, s->start_ns, s->end_ns,
	      t->comm);
	json_key(&c->json, "args");
	json_object(&c->json);
	put_arg(c, "tid", t->tid);
	put_arg(c, "pid", t->pid);
	json_end(&c->json, '}');
	end(c);
}

static void on_task(struct chrome *c, const struct span *s, int node)
{
	const struct task *t = &c->x->tasks.task[s->task];
	int pid = export_pid(c->x, s->task);
	char name[60];

	if (s->ready_ns >= 0 && s->ready_ns < s->start_ns) {
		slice(c, pid, t->tid, s->ready_ns, s->start_ns, "runnable");
		end(c);
	}
	snprintf(name, sizeof(name), "running on node %d", node);
	slice(c, pid, t->tid, s->start_ns, s->end_ns, name);
	json_key(&c->json, "args");
	json_object(&c->json);
	put_arg(c, "cpu", s->cpu);
	json_key(&c->json, "state after");
	json_text(&c->json, export_state(s->state));
	json_end(&c->json, '}');
	end(c);
	if (c->last_node[s->task] >= 0 && c->last_node[s->task] != node) {
		start(c, "i", pid, t->tid);
		put_time(c, "ts", s->start_ns);
		json_key(&c->json, "s");
		json_text(&c->json, "t");
		snprintf(name, sizeof(name), "node %d to %d",
			 c->last_node[s->task], node);
		put_name(c, name);
		end(c);
	}
	c->last_node[s->task] = node;
}

static int on_pages(void *ctx, int64_t ts, int leader, const int64_t *pages,
		    struct err *err)
{
	struct chrome *c = ctx;
	const struct topo *t = &c->x->topo;
	char name[24];

	(void)err;
	start(c, "C", export_pid(c->x, leader), 0);
	put_time(c, "ts", ts);
	put_name(c, "pages");
	json_key(&c->json, "args");
	json_object(&c->json);
	for (int n = 0; n < t->nr_node_ids; n++)
		if (t->node[n].present) {
			snprintf(name, sizeof(name), "node %d", n);
			put_arg(c, name, pages[n]);
		}
	json_end(&c->json, '}');
	end(c);
	return 0;
}

static int write_spans(struct chrome *c, struct err *err)
{
	struct export_run *x = c->x;
	struct store_spans *it;
	struct span s;
	int got;

	if (store_spans_open(x->store, x->run->id, INT64_MIN, INT64_MAX, &it,
			     err) < 0)
		return err->code;
	while ((got = store_spans_next(it, &s, err)) > 0) {
		int node = topo_node_of(&x->topo, s.cpu);

		if (s.task < 0 || s.task >= x->tasks.nr)
			continue;
		on_cpu(c, &s, node);
		on_task(c, &s, node);
	}
	store_spans_close(it);
	return got;
}

int export_chrome(struct export_run *x, struct err *err)
{
	struct chrome c = { .x = x };
	int code = 0;

	c.last_node = malloc(((size_t)x->tasks.nr + 1) * sizeof(int));
	if (!c.last_node)
		return err_nomem(err);
	for (int i = 0; i < x->tasks.nr; i++)
		c.last_node[i] = -1;
	json_open(&c.json, x->out);
	json_object(&c.json);
	json_key(&c.json, "displayTimeUnit");
	json_text(&c.json, "ns");
	json_key(&c.json, "traceEvents");
	json_array(&c.json);
	describe_all(&c);
	code = write_spans(&c, err);
	if (code == 0)
		code = export_each_pages(x, on_pages, &c, err);
	json_end(&c.json, ']');
	json_end(&c.json, '}');
	json_done(&c.json);
	free(c.last_node);
	return code;
}

/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's protobuf (protos/perfetto/trace/ of its sources).  Spans become
 * sched_switch events of their CPUs and wake-ups sched_waking, as if ftrace had
 * recorded them: of these ui.perfetto.dev makes its best views of CPUs and of
 * thread states.  Pages of a process on a node are counter tracks, changes of
 * node instants on the thread's track.
 */
#include "ui/export.h"

#include "model/err.h"
#include "ui/protobuf.h"

#include <stdlib.h>

#define BUNDLE_BYTES 32768
#define PRIO 120

/* Fields of TracePacket and what it holds. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_FTRACE = 1, PACKET_PROCESS_TREE = 2, PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11, PACKET_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2 };
enum { FTRACE_TIMESTAMP = 1, FTRACE_PID = 2, FTRACE_SWITCH = 4,
       FTRACE_WAKING = 20, FTRACE_PROCESS_FREE = 240 };
enum { TREE_PROCESS = 1, TREE_THREAD = 2 };
enum { DESCRIPTOR_UUID = 1, DESCRIPTOR_NAME = 2, DESCRIPTOR_PROCESS = 3,
       DESCRIPTOR_THREAD = 4, DESCRIPTOR_PARENT = 5, DESCRIPTOR_COUNTER = 8 };
enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_COUNTER = 30 };
enum { TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { SEQUENCE_CLEARED = 1 };

/* Of a task, and of a process by its leader. */
enum { HAS_TRACK = 1, HAS_PROCESS_TRACK = 2, HAS_THREADS = 4 };

struct cpu {
	struct protobuf bundle;
	bool has_last;
	struct span last;
};

struct perfetto {
	struct export_run *x;
	struct cpu *cpu;
	int *last_node;		/* by task, -1 */
	uint8_t *last_state;	/* by task */
	uint8_t *has;		/* by task, HAS_ */
	uint8_t *has_pages;	/* by leader and node */
	struct protobuf packet, outer, event, inner;
	bool has_sequence;
};

static void put_packet(struct perfetto *p)
{
	protobuf_clear(&p->outer);
	protobuf_message(&p->outer, TRACE_PACKET, &p->packet);
	if (!p->outer.is_bad)
		fwrite(p->outer.at, 1, p->outer.len, p->x->out);
	protobuf_clear(&p->packet);
}

static void flush_bundle(struct perfetto *p, struct cpu *c)
{
	if (!c->bundle.len)
		return;
	protobuf_message(&p->packet, PACKET_FTRACE, &c->bundle);
	put_packet(p);
	protobuf_clear(&c->bundle);
}

/* p->inner is an event's body. */
static void put_ftrace(struct perfetto *p, int cpu, int64_t ts, int tid,
		       int field)
{
	struct cpu *c = &p->cpu[cpu];

	protobuf_clear(&p->event);
	protobuf_int(&p->event, FTRACE_TIMESTAMP, (uint64_t)ts);
	protobuf_int(&p->event, FTRACE_PID, (uint64_t)(uint32_t)tid);
	protobuf_message(&p->event, field, &p->inner);
	if (!c->bundle.len)
		protobuf_int(&c->bundle, BUNDLE_CPU, (uint64_t)(uint32_t)cpu);
	protobuf_message(&c->bundle, BUNDLE_EVENT, &p->event);
	if (c->bundle.len > BUNDLE_BYTES)
		flush_bundle(p, c);
}

/*
 * prev_state as Linux 4.4 had it, as which Perfetto takes it in a trace that
 * does not tell the kernel: idle is TASK_UNINTERRUPTIBLE | TASK_NOLOAD.
 */
static int raw_state(int state)
{
	static const int raw[] = {
		[STATE_RUNNABLE] = 0, [STATE_SLEEPING] = 1, [STATE_DISK] = 2,
		[STATE_STOPPED] = 4, [STATE_IDLE] = 0x402,
		[STATE_PARKED] = 0x200, [STATE_DEAD] = 0x10, [STATE_OTHER] = 2,
	};

	return state >= 0 && state <= STATE_OTHER ? raw[state] : 2;
}

/* A number that is used again is another thread from then on.  A leader is not
 * free before its threads are, and when that is the spans do not tell. */
static void put_free(struct perfetto *p, int cpu, int64_t ts, int task)
{
	const struct task *t = &p->x->tasks.task[task];

	if (p->has[task] & HAS_THREADS)
		return;
	protobuf_clear(&p->inner);
	protobuf_text(&p->inner, 1, t->comm);
	protobuf_int(&p->inner, 2, (uint64_t)t->tid);
	protobuf_int(&p->inner, 3, PRIO);
	put_ftrace(p, cpu, ts, 0, FTRACE_PROCESS_FREE);
}

/* A task of -1 is idle. */
static void put_switch(struct perfetto *p, int cpu, int64_t ts, int prev,
		       int state, int next)
{
	const struct task *task = p->x->tasks.task;
	char idle[24];

	snprintf(idle, sizeof(idle), "swapper/%d", cpu);
	protobuf_clear(&p->inner);
	protobuf_text(&p->inner, 1, prev >= 0 ? task[prev].comm : idle);
	protobuf_int(&p->inner, 2, prev >= 0 ? (uint64_t)task[prev].tid : 0);
	protobuf_int(&p->inner, 3, PRIO);
	protobuf_int(&p->inner, 4, prev >= 0 ? (uint64_t)raw_state(state) : 0);
	protobuf_text(&p->inner, 5, next >= 0 ? task[next].comm : idle);
	protobuf_int(&p->inner, 6, next >= 0 ? (uint64_t)task[next].tid : 0);
	protobuf_int(&p->inner, 7, PRIO);
	put_ftrace(p, cpu, ts, prev >= 0 ? task[prev].tid : 0, FTRACE_SWITCH);
	if (prev >= 0 && state == STATE_DEAD)
		put_free(p, cpu, ts, prev);
}

static void put_waking(struct perfetto *p, const struct span *s)
{
	const struct tasks *tasks = &p->x->tasks;
	const struct task *t = &tasks->task[s->task];
	bool has_waker = s->waker >= 0 && s->waker < tasks->nr;

	protobuf_clear(&p->inner);
	protobuf_text(&p->inner, 1, t->comm);
	protobuf_int(&p->inner, 2, (uint64_t)t->tid);
	protobuf_int(&p->inner, 3, PRIO);
	protobuf_int(&p->inner, 4, 1);
	protobuf_int(&p->inner, 5, (uint64_t)s->cpu);
	put_ftrace(p, s->cpu, s->ready_ns, has_waker ?
		   tasks->task[s->waker].tid : 0, FTRACE_WAKING);
}

/* Tracks' numbers: threads by task, then counters by leader and node. */
static uint64_t thread_track(int task)
{
	return (uint64_t)task + 1;
}

static uint64_t pages_track(const struct perfetto *p, int leader, int node)
{
	return 1 + (uint64_t)p->x->tasks.nr * 2 +
	       (uint64_t)leader * (uint64_t)p->x->topo.nr_node_ids +
	       (uint64_t)node;
}

static uint64_t process_track(const struct perfetto *p, int leader)
{
	return 1 + (uint64_t)p->x->tasks.nr + (uint64_t)leader;
}

/* p->event is a TrackEvent or a TrackDescriptor. */
static void put_track(struct perfetto *p, int field, int64_t ts)
{
	if (field == PACKET_TRACK_EVENT)
		protobuf_int(&p->packet, PACKET_TIMESTAMP, (uint64_t)ts);
	protobuf_int(&p->packet, PACKET_SEQUENCE, 1);
	if (!p->has_sequence)
		protobuf_int(&p->packet, PACKET_FLAGS, SEQUENCE_CLEARED);
	p->has_sequence = true;
	protobuf_message(&p->packet, field, &p->event);
	put_packet(p);
	protobuf_clear(&p->event);
}

static void need_thread(struct perfetto *p, int task)
{
	const struct task *t = &p->x->tasks.task[task];

	if (p->has[task] & HAS_TRACK)
		return;
	p->has[task] |= HAS_TRACK;
	protobuf_clear(&p->inner);
	protobuf_int(&p->inner, 1, (uint64_t)export_pid(p->x, task));
	protobuf_int(&p->inner, 2, (uint64_t)t->tid);
	protobuf_text(&p->inner, 5, t->comm);
	protobuf_clear(&p->event);
	protobuf_int(&p->event, DESCRIPTOR_UUID, thread_track(task));
	protobuf_message(&p->event, DESCRIPTOR_THREAD, &p->inner);
	put_track(p, PACKET_TRACK_DESCRIPTOR, 0);
}

static void need_process(struct perfetto *p, int leader)
{
	if (p->has[leader] & HAS_PROCESS_TRACK)
		return;
	p->has[leader] |= HAS_PROCESS_TRACK;
	protobuf_clear(&p->inner);
	protobuf_int(&p->inner, 1, (uint64_t)export_pid(p->x, leader));
	protobuf_text(&p->inner, 6, p->x->tasks.task[leader].comm);
	protobuf_clear(&p->event);
	protobuf_int(&p->event, DESCRIPTOR_UUID, process_track(p, leader));
	protobuf_message(&p->event, DESCRIPTOR_PROCESS, &p->inner);
	put_track(p, PACKET_TRACK_DESCRIPTOR, 0);
}

static void need_pages(struct perfetto *p, int leader, int node)
{
	char name[40];

	need_process(p, leader);
	snprintf(name, sizeof(name), "pages on node %d", node);
	protobuf_clear(&p->inner);
	protobuf_text(&p->inner, 6, "pages");
	protobuf_clear(&p->event);
	protobuf_int(&p->event, DESCRIPTOR_UUID, pages_track(p, leader, node));
	protobuf_text(&p->event, DESCRIPTOR_NAME, name);
	protobuf_int(&p->event, DESCRIPTOR_PARENT, process_track(p, leader));
	protobuf_message(&p->event, DESCRIPTOR_COUNTER, &p->inner);
	put_track(p, PACKET_TRACK_DESCRIPTOR, 0);
}

static int on_pages(void *ctx, int64_t ts, int leader, const int64_t *pages,
		    struct err *err)
{
	struct perfetto *p = ctx;
	const struct topo *t = &p->x->topo;

	(void)err;
	for (int n = 0; n < t->nr_node_ids; n++) {
		uint8_t *has = &p->has_pages[(size_t)leader *
					     (size_t)t->nr_node_ids + (size_t)n];

		if (!t->node[n].present || (!*has && !pages[n]))
			continue;
		if (!*has)
			need_pages(p, leader, n);
		*has = 1;
		protobuf_clear(&p->event);
		protobuf_int(&p->event, EVENT_TYPE, TYPE_COUNTER);
		protobuf_int(&p->event, EVENT_TRACK, pages_track(p, leader, n));
		protobuf_int(&p->event, EVENT_COUNTER, (uint64_t)pages[n]);
		put_track(p, PACKET_TRACK_EVENT, ts);
	}
	return 0;
}

static void put_node_change(struct perfetto *p, const struct span *s, int from,
			    int to)
{
	char name[40];

	need_thread(p, s->task);
	snprintf(name, sizeof(name), "node %d to %d", from, to);
	protobuf_clear(&p->event);
	protobuf_int(&p->event, EVENT_TYPE, TYPE_INSTANT);
	protobuf_int(&p->event, EVENT_TRACK, thread_track(s->task));
	protobuf_text(&p->event, EVENT_NAME, name);
	put_track(p, PACKET_TRACK_EVENT, s->start_ns);
}

static void on_span(struct perfetto *p, const struct span *s)
{
	struct cpu *c = &p->cpu[s->cpu];
	int node = topo_node_of(&p->x->topo, s->cpu);
	int *was = &p->last_node[s->task];
	bool follows = c->has_last && c->last.end_ns >= s->start_ns;

	if (s->ready_ns >= 0 && s->ready_ns < s->start_ns &&
	    p->last_state[s->task] != STATE_RUNNABLE)
		put_waking(p, s);
	if (c->has_last && !follows)
		put_switch(p, s->cpu, c->last.end_ns, c->last.task,
			   c->last.state, -1);
	put_switch(p, s->cpu, s->start_ns, follows ? c->last.task : -1,
		   follows ? c->last.state : 0, s->task);
	c->has_last = true;
	c->last = *s;
	if (*was >= 0 && *was != node)
		put_node_change(p, s, *was, node);
	*was = node;
	p->last_state[s->task] = s->state;
}

static void put_tree(struct perfetto *p)
{
	const struct tasks *tasks = &p->x->tasks;

	for (int i = 0; i < tasks->nr; i++) {
		const struct task *t = &tasks->task[i];
		int pid = export_pid(p->x, i);

		protobuf_clear(&p->event);
		if (pid == t->tid) {
			protobuf_clear(&p->inner);
			protobuf_int(&p->inner, 1, (uint64_t)pid);
			protobuf_text(&p->inner, 3, t->comm);
			protobuf_message(&p->event, TREE_PROCESS, &p->inner);
		}
		protobuf_clear(&p->inner);
		protobuf_int(&p->inner, 1, (uint64_t)t->tid);
		protobuf_text(&p->inner, 2, t->comm);
		protobuf_int(&p->inner, 3, (uint64_t)pid);
		protobuf_message(&p->event, TREE_THREAD, &p->inner);
		protobuf_int(&p->packet, PACKET_TIMESTAMP,
			     (uint64_t)(t->start_ns > 0 ? t->start_ns : 0));
		protobuf_message(&p->packet, PACKET_PROCESS_TREE, &p->event);
		put_packet(p);
	}
}

static int write_spans(struct perfetto *p, struct err *err)
{
	struct export_run *x = p->x;
	struct store_spans *it;
	struct span s;
	int got;

	if (store_spans_open(x->store, x->run->id, INT64_MIN, INT64_MAX, &it,
			     err) < 0)
		return err->code;
	while ((got = store_spans_next(it, &s, err)) > 0)
		if (s.task >= 0 && s.task < x->tasks.nr && s.cpu >= 0 &&
		    s.cpu < x->topo.nr_cpu_ids)
			on_span(p, &s);
	store_spans_close(it);
	for (int cpu = 0; got == 0 && cpu < x->topo.nr_cpu_ids; cpu++) {
		struct cpu *c = &p->cpu[cpu];

		if (c->has_last)
			put_switch(p, cpu, c->last.end_ns, c->last.task,
				   c->last.state, -1);
		flush_bundle(p, c);
	}
	return got;
}

static int make(struct perfetto *p, struct err *err)
{
	size_t tasks = (size_t)p->x->tasks.nr + 1;
	size_t nodes = (size_t)p->x->topo.nr_node_ids + 1;

	p->cpu = calloc((size_t)p->x->topo.nr_cpu_ids + 1, sizeof(*p->cpu));
	p->last_node = malloc(tasks * sizeof(*p->last_node));
	p->last_state = calloc(tasks, 1);
	p->has = calloc(tasks, 1);
	p->has_pages = calloc(tasks, nodes);
	if (!p->cpu || !p->last_node || !p->last_state || !p->has ||
	    !p->has_pages)
		return err_nomem(err);
	for (size_t i = 0; i < tasks; i++) {
		p->last_node[i] = -1;
		p->last_state[i] = STATE_SLEEPING;
	}
	for (int i = 0; i < p->x->tasks.nr; i++)
		if (p->x->leader[i] != i && p->x->leader[i] >= 0)
			p->has[p->x->leader[i]] |= HAS_THREADS;
	return 0;
}

static void release(struct perfetto *p)
{
	for (int i = 0; p->cpu && i < p->x->topo.nr_cpu_ids; i++)
		protobuf_release(&p->cpu[i].bundle);
	protobuf_release(&p->packet);
	protobuf_release(&p->outer);
	protobuf_release(&p->event);
	protobuf_release(&p->inner);
	free(p->cpu);
	free(p->last_node);
	free(p->last_state);
	free(p->has);
	free(p->has_pages);
}

int export_perfetto(struct export_run *x, struct err *err)
{
	struct perfetto p = { .x = x };
	int code = make(&p, err);

	if (code == 0) {
		put_tree(&p);
		code = write_spans(&p, err);
	}
	if (code == 0)
		code = export_each_pages(x, on_pages, &p, err);
	if (code == 0 && (p.packet.is_bad || p.outer.is_bad))
		code = err_nomem(err);
	release(&p);
	return code;
}

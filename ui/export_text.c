/* SPDX-License-Identifier: MIT */
/* The recorded events as ftrace prints them; what it does not print stands in
 * comments that import understands (collect/text.h). */
#include "ui/export.h"

#include "model/err.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

struct name {
	int task;
	int64_t from_ns;
	char comm[32];
};

struct text {
	struct export_run *x;
	struct capture capture;
	struct name *name;	/* by task, then time */
	int nr_names, size_names;
	struct loss *loss;	/* by CPU, then time */
	int nr_losses;
	int *next_loss;		/* by CPU: index into loss */
	int nr_cpus;
};

/* -- names ---------------------------------------------------------------- */

static int add_name(struct text *t, int task, int64_t from_ns, const char *comm,
		    struct err *err)
{
	struct name *n;

	if (t->nr_names == t->size_names) {
		int size = t->size_names ? t->size_names * 2 : 256;

		n = realloc(t->name, (size_t)size * sizeof(*n));
		if (!n)
			return err_nomem(err);
		t->name = n;
		t->size_names = size;
	}
	n = &t->name[t->nr_names++];
	*n = (struct name){ .task = task, .from_ns = from_ns };
	snprintf(n->comm, sizeof(n->comm), "%s", comm);
	/* What would break the line. */
	for (char *c = n->comm; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = '?';
	return 0;
}

static int load_names(struct text *t, struct err *err)
{
	static const char sql[] = "SELECT task, from_ns, comm FROM task_name ORDER BY task, from_ns";
	struct store_query *q;
	const char *rest;
	int got, len;
	bool number;

	if (store_query_open(t->x->store, sql, &rest, &q, err) < 0)
		return err->code;
	while ((got = store_query_step(q, err)) > 0) {
		const char *task = store_query_text(q, 0, &len, &number);
		int id = task ? atoi(task) : -1;
		const char *from = store_query_text(q, 1, &len, &number);
		int64_t from_ns = from ? strtoll(from, NULL, 10) : 0;
		const char *comm = store_query_text(q, 2, &len, &number);

		if (add_name(t, id, from_ns, comm ? comm : "", err) < 0)
			break;
	}
	store_query_close(q);
	return err->code;
}

/* What a task was called at a time. */
static const char *comm_of(const struct text *t, int tid, int64_t ts)
{
	static const char unknown[] = "<...>";
	int task = tasks_find(&t->x->tasks, tid, ts), lo = 0, hi = t->nr_names;
	const char *comm;

	if (task == TASK_NONE)
		return unknown;
	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;
		const struct name *n = &t->name[mid];

		if (n->task < task || (n->task == task && n->from_ns <= ts))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > 0 && t->name[lo - 1].task == task)
		return t->name[lo - 1].comm;
	comm = t->x->tasks.task[task].comm;
	return comm[0] && !strpbrk(comm, "\r\n") ? comm : unknown;
}

/* -- losses --------------------------------------------------------------- */

static int by_cpu(const void *pa, const void *pb)
{
	const struct loss *a = pa, *b = pb;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->to_ns < b->to_ns ? -1 : a->to_ns > b->to_ns;
}

static int load_losses(struct text *t, struct err *err)
{
	if (store_get_loss(t->x->store, &t->loss, &t->nr_losses, err) < 0)
		return err->code;
	if (t->nr_losses)
		qsort(t->loss, (size_t)t->nr_losses, sizeof(*t->loss), by_cpu);
	t->nr_cpus = t->nr_losses ? t->loss[t->nr_losses - 1].cpu + 1 : 0;
	t->next_loss = calloc((size_t)t->nr_cpus + 1, sizeof(*t->next_loss));
	if (!t->next_loss)
		return err_nomem(err);
	for (int i = t->nr_losses; i-- > 0;)
		t->next_loss[t->loss[i].cpu] = i;
	return 0;
}

static void put_loss(struct text *t, const struct loss *l)
{
	FILE *out = t->x->out;
	const struct capture *c = &t->capture;

	fprintf(out, "# homenode lost %d ", l->cpu);
	if (l->from_ns == c->start_ns)
		fputs("start ", out);
	else
		fprintf(out, "%" PRId64 " ", l->from_ns);
	if (l->to_ns == c->end_ns)
		fputs("end ", out);
	else
		fprintf(out, "%" PRId64 " ", l->to_ns);
	fprintf(out, "%" PRId64 "\n", l->events);
	if (l->events >= 0)
		fprintf(out, "CPU:%d [LOST %" PRId64 " EVENTS]\n", l->cpu,
			l->events);
	else
		fprintf(out, "CPU:%d [LOST EVENTS]\n", l->cpu);
}

static void put_losses(struct text *t, int cpu, int64_t until)
{
	if (cpu >= t->nr_cpus)
		return;
	for (int *i = &t->next_loss[cpu]; *i < t->nr_losses &&
	     t->loss[*i].cpu == cpu && t->loss[*i].to_ns <= until; ++*i)
		put_loss(t, &t->loss[*i]);
}

/* -- lines ---------------------------------------------------------------- */

static void put_head(struct text *t)
{
	const struct capture *c = &t->capture;
	FILE *out = t->x->out;

	fputs("# tracer: nop\n#\n", out);
	if (c->clock[0])
		fprintf(out, "# homenode clock %s\n", c->clock);
	if (c->kernel[0])
		fprintf(out, "# homenode kernel %s\n", c->kernel);
	if (c->arch[0])
		fprintf(out, "# homenode arch %s\n", c->arch);
	fprintf(out, "# homenode page_size %" PRId64 "\n# homenode states",
		c->page_size);
	for (int i = 0; i < c->states.nr; i++)
		fprintf(out, " %c=%u", c->states.flag[i].letter,
			c->states.flag[i].bit);
	fprintf(out, " +=%u\n#\n"
		"#           TASK-PID       TGID   CPU#  FLAGS    TIMESTAMP  EVENT\n",
		c->states.preempt_bit);
}

static void put_flags(FILE *out, uint8_t flags)
{
	char irq = '.';

	if (flags & EVENT_F_NMI)
		irq = flags & EVENT_F_HARDIRQ ? 'Z' : 'z';
	else if (flags & EVENT_F_HARDIRQ)
		irq = flags & EVENT_F_SOFTIRQ ? 'H' : 'h';
	else if (flags & EVENT_F_SOFTIRQ)
		irq = 's';
	fprintf(out, " .%c%c..", flags & EVENT_F_NEED_RESCHED ? 'n' : '.', irq);
}

static void put_line_head(const struct text *t, const struct event *ev)
{
	FILE *out = t->x->out;
	int task = tasks_find(&t->x->tasks, ev->tid, ev->ts);
	int pid = task == TASK_NONE ? -1 : t->x->tasks.task[task].pid;

	fprintf(out, "%16s-%-7d ", ev->tid ? comm_of(t, ev->tid, ev->ts) :
		"<idle>", ev->tid);
	if (pid >= 0)
		fprintf(out, "(%7d)", pid);
	else
		fputs("(-------)", out);
	fprintf(out, " [%03d]", ev->cpu);
	put_flags(out, ev->flags);
	fprintf(out, " %5" PRId64 ".%09" PRId64 ": %s:", ev->ts / SECOND,
		ev->ts % SECOND, event_kind_name(ev->kind));
}

static void put_comm(const struct text *t, const struct event *ev,
		     const char *key, int tid)
{
	if (tid)
		fprintf(t->x->out, " %s=%s", key, comm_of(t, tid, ev->ts));
	else
		fprintf(t->x->out, " %s=swapper/%d", key, ev->cpu);
}

static void put_known(FILE *out, const char *key, int64_t v)
{
	if (v != -1)
		fprintf(out, " %s=%" PRId64, key, v);
}

static void put_switch(const struct text *t, const struct event *ev)
{
	FILE *out = t->x->out;
	char state[80];

	put_comm(t, ev, "prev_comm", ev->sw.prev_tid);
	fprintf(out, " prev_pid=%d", ev->sw.prev_tid);
	put_known(out, "prev_prio", ev->sw.prev_prio);
	fprintf(out, " prev_state=%s ==>", state_text(&t->capture.states,
		ev->sw.prev_state, state, sizeof(state)));
	put_comm(t, ev, "next_comm", ev->sw.next_tid);
	fprintf(out, " next_pid=%d", ev->sw.next_tid);
	put_known(out, "next_prio", ev->sw.next_prio);
}

static void put_numa(FILE *out, const struct event *ev)
{
	bool one = ev->kind == EVENT_MOVE_NUMA;

	put_known(out, one ? "pid" : "src_pid", ev->numa.src_tid);
	put_known(out, one ? "tgid" : "src_tgid", ev->numa.src_tgid);
	put_known(out, one ? "ngid" : "src_ngid", ev->numa.src_ngid);
	put_known(out, "src_cpu", ev->numa.src_cpu);
	put_known(out, "src_nid", ev->numa.src_nid);
	put_known(out, "dst_pid", ev->numa.dst_tid);
	put_known(out, "dst_tgid", ev->numa.dst_tgid);
	put_known(out, "dst_ngid", ev->numa.dst_ngid);
	put_known(out, "dst_cpu", ev->numa.dst_cpu);
	put_known(out, "dst_nid", ev->numa.dst_nid);
}

static void put_pages(FILE *out, const struct event *ev)
{
	static const char *const modes[] = {
		"MIGRATE_ASYNC", "MIGRATE_SYNC_LIGHT", "MIGRATE_SYNC",
	};
	static const char *const reasons[] = {
		[REASON_OTHER] = "other", [REASON_COMPACTION] = "compaction",
		[REASON_SYSCALL] = "syscall_or_cpuset",
		[REASON_MEMPOLICY] = "mempolicy_mbind",
		[REASON_NUMA_MISPLACED] = "numa_misplaced",
		[REASON_DEMOTION] = "demotion",
	};

	fprintf(out, " nr_succeeded=%" PRId64 " nr_failed=%" PRId64
		" nr_thp_succeeded=%" PRId64 " nr_thp_failed=%" PRId64,
		ev->pages.succeeded, ev->pages.failed, ev->pages.thp_succeeded,
		ev->pages.thp_failed);
	if (ev->pages.mode >= 0 && ev->pages.mode < 3)
		fprintf(out, " mode=%s", modes[ev->pages.mode]);
	else
		fprintf(out, " mode=%d", ev->pages.mode);
	fprintf(out, " reason=%s", ev->pages.reason >= 0 &&
		ev->pages.reason <= REASON_DEMOTION ?
		reasons[ev->pages.reason] : "other");
}

static void put_wake(const struct text *t, const struct event *ev)
{
	FILE *out = t->x->out;

	put_comm(t, ev, "comm", ev->wake.tid);
	fprintf(out, " pid=%d", ev->wake.tid);
	put_known(out, "prio", ev->wake.prio);
	if (ev->wake.success != 1)
		fprintf(out, " success=%d", ev->wake.success);
	if (ev->wake.target_cpu >= 0)
		fprintf(out, " target_cpu=%03d", ev->wake.target_cpu);
}

static void put_event(const struct text *t, const struct event *ev)
{
	FILE *out = t->x->out;

	put_line_head(t, ev);
	switch (ev->kind) {
	case EVENT_SWITCH:
		put_switch(t, ev);
		break;
	case EVENT_MIGRATE_TASK:
		put_comm(t, ev, "comm", ev->migrate.tid);
		fprintf(out, " pid=%d", ev->migrate.tid);
		put_known(out, "prio", ev->migrate.prio);
		fprintf(out, " orig_cpu=%d dest_cpu=%d", ev->migrate.orig_cpu,
			ev->migrate.dest_cpu);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		put_wake(t, ev);
		break;
	case EVENT_FORK:
		put_comm(t, ev, "comm", ev->fork.parent_tid);
		fprintf(out, " pid=%d", ev->fork.parent_tid);
		put_comm(t, ev, "child_comm", ev->fork.child_tid);
		fprintf(out, " child_pid=%d", ev->fork.child_tid);
		break;
	case EVENT_EXEC:
		put_comm(t, ev, "filename", ev->exec.tid);
		fprintf(out, " pid=%d old_pid=%d", ev->exec.tid,
			ev->exec.old_tid);
		break;
	case EVENT_EXIT:
		put_comm(t, ev, "comm", ev->exit.tid);
		fprintf(out, " pid=%d", ev->exit.tid);
		put_known(out, "prio", ev->exit.prio);
		break;
	case EVENT_PAGE_FAULT_USER:
		fprintf(out, " address=0x%" PRIx64 " ip=0x%" PRIx64
			" error_code=0x%x", ev->fault.address, ev->fault.ip,
			(unsigned)ev->fault.error_code);
		break;
	case EVENT_MIGRATE_PAGES:
		put_pages(out, ev);
		break;
	default:
		put_numa(out, ev);
		break;
	}
	fputc('\n', out);
}

static int put_events(struct text *t, struct err *err)
{
	struct store_events *it;
	struct event ev;
	int got;

	if (store_events_open(t->x->store, INT64_MIN, INT64_MAX, &it, err) < 0)
		return err->code;
	while ((got = store_events_next(it, &ev, err)) > 0) {
		if (ev.ts < 0) {
			got = err_set(err, ERR_FORMAT,
				      "text has no way to write a time before 0 (%" PRId64 " ns)",
				      ev.ts);
			break;
		}
		put_losses(t, ev.cpu, ev.ts);
		put_event(t, &ev);
	}
	store_events_close(it);
	for (int cpu = 0; got == 0 && cpu < t->nr_cpus; cpu++)
		put_losses(t, cpu, INT64_MAX);
	return got;
}

int export_text(struct export_run *x, struct err *err)
{
	struct text t = { .x = x };
	int code;

	if (x->run->id != 0)
		return err_set(err, ERR_USAGE,
			       "text is made of recorded events; a replayed run has none (chrome, perfetto, csv and json take it)");
	code = store_get_capture(x->store, &t.capture, err);
	if (code == 0) {
		code = load_names(&t, err);
		if (code == 0)
			code = load_losses(&t, err);
		if (code == 0) {
			put_head(&t);
			code = put_events(&t, err);
		}
		capture_release(&t.capture);
	}
	free(t.name);
	free(t.loss);
	free(t.next_loss);
	return code;
}

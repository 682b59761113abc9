/* SPDX-License-Identifier: MIT */
#include "collect/ingest_local.h"

#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_EVENTS 12		/* of those that an error message names */

static int tallies_append(struct tallies *t, const char *name, int64_t count,
			  struct err *err)
{
	if (t->nr == t->size) {
		int size = t->size ? t->size * 2 : 16;
		struct tally *new = realloc(t->tally, (size_t)size * sizeof(*new));

		if (!new)
			return err_nomem(err);
		t->tally = new;
		t->size = size;
	}
	t->tally[t->nr].name = strdup(name);
	if (!t->tally[t->nr].name)
		return err_nomem(err);
	t->tally[t->nr++].count = count;
	return 0;
}

/* For few names: looks at all of them. */
static int tallies_add(struct tallies *t, const char *name, int64_t count,
		       struct err *err)
{
	for (int i = 0; i < t->nr; i++)
		if (strcmp(t->tally[i].name, name) == 0) {
			t->tally[i].count += count;
			return 0;
		}
	return tallies_append(t, name, count, err);
}

static void tallies_release(struct tallies *t)
{
	for (int i = 0; i < t->nr; i++)
		free(t->tally[i].name);
	free(t->tally);
}

int ingest_new(struct ingest **in, struct store *s, struct err *err)
{
	*in = calloc(1, sizeof(**in));
	if (!*in)
		return err_nomem(err);
	(*in)->store = s;
	(*in)->totals.first_stray_cpu = (*in)->totals.stray_node = -1;
	return 0;
}

void ingest_free(struct ingest *in)
{
	if (!in)
		return;
	for (int i = 0; i < in->nr_facts; i++) {
		struct fact *f = &in->fact[i];

		free((char *)f->f.comm);
		free((char *)f->f.cgroup);
		free((char *)f->f.nspid);
		cpumask_release(&f->affinity);
	}
	free(in->fact);
	free(in->known);
	capture_release(&in->capture);
	topo_release(&in->topo);
	lives_release(&in->lives);
	name_log_release(&in->late_names);
	tallies_release(&in->repairs);
	tallies_release(&in->skipped);
	cpumask_release(&in->seen_cpus);
	cpumask_release(&in->seen_nodes);
	free(in->cpu_loss);
	ingest_release_places(in);
	free(in);
}

static char *copy_text(const char *text, struct err *err)
{
	char *copy = strdup(text ? text : "");

	if (!copy)
		err_nomem(err);
	return copy;
}

int ingest_capture(struct ingest *in, const struct capture *c, struct err *err)
{
	struct capture new = *c;

	new.source = copy_text(c->source, err);
	new.kernel = copy_text(c->kernel, err);
	new.arch = copy_text(c->arch, err);
	new.clock = copy_text(c->clock, err);
	new.tool = copy_text(c->tool, err);
	new.command = copy_text(c->command, err);
	capture_release(&in->capture);
	in->capture = new;
	return err->code;
}

int ingest_topo(struct ingest *in, const struct topo *t, struct err *err)
{
	in->has_topo = true;
	return topo_copy(&in->topo, t, err);
}

int ingest_knob(struct ingest *in, const char *name, const char *value,
		struct err *err)
{
	return store_put_knob(in->store, name, value, err);
}

static char *maybe_copy(const char *text, struct err *err)
{
	return text ? copy_text(text, err) : NULL;
}

int ingest_task_fact(struct ingest *in, const struct task_fact *f, struct err *err)
{
	struct fact *new;

	if (in->nr_facts == in->size_facts) {
		int size = in->size_facts ? in->size_facts * 2 : 64;

		new = realloc(in->fact, (size_t)size * sizeof(*new));
		if (!new)
			return err_nomem(err);
		in->fact = new;
		in->size_facts = size;
	}
	new = &in->fact[in->nr_facts++];
	*new = (struct fact){ .f = *f };
	new->f.affinity = NULL;
	new->f.comm = maybe_copy(f->comm, err);
	new->f.cgroup = maybe_copy(f->cgroup, err);
	new->f.nspid = maybe_copy(f->nspid, err);
	if (f->affinity && cpumask_copy(&new->affinity, f->affinity) < 0)
		err_nomem(err);
	return err->code;
}

int ingest_repair(struct ingest *in, const char *kind, int64_t count,
		  struct err *err)
{
	return count ? tallies_add(&in->repairs, kind, count, err) : 0;
}

int ingest_skipped(struct ingest *in, const char *name, int64_t count,
		   struct err *err)
{
	in->totals.skipped += count;
	return tallies_append(&in->skipped, name, count, err);
}

const struct ingest_totals *ingest_totals(const struct ingest *in)
{
	return &in->totals;
}

static int take_text(char **to, const char *from, struct err *err)
{
	char *copy;

	if (!from)
		return 0;
	copy = copy_text(from, err);
	if (!copy)
		return err->code;
	free(*to);
	*to = copy;
	return 0;
}

static int apply_fact(struct ingest *in, const struct fact *fact, int id,
		      struct err *err)
{
	const struct task_fact *f = &fact->f;
	struct task *t = &in->lives.tasks.task[id];

	if (f->pid >= 0)
		t->pid = f->pid;
	if (f->nice != NICE_UNKNOWN)
		t->nice = f->nice;
	t->flags |= f->flags & (TASK_F_KTHREAD | TASK_F_RECORDER |
				 TASK_F_COMMAND);
	if (!cpumask_empty(&fact->affinity) &&
	    cpumask_copy(&t->affinity, &fact->affinity) < 0)
		return err_nomem(err);
	if (take_text(&t->cgroup, f->cgroup, err) < 0 ||
	    take_text(&t->nspid, f->nspid, err) < 0)
		return err->code;
	if (f->comm && !lives_named(&in->lives, id))
		return lives_set_name(&in->lives, id, f->comm, err);
	return 0;
}

/* What /proc said strongly goes before a name that is only the trace's last. */
static int apply_facts(struct ingest *in, bool weak, struct err *err)
{
	int code = 0;

	for (int i = 0; i < in->nr_facts && code == 0; i++) {
		const struct task_fact *f = &in->fact[i].f;
		int id;

		if (f->weak_comm != weak)
			continue;
		id = lives_at(&in->lives, f->tid, f->ts, false, err);
		if (id != TASK_NONE)
			code = apply_fact(in, &in->fact[i], id, err);
	}
	return code;
}

/* A process whose leader never ran still needs it: areas and reports go by
 * leaders. */
static int add_leaders(struct ingest *in, struct err *err)
{
	int nr = in->lives.tasks.nr;

	for (int i = 0; i < nr; i++) {
		const struct task *t = &in->lives.tasks.task[i];
		int pid = t->pid, id;

		if (pid <= 0 || pid == t->tid)
			continue;
		id = lives_at(&in->lives, pid, t->start_ns, true, err);
		if (id == TASK_NONE)
			return err->code;
		if (in->lives.tasks.task[id].pid < 0)
			in->lives.tasks.task[id].pid = pid;
	}
	return 0;
}

/* What /proc was not asked about in time, a task has from who forked it. */
static int inherit(struct ingest *in, struct err *err)
{
	struct tasks *tasks = &in->lives.tasks;

	/* Parents come before their children. */
	for (int i = 0; i < tasks->nr; i++) {
		struct task *t = &tasks->task[i];
		const struct task *parent;

		if (t->parent == TASK_NONE || t->nice != NICE_UNKNOWN ||
		    t->flags & TASK_F_KTHREAD)
			continue;
		parent = &tasks->task[t->parent];
		t->nice = parent->nice;
		if (take_text(&t->cgroup, parent->cgroup, err) < 0)
			return err->code;
		if (cpumask_copy(&t->affinity, &parent->affinity) < 0)
			return err_nomem(err);
	}
	return 0;
}

static int finish_tasks(struct ingest *in, struct err *err)
{
	struct name_log *log = &in->late_names;
	struct ingest_totals *t = &in->totals;
	int code;

	in->lives.log = log;
	code = apply_facts(in, false, err);
	if (code == 0)
		code = add_leaders(in, err);
	/* Once more for leaders that were added. */
	if (code == 0)
		code = apply_facts(in, false, err);
	if (code == 0)
		code = apply_facts(in, true, err);
	if (code == 0)
		code = inherit(in, err);
	if (code == 0)
		code = lives_finish(&in->lives, t->start_ns, err);
	for (int i = 0; i < log->nr && code == 0; i++)
		code = store_put_name(in->store, log->change[i].task,
				      log->change[i].from_ns,
				      log->change[i].comm, err);
	if (code == 0)
		code = store_put_tasks(in->store, &in->lives.tasks, err);
	in->lives.log = NULL;
	t->tasks = in->lives.tasks.nr;
	t->processes = 0;
	for (int i = 0; i < in->lives.tasks.nr; i++)
		t->processes += in->lives.tasks.task[i].pid ==
				in->lives.tasks.task[i].tid;
	return code;
}

static int add_stray_cpus(struct ingest *in, struct err *err)
{
	struct ingest_totals *t = &in->totals;
	int code = 0;

	for (int cpu = cpumask_next(&in->seen_cpus, -1); cpu >= 0 && code == 0;
	     cpu = cpumask_next(&in->seen_cpus, cpu)) {
		if (topo_node_of(&in->topo, cpu) >= 0)
			continue;
		if (t->stray_node < 0) {
			t->first_stray_cpu = cpu;
			t->stray_node = in->topo.nr_node_ids;
			code = topo_add_node(&in->topo, t->stray_node, err);
			if (code == 0)
				in->topo.node[t->stray_node].mem_bytes = 0;
		}
		if (code == 0)
			code = topo_add_cpu(&in->topo, cpu, t->stray_node, err);
		t->cpus_not_in_topology++;
	}
	if (code == 0)
		code = ingest_repair(in, "cpu_not_in_topology",
				     t->cpus_not_in_topology, err);
	return code;
}

static int finish_topo(struct ingest *in, struct err *err)
{
	int last = -1, code = 0, strays = 0;

	for (int cpu = cpumask_next(&in->seen_cpus, -1); cpu >= 0;
	     cpu = cpumask_next(&in->seen_cpus, cpu))
		last = cpu;
	if (last >= in->capture.nr_cpus)
		in->capture.nr_cpus = last + 1;
	if (!in->has_topo)
		code = topo_flat(&in->topo, in->capture.nr_cpus, err);
	for (int n = cpumask_next(&in->seen_nodes, -1); n >= 0 && code == 0;
	     n = cpumask_next(&in->seen_nodes, n)) {
		if (n < in->topo.nr_node_ids && in->topo.node[n].present)
			continue;
		strays++;
		code = topo_add_node(&in->topo, n, err);
	}
	if (code == 0)
		code = ingest_repair(in, "node_not_in_topology", strays, err);
	if (code == 0)
		code = add_stray_cpus(in, err);
	if (code == 0)
		code = topo_finish(&in->topo, err);
	in->totals.cpus = topo_nr_cpus(&in->topo);
	return code < 0 ? code : store_put_topo(in->store, &in->topo, err);
}

static int by_count(const void *pa, const void *pb)
{
	const struct tally *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* "has no sched events; it has: bprint 200, thermal 3" */
static int missing(struct ingest *in, const char *what, struct err *err)
{
	struct tallies *s = &in->skipped;
	char list[700] = "";
	size_t len = 0;
	int code = 0;

	for (int i = 0; i < EVENT_NR_KINDS && code == 0; i++)
		if (in->totals.by_kind[i])
			code = tallies_append(s, event_kind_name(i),
					      in->totals.by_kind[i], err);
	if (code < 0)
		return code;
	if (!s->nr)
		return err_set(err, ERR_FORMAT, "has no events");
	qsort(s->tally, (size_t)s->nr, sizeof(*s->tally), by_count);
	for (int i = 0; i < s->nr && i < NAMED_EVENTS; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len,
					"%s%.40s %lld", i ? ", " : "",
					s->tally[i].name,
					(long long)s->tally[i].count);
	return err_set(err, ERR_FORMAT, "%s; it has: %s%s", what, list,
		       s->nr > NAMED_EVENTS ? ", ..." : "");
}

static int check_events(struct ingest *in, struct err *err)
{
	const int64_t *by_kind = in->totals.by_kind;
	int64_t sched = in->totals.events - by_kind[EVENT_PAGE_FAULT_USER] -
			by_kind[EVENT_MIGRATE_PAGES];

	if (!sched)
		return missing(in, "has no sched events", err);
	if (!by_kind[EVENT_SWITCH])
		return missing(in, "has no sched_switch events, without which nobody knows who ran where",
			       err);
	return 0;
}

static int finish_capture(struct ingest *in, struct err *err)
{
	struct capture *c = &in->capture;
	const struct ingest_totals *t = &in->totals;

	c->start_ns = t->start_ns;
	c->end_ns = t->end_ns;
	c->window_start_ns = t->window_start_ns;
	c->window_end_ns = t->window_end_ns;
	c->topology_known = in->has_topo;
	c->has_faults = t->by_kind[EVENT_PAGE_FAULT_USER] > 0;
	return store_put_capture(in->store, c, err);
}

static int finish_tallies(struct ingest *in, struct err *err)
{
	int code = 0;

	for (int i = 0; i < LIVES_NR_REPAIRS && code == 0; i++)
		code = ingest_repair(in, lives_repair_name(i),
				     in->lives.repairs[i], err);
	for (int i = 0; i < in->repairs.nr && code == 0; i++)
		code = store_put_repair(in->store, in->repairs.tally[i].name,
					in->repairs.tally[i].count, err);
	for (int i = 0; i < in->skipped.nr && code == 0; i++)
		code = store_put_skipped(in->store, in->skipped.tally[i].name,
					 in->skipped.tally[i].count, err);
	return code;
}

int ingest_finish(struct ingest *in, struct err *err)
{
	int code = check_events(in, err);

	if (code == 0)
		code = store_begin(in->store, err);
	if (code == 0)
		code = ingest_finish_losses(in, err);
	if (code == 0)
		code = finish_topo(in, err);
	if (code == 0)
		code = finish_tasks(in, err);
	if (code == 0)
		code = ingest_finish_places(in, err);
	if (code == 0)
		code = finish_capture(in, err);
	if (code == 0)
		code = finish_tallies(in, err);
	in->totals.areas = in->areas.nr;
	return code < 0 ? code : store_end(in->store, err);
}

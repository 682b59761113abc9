/* SPDX-License-Identifier: MIT */
#include "schema/derive_local.h"

#include "model/cost.h"
#include "model/demand_build.h"
#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Goes up whenever run 0 or the demand come out differently. */
#define DERIVE_VERSION "5"

#define KEY_RUN0 "run0"
#define KEY_DEMAND "demand"

#define PROGRESS_EVENTS 65536
/* So many events at most are looked at for who runs on each CPU at the start. */
#define LOOK_AHEAD_EVENTS 65536

/* Of a task, for the counts of run 0. */
struct ran {
	int cpu;		/* -1: has not run */
};

struct derive {
	struct derive_input in;
	struct area_map map;
	struct rebuild *rebuild;
	struct timeline *timeline;
	struct demand_build *build;	/* NULL: demand is not wanted */
	struct run_sink sink;
	bool want_run;		/* run 0 is being written */
	struct ran *ran;	/* [task id] */
	int command;		/* tasks_command() */
	int64_t end_ns;		/* of its last span, else of the recording */
	uint64_t checksum;	/* of all spans */
	int64_t spans, migrations, node_migrations, wakeups;
	uint64_t cpu_ns;
	int64_t moves[MOVE_NR];
	derive_progress fn;
	void *fn_ctx;
	int64_t done, all;	/* events of all passes */
};

/* -- from the timeline and the rebuild to run and demand ------------------- */

static int on_on(void *ctx, const struct timeline_on *on, struct err *err)
{
	struct derive *d = ctx;

	rebuild_ran(d->rebuild, on->task);
	return d->build ? demand_build_on(d->build, on, err) : 0;
}

static void count_span(struct derive *d, const struct span *s)
{
	struct ran *r = &d->ran[s->task];

	d->spans++;
	d->checksum += span_checksum(s);
	d->cpu_ns += (uint64_t)(s->end_ns - s->start_ns);
	if (s->task == d->command)
		d->end_ns = s->end_ns;
	if (r->cpu >= 0 && r->cpu != s->cpu) {
		d->migrations++;
		d->node_migrations += topo_node_of(&d->in.topo, r->cpu) !=
				      topo_node_of(&d->in.topo, s->cpu);
	}
	r->cpu = s->cpu;
}

static int on_off(void *ctx, const struct span *s, struct err *err)
{
	struct derive *d = ctx;

	if (rebuild_flush(d->rebuild, s->end_ns, err))
		return err->code;
	count_span(d, s);
	if (d->want_run && d->sink.span(d->sink.ctx, s, err))
		return err->code;
	return d->build ? demand_build_off(d->build, s, err) : 0;
}

static int on_wake(void *ctx, const struct timeline_wake *w, struct err *err)
{
	struct derive *d = ctx;

	d->wakeups += w->kind == TIMELINE_WAKE || w->kind == TIMELINE_WAKE_KEPT;
	return d->build ? demand_build_wake(d->build, w, err) : 0;
}

static int on_fork(void *ctx, int64_t ts, int parent, int child,
		   struct err *err)
{
	struct derive *d = ctx;

	return d->build ? demand_build_fork(d->build, ts, parent, child, err) :
			  0;
}

static int on_exec(void *ctx, int64_t ts, int task, struct err *err)
{
	struct derive *d = ctx;

	return d->build ? demand_build_exec(d->build, ts, task, err) : 0;
}

static int on_exit_event(void *ctx, int64_t ts, int task, struct err *err)
{
	struct derive *d = ctx;

	return d->build ? demand_build_exit(d->build, ts, task, err) : 0;
}

static int on_move(void *ctx, const struct move *m, struct err *err)
{
	struct derive *d = ctx;

	d->moves[m->why]++;
	if (d->want_run && d->sink.move(d->sink.ctx, m, err))
		return err->code;
	return d->build ? demand_build_move(d->build, m, err) : 0;
}

static const struct timeline_ops timeline_ops = {
	.on = on_on,
	.off = on_off,
	.wake = on_wake,
	.fork = on_fork,
	.exec = on_exec,
	.exit = on_exit_event,
	.move = on_move,
};

static int on_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	struct derive *d = ctx;

	return d->want_run ? d->sink.mem(d->sink.ctx, m, err) : 0;
}

static int on_change(void *ctx, const struct demand_mem *m, struct err *err)
{
	struct derive *d = ctx;

	return d->build ? demand_build_mem(d->build, m, err) : 0;
}

static int on_held(void *ctx, int task, int area, int node, int64_t pages,
		   struct err *err)
{
	struct derive *d = ctx;

	return d->build ? demand_build_held(d->build, task, area, node, pages,
					    err) : 0;
}

static const struct rebuild_ops rebuild_ops = {
	.mem = on_mem,
	.change = on_change,
	.held = on_held,
};

static void share_now(void *ctx, int task, double *share)
{
	const struct derive *d = ctx;

	rebuild_share(d->rebuild, task, share);
}

/* -- passes --------------------------------------------------------------- */

static int progress(struct derive *d, struct err *err)
{
	double share;

	if (d->done++ % PROGRESS_EVENTS || !d->fn)
		return 0;
	share = d->all > 0 ? (double)d->done / (double)d->all : 0;
	if (d->fn(d->fn_ctx, share < 1 ? share : 1))
		return err_set(err, ERR_STOPPED, "stopped");
	return 0;
}

static int find_in_samples(struct derive *d, struct area_find *f,
			   struct err *err)
{
	struct sample_reader r;
	struct rebuild_sample s;

	if (!sample_reader_open(&r, &d->in, err))
		while (sample_reader_next(&r, &s, err) > 0)
			if (area_find_sample(f, s.ts, s.area, s.pages, err))
				break;
	sample_reader_close(&r);
	return err->code;
}

static int find_in_events(struct derive *d, struct area_find *f,
			  struct err *err)
{
	struct store_events *it;
	struct event ev;

	if (store_events_open(d->in.store, INT64_MIN, INT64_MAX, &it, err))
		return err->code;
	while (store_events_next(it, &ev, err) > 0)
		if (derive_check_time(&d->in, ev.ts, err) ||
		    area_find_event(f, &ev, err) || progress(d, err))
			break;
	store_events_close(it);
	return err->code;
}

/* First pass: the memory areas. */
static int find_areas(struct derive *d, struct err *err)
{
	struct area_find_args args = {
		.tasks = &d->in.tasks, .leader = d->in.leader,
		.areas = &d->in.areas,
		.nr_node_ids = d->in.topo.nr_node_ids,
		.page_size = d->in.capture.page_size, .thp = d->in.thp,
	};
	struct area_find *f;

	if (area_find_new(&f, &args, err))
		return err->code;
	if (!find_in_samples(d, f, err) &&
	    (!d->in.capture.has_faults || !find_in_events(d, f, err)))
		area_find_finish(f, &d->map, err);
	area_find_free(f);
	return err->code;
}

/* Who runs on each CPU at the start is what its first event says. */
static int look_ahead(struct derive *d, struct err *err)
{
	int nr = d->in.topo.nr_cpu_ids, missing = topo_nr_cpus(&d->in.topo);
	bool *seen = calloc((size_t)nr + 1, sizeof(*seen));
	struct store_events *it = NULL;
	struct event ev;

	if (!seen)
		return err_nomem(err);
	if (store_events_open(d->in.store, INT64_MIN, INT64_MAX, &it, err))
		goto out;
	for (int i = 0; i < LOOK_AHEAD_EVENTS && missing > 0 &&
	     store_events_next(it, &ev, err) > 0; i++) {
		if (ev.cpu < 0 || ev.cpu >= nr || seen[ev.cpu] || ev.tid < 0)
			continue;
		seen[ev.cpu] = true;
		missing--;
		if (timeline_running(d->timeline, ev.cpu, ev.tid, err))
			break;
	}
out:
	store_events_close(it);
	free(seen);
	return err->code;
}

static int feed(struct derive *d, struct store_events *it,
		struct sample_reader *r, struct err *err)
{
	struct rebuild_sample s;
	struct event ev;
	int more = sample_reader_next(r, &s, err), got;

	while (more >= 0 && (got = store_events_next(it, &ev, err)) > 0) {
		while (more > 0 && s.ts <= ev.ts) {
			if (rebuild_sample(d->rebuild, &s, err))
				return err->code;
			more = sample_reader_next(r, &s, err);
		}
		if (derive_check_time(&d->in, ev.ts, err) ||
		    timeline_event(d->timeline, &ev, err) ||
		    rebuild_event(d->rebuild, &ev, err) || progress(d, err))
			return err->code;
	}
	while (more > 0 && s.ts <= d->in.capture.end_ns) {
		if (rebuild_sample(d->rebuild, &s, err))
			return err->code;
		more = sample_reader_next(r, &s, err);
	}
	return err->code;
}

/* Second pass: everything else. */
static int follow(struct derive *d, struct err *err)
{
	struct store_events *it = NULL;
	struct sample_reader r = { 0 };

	if (rebuild_start(d->rebuild, err) || look_ahead(d, err))
		return err->code;
	if (!sample_reader_open(&r, &d->in, err) &&
	    !store_events_open(d->in.store, INT64_MIN, INT64_MAX, &it, err) &&
	    !feed(d, it, &r, err) && !timeline_finish(d->timeline, err))
		rebuild_finish(d->rebuild, err);
	store_events_close(it);
	sample_reader_close(&r);
	return err->code;
}

static int make_parts(struct derive *d, const struct cost *cost,
		      struct err *err)
{
	const struct derive_input *in = &d->in;
	const struct rebuild_args rebuild = {
		.tasks = &in->tasks, .leader = in->leader, .topo = &in->topo,
		.areas = &in->areas, .map = &d->map,
		.page_size = in->capture.page_size,
		.start_ns = in->capture.start_ns, .end_ns = in->capture.end_ns,
		.numa_balancing = in->numa_balancing,
		.ops = &rebuild_ops, .ctx = d,
	};
	const struct timeline_args timeline = {
		.tasks = &in->tasks, .loss = in->loss, .nr_loss = in->nr_loss,
		.start_ns = in->capture.start_ns, .end_ns = in->capture.end_ns,
		.ops = &timeline_ops, .ctx = d,
	};
	struct demand_build_args build = {
		.tasks = &in->tasks, .topo = &in->topo, .cost = cost,
		.start_ns = in->capture.start_ns,
		.share = share_now, .share_ctx = d,
	};

	d->ran = malloc(((size_t)in->tasks.nr + 1) * sizeof(*d->ran));
	if (!d->ran)
		return err_nomem(err);
	for (int i = 0; i < in->tasks.nr; i++)
		d->ran[i].cpu = -1;
	d->command = tasks_command(&in->tasks);
	d->end_ns = in->capture.end_ns;
	if (rebuild_new(&d->rebuild, &rebuild, err) ||
	    timeline_new(&d->timeline, &timeline, err))
		return err->code;
	if (!cost)
		return 0;
	store_demand_sink(in->store, &build.sink);
	return demand_build_new(&d->build, &build, err);
}

/* -- results -------------------------------------------------------------- */

static int put_counts(struct derive *d, struct err *err)
{
	static const char *const move_name[MOVE_NR] = {
		[MOVE_WAKE] = "moves_wake", [MOVE_FORK] = "moves_fork",
		[MOVE_EXEC] = "moves_exec", [MOVE_BALANCE] = "moves_balance",
		[MOVE_PUSH] = "moves_push", [MOVE_NUMA] = "moves_numa",
		[MOVE_AFFINITY] = "moves_affinity",
		[MOVE_RECORDED] = "moves_recorded",
	};
	const struct {
		const char *name;
		int64_t value;
	} total[] = {
		{ "switches", d->spans },
		{ "span_checksum", (int64_t)d->checksum },
		{ "migrations", d->migrations },
		{ "node_migrations", d->node_migrations },
		{ "wakeups", d->wakeups },
		{ "cpu_ns", (int64_t)d->cpu_ns },
		{ "elapsed_ns", d->end_ns - d->in.capture.start_ns },
	};
	const struct run_sink *sink = &d->sink;
	char name[64];

	for (size_t i = 0; i < sizeof(total) / sizeof(*total); i++)
		if (sink->count(sink->ctx, total[i].name, total[i].value, err))
			return err->code;
	for (int i = 0; i < MOVE_NR; i++)
		if (d->moves[i] &&
		    sink->count(sink->ctx, move_name[i], d->moves[i], err))
			return err->code;
	for (int i = 0; i < REBUILD_NR_COUNTS; i++)
		if (sink->count(sink->ctx, rebuild_count_name(i),
				rebuild_count(d->rebuild, i), err))
			return err->code;
	for (int i = 0; i < TIMELINE_NR_REPAIRS; i++) {
		snprintf(name, sizeof(name), "repair_%s",
			 timeline_repair_name(i));
		if (sink->count(sink->ctx, name,
				timeline_count(d->timeline, i), err))
			return err->code;
	}
	return 0;
}

static int put_demand(struct derive *d, const char *key, struct err *err)
{
	struct demand_task *tasks;
	int nr;

	if (demand_build_finish(d->build, &tasks, &nr, err))
		return err->code;
	for (int i = 0; i < nr; i++)
		if (store_put_demand_task(d->in.store, &tasks[i], err))
			break;
	free(tasks);
	if (err->code)
		return err->code;
	return store_put_derived(d->in.store, KEY_DEMAND, key, err);
}

static int put_run(struct derive *d, struct run_info *info, struct err *err)
{
	struct store *s = d->in.store;

	if (rebuild_each_access(d->rebuild, d->sink.access, d->sink.ctx, err) ||
	    put_counts(d, err) ||
	    store_put_derived_areas(s, &d->in.areas, d->in.nr_recorded, err) ||
	    store_run_end(s, info, err))
		return err->code;
	d->want_run = false;
	return store_put_derived(s, KEY_RUN0, DERIVE_VERSION, err);
}

static void release(struct derive *d)
{
	rebuild_free(d->rebuild);
	timeline_free(d->timeline);
	demand_build_free(d->build);
	area_map_release(&d->map);
	derive_input_release(&d->in);
	free(d->ran);
}

static int has(struct store *s, const char *key, const char *want, bool *is,
	       struct err *err)
{
	char *value;

	if (store_get_derived(s, key, &value, err))
		return err->code;
	*is = value && !strcmp(value, want);
	free(value);
	return 0;
}

/* What an older version or a broken-off derivation left. */
static int clear(struct derive *d, struct run_info *info, struct err *err)
{
	struct store *s = d->in.store;
	struct err none = { 0 };

	if (d->want_run) {
		if (store_run_drop(s, 0, &none) &&
		    none.code != ERR_NOTFOUND)
			return err_set(err, none.code, "%s", none.text);
		if (store_run_begin(s, info, &d->sink, err)) {
			d->want_run = false;
			return err->code;
		}
	}
	return d->build ? store_drop_demand(s, err) : 0;
}

static int run_passes(struct derive *d, const struct cost *cost,
		      const char *key, struct err *err)
{
	struct run_info info = {
		.policy = strdup("recorded"),
		.start_ns = d->in.capture.start_ns,
		.end_ns = d->in.capture.end_ns,
	};

	if (!info.policy) {
		d->want_run = false;
		return err_nomem(err);
	}
	if (find_areas(d, err) || make_parts(d, cost, err)) {
		d->want_run = false;
		goto out;
	}
	if (clear(d, &info, err) || follow(d, err) ||
	    (d->want_run && put_run(d, &info, err)))
		goto out;
	if (d->build)
		put_demand(d, key, err);
out:
	run_info_release(&info);
	return err->code;
}

static int derive(struct store *s, const struct cost *cost, const char *key,
		  struct derive *d, struct err *err)
{
	struct err ignored = { 0 };
	bool have_run0 = false, have_demand = true, is_generated = false;

	if (store_is_generated(s, &is_generated, err) || is_generated)
		return err->code;
	if (has(s, KEY_RUN0, DERIVE_VERSION, &have_run0, err) ||
	    (cost && has(s, KEY_DEMAND, key, &have_demand, err)))
		return err->code;
	if (have_run0 && have_demand)
		return 0;
	d->want_run = !have_run0;
	if (derive_input_read(&d->in, s, err))
		return err->code;
	d->all = store_nr_events(s) * (d->in.capture.has_faults ? 2 : 1);
	if (store_begin(s, err))
		return err->code;
	run_passes(d, have_demand ? NULL : cost, key, err);
	if (!err->code)
		return store_end(s, err);
	if (d->want_run)
		store_run_drop(s, 0, &ignored);
	store_end(s, &ignored);
	return err->code;
}

int derive_run0(struct store *s, derive_progress fn, void *ctx,
		struct err *err)
{
	struct derive d = { .fn = fn, .fn_ctx = ctx };

	derive(s, NULL, NULL, &d, err);
	release(&d);
	return err->code;
}

int derive_demand(struct store *s, const struct cost *cost,
		  derive_progress fn, void *ctx, struct err *err)
{
	struct derive d = { .fn = fn, .fn_ctx = ctx };
	char *json = cost_json(cost), *key = NULL;

	if (json && asprintf(&key, "%s %s", DERIVE_VERSION, json) < 0)
		key = NULL;
	if (!key)
		err_nomem(err);
	else
		derive(s, cost, key, &d, err);
	release(&d);
	free(json);
	free(key);
	return err->code;
}

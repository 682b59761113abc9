/* SPDX-License-Identifier: MIT */
#include "collect/watch.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/clock.h"
#include "collect/procfs.h"
#include "collect/scan.h"
#include "model/err.h"

/* Looking for new tasks is given 1/100 of a CPU; reading of new ones, which
 * there is no way around but to miss those that live shortly, 1/20. */
#define LOOK_SHARE 100
#define READ_SHARE 20
#define LAST_LOOK_NS INT64_C(200000000)	/* it is a part of the recording */

struct watch {
	struct watch_setup setup;
	struct scan *scan;
	struct sampler *sampler;
	int *family;		/* processes that may be sampled, sorted as found */
	int nr_family, size_family;
	int64_t scans, scan_ns;
	pthread_t thread;
	bool runs;
	struct err err;
};

static int put_task(void *ctx, const struct task_fact *f, const char *cpus,
		    struct err *err)
{
	struct watch *w = ctx;

	return spool_put_task(w->setup.spool, f, cpus, err);
}

static bool in_family(const struct watch *w, int pid)
{
	for (int i = 0; i < w->nr_family; i++)
		if (w->family[i] == pid)
			return true;
	return false;
}

static int join_family(struct watch *w, int pid, struct err *err)
{
	if (w->nr_family == w->size_family) {
		int size = w->size_family ? w->size_family * 2 : 16;
		int *new = realloc(w->family, (size_t)size * sizeof(*new));

		if (!new)
			return err_nomem(err);
		w->family = new;
		w->size_family = size;
	}
	w->family[w->nr_family++] = pid;
	return 0;
}

static int new_process(void *ctx, int pid, struct err *err)
{
	struct watch *w = ctx;
	struct procfs_stat s;

	if (!w->sampler)
		return 0;
	if (w->setup.only && !in_family(w, pid)) {
		if (!procfs_stat_read(w->setup.proc, pid, &s) ||
		    !in_family(w, s.ppid))
			return 0;
		if (join_family(w, pid, err) < 0)
			return err->code;
	}
	return sampler_add(w->sampler, pid, err);
}

static int put_area(void *ctx, const struct placement_fact *f, struct err *err)
{
	struct watch *w = ctx;

	return spool_put_place(w->setup.spool, f, err);
}

static int put_area_end(void *ctx, int pid, int64_t ts, struct err *err)
{
	struct watch *w = ctx;

	return spool_put_place_end(w->setup.spool, pid, ts, err);
}

static int make_sampler(struct watch *w, struct err *err)
{
	const struct sampler_setup setup = {
		.proc = w->setup.proc,
		.interval_ns = w->setup.interval_ns,
		.budget = w->setup.budget,
		.page_size = sysconf(_SC_PAGESIZE),
		.area = put_area,
		.end = put_area_end,
		.ctx = w,
	};

	for (int i = 0; i < w->setup.nr_only; i++)
		if (join_family(w, w->setup.only[i], err) < 0)
			return err->code;
	return sampler_new(&w->sampler, &setup, err);
}

int watch_new(struct watch **w, const struct watch_setup *setup, struct err *err)
{
	struct watch *new = calloc(1, sizeof(*new));
	const struct scan_setup scan = {
		.proc = setup->proc,
		.own_pid = getpid(),
		.command_pid = setup->command_pid,
		.all_cpus = setup->all_cpus,
		.task = put_task,
		.process = new_process,
		.ctx = new,
	};
	int code = 0;

	*w = NULL;
	if (!new)
		return err_nomem(err);
	new->setup = *setup;
	if (setup->memory)
		code = make_sampler(new, err);
	if (code == 0)
		code = scan_new(&new->scan, &scan, err);
	if (code == 0)
		code = scan_round(new->scan, INT64_MIN, err);
	if (code == 0)
		code = spool_flush(setup->spool, err);
	if (code < 0)
		watch_free(new);
	else
		*w = new;
	return code;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	scan_free(w->scan);
	sampler_free(w->sampler);
	free(w->family);
	free(w);
}

/* Looks for new tasks; returns when to do so again. */
static int64_t scan(struct watch *w)
{
	int64_t start = clock_now(), looking, reading, pause;

	scan_round(w->scan, start, &w->err);
	scan_cost(w->scan, &looking, &reading);
	w->scans++;
	w->scan_ns += looking + reading;
	pause = looking * LOOK_SHARE + reading * READ_SHARE;
	if (pause > WATCH_SCAN_MAX_NS)
		pause = WATCH_SCAN_MAX_NS;
	return start + (pause > WATCH_SCAN_NS ? pause : WATCH_SCAN_NS);
}

static void last_look(struct watch *w)
{
	scan_last(w->scan, clock_now(), clock_now() + LAST_LOOK_NS / 2, &w->err);
	if (w->sampler)
		sampler_last(w->sampler, clock_now() + LAST_LOOK_NS, &w->err);
	spool_flush(w->setup.spool, &w->err);
}

static int until(int64_t ns)
{
	int64_t ms = (ns - clock_now() + 999999) / 1000000;

	return ms < 10 ? 10 : ms > 1000 ? 1000 : (int)ms;
}

static void *run(void *ctx)
{
	struct watch *w = ctx;
	struct pollfd stop = { .fd = w->setup.stop_fd, .events = POLLIN };
	int64_t next_scan = clock_now() + WATCH_SCAN_NS / 10, next_sample = 0;
	const uint64_t one = 1;

	while (!w->err.code) {
		int64_t next = next_scan;

		if (w->sampler && next_sample < next)
			next = next_sample;
		if (poll(&stop, 1, until(next)) > 0)
			break;
		if (clock_now() >= next_scan)
			next_scan = scan(w);
		if (w->sampler && !w->err.code)
			sampler_run(w->sampler, &next_sample, &w->err);
		spool_flush(w->setup.spool, &w->err);
	}
	if (!w->err.code)
		last_look(w);
	if (w->err.code)
		(void)!write(w->setup.failed_fd, &one, sizeof(one));
	return NULL;
}

int watch_start(struct watch *w, struct err *err)
{
	int error = pthread_create(&w->thread, NULL, run, w);

	if (error)
		return err_set(err, ERR_IO, "cannot start a thread: %s",
			       strerror(error));
	pthread_setname_np(w->thread, "homenode/watch");
	w->runs = true;
	return 0;
}

int watch_join(struct watch *w, struct err *err)
{
	if (!w || !w->runs)
		return 0;
	pthread_join(w->thread, NULL);
	w->runs = false;
	return w->err.code ? err_set(err, w->err.code, "%s", w->err.text) : 0;
}

int watch_put_knobs(const struct watch *w, struct err *err)
{
	const struct sampler_totals *t;
	char text[32];
	int code = 0;

	if (!w->sampler)
		return spool_put_knob(w->setup.spool, "homenode.memory", "0", err);
	t = sampler_totals(w->sampler);
	const struct {
		const char *name;
		int64_t value;
	} knob[] = {
		{ "homenode.memory", 1 },
		{ "homenode.sample_interval_ms", w->setup.interval_ns / 1000000 },
		{ "homenode.sample_budget_ppm",
		  (int64_t)(w->setup.budget * 1e6 + 0.5) },
		{ "homenode.sample_processes", t->processes },
		{ "homenode.sample_refused", t->refused },
		{ "homenode.sample_reads", t->reads },
		{ "homenode.sample_queries", t->queries },
		{ "homenode.sample_max_stride", t->max_stride },
		{ "homenode.sample_spent_us", t->spent_ns / 1000 },
		{ "homenode.scans", w->scans },
		{ "homenode.scan_spent_us", w->scan_ns / 1000 },
	};

	for (size_t i = 0; i < sizeof(knob) / sizeof(knob[0]) && code == 0; i++) {
		snprintf(text, sizeof(text), "%" PRId64, knob[i].value);
		code = spool_put_knob(w->setup.spool, knob[i].name, text, err);
	}
	return code;
}

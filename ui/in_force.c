/* SPDX-License-Identifier: MIT */
#include "ui/in_force.h"

#include "model/err.h"
#include "model/stall.h"
#include "replay/discipline.h"
#include "replay/policy_spec.h"
#include "schema/store.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000
#define KEY "measured"

/* Where touching a new page takes 1 us, a fault on one that is there, which need
 * not be zeroed, takes half of that, and one that moves it 4 us (about 1 GB/s, as
 * in engine.h) unless such faults were recorded; all slow down alike where CPUs
 * stall.  Marking a page takes a twentieth: touching 8192 pages took 20.6 to 22.1
 * times as long as mprotect() of them in three tries on Linux 6.18.  Pages are
 * marked right after a tick, when a CPU that stalls has just begun to run again:
 * for that counts what a touch takes while it runs. */
#define MOVE_PER_TOUCH 4
#define TOUCH_PER_FAULT 2
#define MARKS_PER_TOUCH 20

/* Recorded settings and the knobs that are the same; to: NULL for the same name
 * without "sched." in front; scale: the unit that is written behind it. */
static const struct {
	const char *from, *to, *unit;
} same[] = {
	{ "sched.latency_ns", "latency_ns", "ns" },
	{ "sched.min_granularity_ns", "min_granularity_ns", "ns" },
	{ "sched.wakeup_granularity_ns", "wakeup_granularity_ns", "ns" },
	{ "sched.base_slice_ns", "base_slice_ns", "ns" },
	{ "sched.migration_cost_ns", "migration_cost_ns", "ns" },
	{ "sched.migration_cost_ns", "hot_ns", "ns" },
	{ "sched.nr_migrate", "nr_migrate", "" },
	{ "sched.numa_balancing.scan_delay_ms", "scan_delay_ms", "ms" },
	{ "sched.numa_balancing.scan_period_min_ms", "scan_period_min_ms",
		"ms" },
	{ "sched.numa_balancing.scan_period_max_ms", "scan_period_max_ms",
		"ms" },
	{ "sched.numa_balancing.scan_size_mb", "scan_size_mb", "" },
};

struct in_force {
	struct policy_spec base;	/* what the policy has */
	const char *given;
	FILE *out;
	int numa_balancing;		/* -1: not recorded */
	bool had_faults;		/* hinting faults or moves were seen */
};

static bool has_knob(const struct in_force *f, const char *name)
{
	return knob_find(f->base.ops->knobs, name) >= 0 ||
		(f->base.discipline &&
		 knob_find(f->base.discipline->knobs, name) >= 0);
}

static bool is_given(const struct in_force *f, const char *name)
{
	size_t len = strlen(name);
	const char *at = f->given;

	while (at && (at = strchr(at, ','))) {
		at++;
		if (!strncmp(at, name, len) && at[len] == '=')
			return true;
	}
	return false;
}

static void add(struct in_force *f, const char *name, const char *value,
		const char *unit)
{
	if (!has_knob(f, name) || is_given(f, name))
		return;
	fprintf(f->out, ",%s=%s%s", name, value, unit);
}

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) &&
		strlen(text) < 15;
}

/* "GENTLE_FAIR_SLEEPERS NO_HRTICK ..." */
static void add_features(struct in_force *f, const char *value)
{
	char *copy = strdup(value), *rest = copy, *word;

	while (copy && (word = strsep(&rest, " "))) {
		bool off = !strncmp(word, "NO_", 3);

		if (*word)
			add(f, off ? word + 3 : word, off ? "off" : "on", "");
	}
	free(copy);
}

static int add_setting(void *ctx, const char *name, const char *value)
{
	struct in_force *f = ctx;

	if (!strcmp(name, "sched.features"))
		add_features(f, value);
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (!strcmp(name, same[i].from) && is_number(value))
			add(f, same[i].to, value, same[i].unit);
	return 0;
}

static int find_mode(void *ctx, const char *name, const char *value)
{
	struct in_force *f = ctx;

	if (!strcmp(name, "kernel.numa_balancing") && is_number(value))
		f->numa_balancing = atoi(value) & 1;
	return 0;
}

static int find_moves(void *ctx, const char *name, int64_t events)
{
	struct in_force *f = ctx;

	if (!strcmp(name, "sched_move_numa") ||
	    !strcmp(name, "sched_swap_numa") ||
	    !strcmp(name, "sched_stick_numa"))
		f->had_faults |= events > 0;
	return 0;
}

static const char *policy_in_force(struct in_force *f, struct store *s,
				   struct err *err)
{
	f->numa_balancing = -1;
	if (store_each_knob(s, find_mode, f, err) ||
	    store_each_event_kind(s, find_moves, f, err))
		return NULL;
	return f->numa_balancing > 0 ||
		(f->numa_balancing < 0 && f->had_faults) ? "numab" : "fair";
}

/* 6.6 or later */
static bool is_eevdf(const char *kernel)
{
	int major = 0, minor = 0;

	sscanf(kernel, "%d.%d", &major, &minor);
	return major > 6 || (major == 6 && minor >= 6);
}

/* What was measured of stalls. */
struct measured {
	int64_t tick, touch, running, hint, move; /* ns, 0: cannot be told */
};

static int measure(struct store *s, const struct capture *c,
		   struct measured *m, struct err *err)
{
	struct store_events *it = NULL;
	struct stall st = { 0 };
	struct event ev;
	int r;

	*m = (struct measured){ 0 };
	if (stall_init(&st, c->nr_cpus, c->page_size, NS_PER_S / 250, err) ||
	    store_events_open(s, INT64_MIN, INT64_MAX, &it, err)) {
		stall_release(&st);
		return err->code;
	}
	while ((r = store_events_next(it, &ev, err)) > 0)
		stall_event(&st, &ev);
	store_events_close(it);
	m->tick = stall_tick(&st);
	m->touch = stall_touch(&st);
	m->running = stall_touch_running(&st);
	m->hint = stall_hint(&st);
	m->move = stall_move(&st);
	stall_release(&st);
	return r;
}

/* Measured once for a file. */
static int get_measured(struct store *s, const struct capture *c,
			struct measured *m, struct err *err)
{
	char *known = NULL, text[120];

	if (store_get_derived(s, KEY, &known, err))
		return err->code;
	if (known && sscanf(known, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
			    " %" SCNd64, &m->tick, &m->touch, &m->move,
			    &m->running, &m->hint) == 5) {
		free(known);
		return 0;
	}
	free(known);
	if (measure(s, c, m, err))
		return err->code;
	snprintf(text, sizeof(text), "%" PRId64 " %" PRId64 " %" PRId64
		 " %" PRId64 " %" PRId64, m->tick, m->touch, m->move,
		 m->running, m->hint);
	return store_put_derived(s, KEY, text, err);
}

static void add_ns(struct in_force *f, const char *name, int64_t ns)
{
	char text[40];

	snprintf(text, sizeof(text), "%" PRId64, ns);
	add(f, name, text, "ns");
}

static int add_measured(struct in_force *f, struct store *s,
			const struct capture *c, struct err *err)
{
	const int64_t nominal = NS_PER_S / 250;
	struct measured m;
	char text[40];

	if (!c->has_faults)
		return 0;
	if (get_measured(s, c, &m, err))
		return err->code;
	if (m.touch > 0) {
		int64_t fault = m.hint > 0 && m.move > 0 ? m.hint :
			m.touch / TOUCH_PER_FAULT;
		int64_t move = m.move > fault ? m.move :
			m.touch * MOVE_PER_TOUCH;

		add_ns(f, "fault_ns", fault);
		add_ns(f, "move_ns", move - fault);
		add_ns(f, "mark_ns", m.running / MARKS_PER_TOUCH);
	}
	if (m.tick <= nominal + nominal / 10 || is_given(f, "tick"))
		return 0;
	add_ns(f, "tick", m.tick);
	/* No tick is shorter than one of a CPU that does not stall. */
	snprintf(text, sizeof(text), "%.3f",
		 1 - (double)nominal / (double)m.tick);
	add(f, "tick_spread", text, "");
	return 0;
}

static int complete(struct in_force *f, struct store *s, struct err *err)
{
	struct capture c = { 0 };

	if (store_get_capture(s, &c, err))
		goto out;
	fputs(f->given, f->out);
	if (has_knob(f, "variant")) {
		if (*c.kernel)
			add(f, "variant", is_eevdf(c.kernel) ? "eevdf" : "cfs",
			    "");
		if (store_each_knob(s, add_setting, f, err))
			goto out;
		add_measured(f, s, &c, err);
	}
out:
	capture_release(&c);
	return err->code;
}

int in_force_spec(struct store *s, const char *policy, char **spec,
		  struct err *err)
{
	struct in_force f = { .given = policy };
	size_t len;

	*spec = NULL;
	if (!policy) {
		f.given = policy_in_force(&f, s, err);
		if (!f.given)
			return err->code;
	}
	if (policy_spec_pick(&f.base, f.given, NULL, err)) {
		policy_spec_release(&f.base);
		return err->code;
	}
	f.out = open_memstream(spec, &len);
	if (!f.out) {
		policy_spec_release(&f.base);
		return err_nomem(err);
	}
	complete(&f, s, err);
	policy_spec_release(&f.base);
	if (fclose(f.out) && !err->code)
		err_nomem(err);
	return err->code;
}

static int find_groups(void *ctx, const char *name, const char *value)
{
	bool *groups = ctx;

	*groups |= !strcmp(name, "kernel.sched_autogroup_enabled") &&
		is_number(value) && atoi(value);
	return 0;
}

bool in_force_groups(struct store *s, struct err *err)
{
	bool groups = false;

	return !store_each_knob(s, find_groups, &groups, err) && groups;
}

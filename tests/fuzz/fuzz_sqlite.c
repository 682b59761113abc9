/* SPDX-License-Identifier: MIT */
/* A database from a stranger: opened for reading, everything read. */
#include "tests/fuzz/fuzz.h"

#include "model/err.h"
#include "schema/store.h"

#include <stdio.h>
#include <stdlib.h>

static int on_pair(void *ctx, const char *name, const char *value)
{
	return 0;
}

static int on_count(void *ctx, const char *name, int64_t count)
{
	return 0;
}

static void read_events(struct store *s)
{
	struct err err = { 0 };
	struct store_events *it;
	struct event ev;

	if (store_events_open(s, INT64_MIN, INT64_MAX, &it, &err) < 0)
		return;
	for (int n = 0; n < 100000 && store_events_next(it, &ev, &err) > 0; n++)
		;
	store_events_close(it);
}

static void read_spans(struct store *s, int run)
{
	struct err err = { 0 };
	struct store_spans *it;
	struct span sp;

	if (store_spans_open(s, run, INT64_MIN, INT64_MAX, &it, &err) < 0)
		return;
	for (int n = 0; n < 100000 && store_spans_next(it, &sp, &err) > 0; n++)
		;
	store_spans_close(it);
}

static void read_placements(struct store *s)
{
	struct err err = { 0 };
	struct store_placements *it;
	struct placement p;

	if (store_placements_open(s, &it, &err) < 0)
		return;
	for (int n = 0; n < 100000 && store_placements_next(it, &p, &err) > 0;
	     n++)
		;
	store_placements_close(it);
}

static int on_mem(void *ctx, const struct mem_change *m, struct err *err)
{
	return 0;
}

static int on_access(void *ctx, const struct mem_access *a, struct err *err)
{
	return 0;
}

static int on_move(void *ctx, const struct move *m, struct err *err)
{
	return 0;
}

static int on_head(void *ctx, enum track_kind kind, int number,
		   const void *head, size_t len, struct err *err)
{
	return 0;
}

static void read_run(struct store *s, int run)
{
	struct store_tracks *tracks = NULL;
	struct err err[4] = { { 0 } };

	read_spans(s, run);
	store_each_mem(s, run, on_mem, NULL, &err[0]);
	store_each_access(s, run, on_access, NULL, &err[1]);
	store_each_move(s, run, on_move, NULL, &err[2]);
	if (store_tracks_open(s, run, &tracks, &err[3]) > 0)
		store_tracks_each_head(tracks, on_head, NULL, &err[3]);
	store_tracks_close(tracks);
}

static int on_chunk(void *ctx, int task, const uint8_t *bytes, size_t len,
		    struct err *err)
{
	struct demand_op op;
	size_t n;

	while (len && (n = demand_decode(bytes, len, &op))) {
		bytes += n;
		len -= n;
	}
	return 0;
}

static void read_demand(struct store *s)
{
	struct demand_task *tasks = NULL;
	struct err err[2] = { { 0 } };
	int nr = 0;

	store_get_demand_tasks(s, &tasks, &nr, &err[0]);
	store_each_chunk(s, on_chunk, NULL, &err[1]);
	free(tasks);
}

static void read_facts(struct store *s)
{
	struct capture c;
	struct topo topo = { 0 };
	struct tasks tasks = { 0 };
	struct areas areas = { 0 };
	struct loss *loss = NULL;
	struct latency *latency = NULL;
	struct err err[9] = { { 0 } };
	int nr;

	if (store_get_capture(s, &c, &err[0]) == 0)
		capture_release(&c);
	store_get_topo(s, &topo, &err[1]);
	store_get_tasks(s, &tasks, &err[2]);
	store_get_areas(s, &areas, &err[3]);
	if (store_get_loss(s, &loss, &nr, &err[4]) == 0)
		free(loss);
	store_each_knob(s, on_pair, NULL, &err[5]);
	store_each_repair(s, on_count, NULL, &err[6]);
	store_each_skipped(s, on_count, NULL, &err[7]);
	if (store_get_latencies(s, &latency, &nr, &err[8]) == 0)
		free(latency);
	topo_release(&topo);
	tasks_release(&tasks);
	areas_release(&areas);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err err = { 0 };
	struct run_info *runs;
	struct store *s = NULL;
	char path[100];
	int nr;

	fuzz_put("x.homenode", data, len);
	snprintf(path, sizeof(path), "%s/x.homenode", fuzz_folder());
	if (store_open(&s, path, STORE_READ, &err) < 0)
		return 0;
	read_facts(s);
	read_events(s);
	read_placements(s);
	read_demand(s);
	if (store_get_runs(s, &runs, &nr, &err) == 0) {
		for (int i = 0; i < nr; i++) {
			read_run(s, runs[i].id);
			run_info_release(&runs[i]);
		}
		free(runs);
	}
	store_close(s);
	return 0;
}

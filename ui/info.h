/* SPDX-License-Identifier: MIT */
/*
 * info: what `homenode info` tells of a file, loaded once, and its three
 * forms: for people, as CSV (section, name, value) and as JSON (the keys of
 * DESIGN section 10, and skipped, window_start_ns, window_end_ns, source,
 * tool, command, page_size, topology_known).
 */
#ifndef UI_INFO_H
#define UI_INFO_H

#include "schema/store.h"

#include <stdio.h>

struct err;

/* One name of a list: an event and its count, a setting and its value. */
struct info_item {
	char *name;
	char *value;	/* NULL: a count */
	int64_t count;
};

struct info_list {
	struct info_item *item;
	int nr, size;
};

struct info {
	const char *path;
	int64_t bytes;		/* of the file */
	struct capture capture;
	struct topo topo;
	int64_t events, placement_samples;
	int tasks, processes;
	struct info_list by_kind, knobs, repairs, skipped;
	struct loss *loss;
	int nr_loss;
	int64_t lost;		/* events known to be lost */
	struct run_info *runs;
	int nr_runs;
};

/* path is kept, not copied. */
int info_load(struct info *in, struct store *s, const char *path,
	      struct err *err);
void info_release(struct info *in);

/* 0, ERR_NOMEM or ERR_IO, err set. */
int info_text(const struct info *in, FILE *out, struct err *err);
int info_csv(const struct info *in, FILE *out, struct err *err);
void info_json(const struct info *in, FILE *out);

#endif

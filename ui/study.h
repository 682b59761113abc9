/* SPDX-License-Identifier: MIT */
/*
 * study: an open file as pictures and the terminal program see it: the machine,
 * who ran, and the runs, each loaded into memory when it is first looked at.
 *
 * study_open() opens the file (and makes run 0 if it is missing; ERR_NOTFOUND if
 * there is no run to be seen); study_load() reads one run.  A run can also be
 * loaded in slices with study_step(), so that a program stays responsive: what is
 * loaded so far can be drawn.
 * Everything in it may also be put together by hand (tests do).
 */
#ifndef UI_STUDY_H
#define UI_STUDY_H

#include "model/cost.h"
#include "model/pages.h"
#include "model/residency.h"
#include "model/tracks.h"
#include "schema/store.h"

struct bar;
struct study_loader;

/* Where what a run is drawn from is kept once it is made. */
enum study_keep { KEEP_FILE, KEEP_TEMP, KEEP_MEMORY };

struct study_run {
	struct run_info *info;	/* into study.runs */
	struct topo *machine;	/* that it ran on; NULL: the recorded one */
	char *title;		/* "recorded", "o1,seed=3": names the run */
	char *caption;		/* settings: of the replay, or the kernel's */
	struct residency *residency;
	struct pages *pages;
	struct tracks *tracks;	/* NULL: nothing loaded yet */
	struct store_tracks *drawing;	/* what they lie in; NULL: memory */
	enum study_keep keep;	/* the next place to try */
	bool loaded;		/* completely */
	int ahead;		/* task to read of drawing next; -1: none is left */
	struct study_loader *loader;	/* while it is being loaded */
};

struct study {
	struct store *store;
	struct capture capture;
	struct topo topo;
	struct tasks tasks;
	struct areas areas;
	struct cost cost;
	struct loss *loss;
	int nr_loss;
	int *leader;		/* by task id: task id of its process's leader */
	struct run_info *runs;
	int nr_runs;
	struct study_run *run;	/* [nr_runs] */
};

/* bar: shows progress; may be NULL. */
int study_open(struct study *s, const char *path, struct bar *bar,
	       struct err *err);
void study_release(struct study *s);

/* Loads run[i] if it is not yet. */
int study_load(struct study *s, int i, struct bar *bar, struct err *err);
/* A slice of it: 1 while there is more, 0 when loaded.  To look at what is there
 * in between, call tracks_seal() first. */
int study_step(struct study *s, int i, double *done, struct err *err);

/* A slice of reading what a loaded run is redrawn from, so that the first redraw
 * of many tasks need not wait for it: 1 while there is more. */
int study_read_ahead(const struct study *s, int i, struct err *err);

/* Forgets what is loaded of a run: after it could not be read. */
void study_unload(struct study *s, int i);

/* Looks what runs the file has now: 1 if others than before (indices may have
 * changed; what was loaded of a run that is still there is kept), else 0. */
int study_again(struct study *s, struct err *err);

/* The machine that a run ran on (loaded), and whether two ran on the same: only
 * then have their rows of CPUs and colours of nodes the same meaning. */
const struct topo *study_topo(const struct study *s, int i);
bool study_same_machine(const struct study *s, int a, int b);

/* Around reading rows of grids: many nodes are read under one lock of the file.
 * Not for longer than a picture takes: others wait with what they write.
 * study_look_end() says what could not be read. */
void study_look(const struct study *s);
int study_look_end(const struct study *s, const int *run, int nr_runs,
		   struct err *err);

/* Fills leader[] from tasks; part of study_open(). */
int study_leaders(struct study *s, struct err *err);

/* When the task exists in a run: [*from, *to), also before its first and
 * after its last span.  False: it never ran in this run. */
bool study_alive(const struct study *s, int i, int task, int64_t *from,
		 int64_t *to);

/* "comm 123" with the comm's bytes made safe. */
char *study_task_name(const struct study *s, int task, char *buf, int size);

#endif

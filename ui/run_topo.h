/* SPDX-License-Identifier: MIT */
/*
 * run_topo: the machine that a run ran on: the recorded one, or the one that a
 * replay was given with --topology.
 */
#ifndef UI_RUN_TOPO_H
#define UI_RUN_TOPO_H

#include "model/topo.h"

struct run_info;
struct store;

/* Release *t also after an error. */
int run_topo(struct store *s, const struct run_info *r, struct topo *t,
	     struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * cost_spec: the cost model that a --cost asks for, of a file: cost_parse()'s
 * list, in which "calibrated" (what homenode calibrate stored in this file) and
 * "calibrated:FILE" (in that one) may come first.
 */
#ifndef UI_COST_SPEC_H
#define UI_COST_SPEC_H

#include "model/cost.h"

#include <stdbool.h>

struct store;
struct topo;

/* Sets c up for the topology.  spec NULL: the defaults.  *missing (may be NULL)
 * gets how many pairs of nodes were not measured; 0 without "calibrated". */
int cost_spec(struct cost *c, const struct topo *t, struct store *s,
	      const char *spec, int *missing, struct err *err);

/* True if memory on other nodes costs what their SLIT distances make of it:
 * there are others, and the spec says nothing of them. */
bool cost_spec_by_distance(const struct topo *t, const char *spec);

#endif

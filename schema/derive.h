/* SPDX-License-Identifier: MIT */
/*
 * derive: run 0 and the demand, made from what was recorded.
 *
 * Reads events and samples through the store, drives the timeline, the page
 * rebuild and the demand builder of model/, and writes spans, memory over
 * time, access weights and programs back.  Idempotent: does nothing when the
 * file holds them already, made by this version with this cost model.  A file
 * that was opened with STORE_READ is derived into a private temporary database
 * that shadows the missing tables.
 *
 * A file of generated demand (store_is_generated()) has all it needs: nothing is
 * done.
 */
#ifndef SCHEMA_DERIVE_H
#define SCHEMA_DERIVE_H

#include "schema/store.h"

struct cost;

/* Called now and then with 0..1; non-zero return stops (ERR_STOPPED). */
typedef int (*derive_progress)(void *ctx, double done);

/* Makes run 0 if it is missing. */
int derive_run0(struct store *s, derive_progress fn, void *ctx, struct err *err);

/* Makes run 0 and the demand for this cost model if they are missing. */
int derive_demand(struct store *s, const struct cost *cost,
		  derive_progress fn, void *ctx, struct err *err);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * reproduce_numa_test: shows numa_test's tables: as text (reproduce_numa_test.c)
 * and for programs (reproduce_json.c).
 */
#ifndef UI_REPRODUCE_NUMA_TEST_H
#define UI_REPRODUCE_NUMA_TEST_H

#include "replay/reproduce.h"
#include "ui/json.h"

struct err;

int reproduce_numa_test_print(const struct repro *r, int seeds,
			      struct err *err);

/* Its objects in the array `cells`, its errors as members of `mean_error`, and
 * the member `yardsticks`. */
void reproduce_numa_test_cells(struct json *j, const struct repro *r);
void reproduce_numa_test_errors(struct json *j, const struct repro *r);
void reproduce_numa_test_yards(struct json *j, const struct repro *r);

#endif

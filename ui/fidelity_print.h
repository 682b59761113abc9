/* SPDX-License-Identifier: MIT */
/*
 * fidelity_print: metrics of recorded runs beside those of simulated ones, on
 * stdout.  All arguments are [FIDELITY_NR].
 */
#ifndef UI_FIDELITY_PRINT_H
#define UI_FIDELITY_PRINT_H

#include "replay/fidelity.h"

struct err;

/* A table, and by what it is judged. */
int fidelity_print(const struct stats *real, const struct stats *sim,
		   struct err *err);
int fidelity_print_csv(const struct stats *real, const struct stats *sim,
		       struct err *err);
void fidelity_print_json(const struct stats *real, const struct stats *sim);

#endif

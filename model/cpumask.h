/* SPDX-License-Identifier: MIT */
/*
 * cpumask: a set of CPU (or node) numbers of any size.
 *
 * An empty mask (all zero) needs no init and no memory; cpumask_release()
 * gives back what cpumask_set() allocated.  Text is the kernel's list format
 * ("0-3,8,10-11"), the empty string for the empty set.
 */
#ifndef MODEL_CPUMASK_H
#define MODEL_CPUMASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Numbers at or above this are refused: no kernel has so many CPUs. */
#define CPUMASK_MAX 65536

struct cpumask {
	uint64_t *word;
	int nr_words;
};

void cpumask_release(struct cpumask *m);
int cpumask_set(struct cpumask *m, int cpu);	/* 0, ERR_NOMEM, ERR_USAGE */
void cpumask_clear(struct cpumask *m, int cpu);
bool cpumask_test(const struct cpumask *m, int cpu);
bool cpumask_empty(const struct cpumask *m);
int cpumask_count(const struct cpumask *m);
int cpumask_next(const struct cpumask *m, int after);	/* -1: no more; start with -1 */
int cpumask_copy(struct cpumask *to, const struct cpumask *from);
bool cpumask_equal(const struct cpumask *a, const struct cpumask *b);

/* Reads the list format; ERR_FORMAT names the place in the text. */
int cpumask_parse(struct cpumask *m, const char *list, struct err *err);

/* Writes the list format like snprintf(); returns the length it needs. */
int cpumask_print(const struct cpumask *m, char *buf, size_t size);

#endif

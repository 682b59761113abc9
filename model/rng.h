/* SPDX-License-Identifier: MIT */
/*
 * rng: homenode's own generator, so that one seed gives the same on any machine
 * and with any C library.
 *
 * SplitMix64: the state grows by the odd constant 0x9e3779b97f4a7c15 (2^64
 * over the golden ratio) and each state is mixed by two rounds of xor-shift
 * and multiply.  Source: Steele, Lea, Flood: "Fast splittable pseudorandom
 * number generators", OOPSLA 2014.
 */
#ifndef MODEL_RNG_H
#define MODEL_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

#define RNG_STEP 0x9e3779b97f4a7c15u

/* The mixing of SplitMix64, for hashes too: every bit of x changes about half of
 * those of the result, and no two x have the same. */
uint64_t rng_mix(uint64_t x);

void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);

/* Evenly in 0..n-1, without the bias of a plain remainder; 0 for n = 0. */
uint64_t rng_below(struct rng *r, uint64_t n);

#endif

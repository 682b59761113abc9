/* SPDX-License-Identifier: MIT */
#include "model/rng.h"

void rng_seed(struct rng *r, uint64_t seed)
{
	r->state = seed;
}

uint64_t rng_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint64_t rng_next(struct rng *r)
{
	r->state += RNG_STEP;
	return rng_mix(r->state);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	uint64_t x, reject;

	if (!n)
		return 0;
	/* The lowest 2^64 mod n values would be drawn once too often. */
	reject = -n % n;
	do {
		x = rng_next(r);
	} while (x < reject);
	return x % n;
}

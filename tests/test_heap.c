/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/err.h"
#include "model/rng.h"
#include "replay/heap.h"
#include "replay/token_local.h"

static void test_order(void **state)
{
	struct err err = { 0 };
	struct heap h;
	int64_t at;

	/* By time; then by rank; then in the order of setting. */
	static const int expected[] = { 3, 1, 4, 0, 2 };

	assert_int_equal(heap_init(&h, 5, &err), 0);
	assert_int_equal(heap_peek(&h, &at), -1);
	heap_set(&h, 0, 20, 1);
	heap_set(&h, 1, 20, 0);
	heap_set(&h, 2, 30, 0);
	heap_set(&h, 3, 10, 3);
	heap_set(&h, 4, 20, 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(heap_pop(&h, &at), expected[i]);
	assert_int_equal(at, 30);
	assert_int_equal(heap_pop(&h, &at), -1);
	heap_release(&h);
}

/* A slot that is set again counts as new: it comes after its equals. */
static void test_set_again(void **state)
{
	struct err err = { 0 };
	struct heap h;
	int64_t at;

	assert_int_equal(heap_init(&h, 3, &err), 0);
	heap_set(&h, 0, 5, 0);
	heap_set(&h, 1, 5, 0);
	heap_set(&h, 2, 5, 0);
	heap_set(&h, 0, 5, 0);
	heap_clear(&h, 1);
	heap_clear(&h, 1);
	assert_false(heap_is_set(&h, 1));
	assert_int_equal(heap_pop(&h, &at), 2);
	assert_int_equal(heap_pop(&h, &at), 0);
	assert_int_equal(h.nr, 0);
	heap_release(&h);
}

struct model {
	int64_t at;
	unsigned int rank;
	uint64_t order;		/* 0: not set */
};

static int model_next(const struct model *m, int nr)
{
	int best = -1;

	for (int i = 0; i < nr; i++) {
		const struct model *a = &m[i], *b = &m[best];

		if (!a->order)
			continue;
		if (best < 0 || a->at < b->at ||
		    (a->at == b->at && (a->rank < b->rank ||
		     (a->rank == b->rank && a->order < b->order))))
			best = i;
	}
	return best;
}

/* Against a search through all slots, over random sets, clears and pops. */
static void test_random(void **state)
{
	enum { SLOTS = 50, STEPS = 20000 };
	struct model model[SLOTS] = { 0 };
	struct err err = { 0 };
	struct rng rng;
	struct heap h;

	rng_seed(&rng, 7);
	assert_int_equal(heap_init(&h, SLOTS, &err), 0);
	for (uint64_t i = 1; i <= STEPS; i++) {
		int slot = (int)rng_below(&rng, SLOTS);
		uint64_t what = rng_below(&rng, 4);
		int64_t at = (int64_t)rng_below(&rng, 40), got;

		if (what < 2) {
			model[slot] = (struct model){
				at, (unsigned int)rng_below(&rng, HEAP_RANKS), i };
			heap_set(&h, slot, at, model[slot].rank);
		} else if (what == 2) {
			model[slot].order = 0;
			heap_clear(&h, slot);
		} else {
			slot = model_next(model, SLOTS);
			assert_int_equal(heap_pop(&h, &got), slot);
			if (slot >= 0) {
				assert_int_equal(got, model[slot].at);
				model[slot].order = 0;
			}
		}
	}
	heap_release(&h);
}

/* First outputs of SplitMix64 for seed 1234567, as published with its
 * reference implementation. */
static void test_rng(void **state)
{
	static const uint64_t expected[] = {
		6457827717110365317u, 3203168211198807973u,
		9817491932198370423u, 4593380528125082431u,
		16408922859458223821u,
	};
	struct rng r;

	rng_seed(&r, 1234567);
	for (int i = 0; i < 5; i++)
		assert_true(rng_next(&r) == expected[i]);
	for (int i = 0; i < 1000; i++)
		assert_true(rng_below(&r, 3) < 3);
	assert_int_equal(rng_below(&r, 0), 0);
	assert_int_equal(rng_below(&r, 1), 0);
}

/* Against a table of all pairs. */
static void test_tokens(void **state)
{
	enum { TASKS = 40, STEPS = 30000 };
	static int model[TASKS][TASKS];
	struct tokens t = { 0 };
	struct err err = { 0 };
	struct rng rng;

	rng_seed(&rng, 3);
	assert_false(tokens_take(&t, 1, 2));
	for (int i = 0; i < STEPS; i++) {
		int from = (int)rng_below(&rng, TASKS);
		int to = (int)rng_below(&rng, TASKS);

		if (rng_below(&rng, 2)) {
			assert_int_equal(tokens_put(&t, from, to, &err), 0);
			model[from][to]++;
		} else {
			assert_int_equal(tokens_take(&t, from, to),
					 model[from][to] > 0);
			model[from][to] -= model[from][to] > 0;
		}
	}
	tokens_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_set_again),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_rng),
		cmocka_unit_test(test_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

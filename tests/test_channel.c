/* SPDX-License-Identifier: MIT */
/*
 * Messages through sockets and pipes (OPEN, SEND, RECV of demand.h).  The
 * policy is stay, the queue first in first out, all CPUs tick together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/err.h"
#include "replay/channel_local.h"
#include "tests/support/replay_run.h"

/* Wake-ups count births too. */
static char text[4000];

static struct replay_run fifo(const char *machine)
{
	return (struct replay_run){
		.machine = machine,
		.policy = "stay",
		.discipline = "queue_fifo",
	};
}

static void expect(struct replay_run *r, const char *demand, const char *spans,
		   int64_t wakeups)
{
	if (replay_run(r, demand))
		fail_msg("%s", r->error);
	assert_string_equal(replay_spans(r, text, sizeof(text)), spans);
	assert_int_equal(replay_count(r, "wakeups"), wakeups);
	replay_run_release(r);
}

/*
 * Room for 2, a full sender is woken when 0 are left.  a puts messages in at 1,
 * 2 and 3 ms, when b has taken one (2.5 ms); at 4 ms it is full.  b takes the
 * second at 5.5 (one is left: a sleeps on), the third at 8.5: a is woken, puts
 * its last one in and is through (a span of no length); b takes that at 11.5.
 */
static void test_full_and_low(void **state)
{
	struct replay_run r = fifo("1x2");

	expect(&r,
	       "task a cpu=0: open 7 2 0 1; 4*(run 1ms; send 7); exit\n"
	       "task b cpu=1: run 2500us; 4*(recv 7; run 3ms); exit\n",
	       "a 0 0-4000000; b 1 0-14500000", 3);
}

/* Both receivers sleep; a message wakes the one that slept first. */
static void test_first_receiver(void **state)
{
	struct replay_run r = fifo("1x3");

	expect(&r,
	       "task a cpu=0: open 1 9 0 1; run 2ms; send 1; run 1ms; exit\n"
	       "task b cpu=1: run 1ms; recv 1; run 1ms; exit\n"
	       "task c cpu=2: run 500us; recv 1; run 2ms; exit\n",
	       "c 2 0-500000; b 1 0-1000000; a 0 0-3000000; c 2 2000000-4000000",
	       4);
}

/*
 * Room for 1.  b and c find it full at 1 and 2 ms.  a takes the message at 3 ms:
 * a socket wakes both; b is faster and fills it again, c tries at once after it
 * and sleeps again (no time: no span) until a takes b's message at 4 ms.  a takes c's at 5 ms.
 * d puts the first one in at 0.
 */
#define SENDERS \
	"task d cpu=3: send 0; exit\n" \
	"task b cpu=1: run 1ms; send 0; run 10ms; exit\n" \
	"task c cpu=2: run 2ms; send 0; run 10ms; exit\n"

static void test_wakes_all(void **state)
{
	struct replay_run r = fifo("1x4");

	expect(&r,
	       "task a cpu=0: open 0 1 0 1; run 3ms; 3*(recv 0; run 1ms); exit\n"
	       SENDERS,
	       "b 1 0-1000000; c 2 0-2000000; a 0 0-6000000; b 1 3000000-13000000; c 2 4000000-14000000", 7);
}

/* A pipe wakes b alone at 3 ms; c sleeps through to 4 ms. */
static void test_wakes_first(void **state)
{
	struct replay_run r = fifo("1x4");

	expect(&r,
	       "task a cpu=0: open 0 1 0 0; run 3ms; 3*(recv 0; run 1ms); exit\n"
	       SENDERS,
	       "b 1 0-1000000; c 2 0-2000000; a 0 0-6000000; b 1 3000000-13000000; c 2 4000000-14000000", 6);
}

/*
 * Messages from another CPU cost b 0.5 ms each: two of them lie there when it
 * comes (1 ms), so its first RUN takes 2 ms and its second 1 ms more.  c is on
 * a's CPU and pays nothing.
 */
static void test_transfer(void **state)
{
	struct replay_run r = fifo("1x2");

	r.cost = "flat,transfer=500000";
	expect(&r,
	       "task a cpu=0: open 0 9 0 1; open 1 9 0 1; send 0; send 0; send 0; "
	       "send 1; exit\n"
	       "task b cpu=1: run 1ms; recv 0; recv 0; run 1ms; recv 0; run 1ms; "
	       "exit\n"
	       "task c cpu=0: run 1ms; recv 1; run 1ms; exit\n",
	       "c 0 0-2000000; b 1 0-4500000", 3);
}

/* Same node, other node: by the level that the two CPUs share. */
static void test_transfer_levels(void **state)
{
	struct replay_run r = fifo("2x2");

	r.cost = "flat,transfer:node=100000,transfer:system=700000";
	expect(&r,
	       "task a cpu=0: open 0 9 0 1; send 0; open 1 9 0 1; send 1; exit\n"
	       "task b cpu=1: run 1ms; recv 0; run 1ms; exit\n"
	       "task c cpu=2: run 1ms; recv 1; run 1ms; exit\n",
	       "b 1 0-2100000; c 2 0-2700000", 3);
}

/*
 * Who takes the channel over from another CPU pays, sender and receiver: a opens
 * and uses it for nothing; b, on the other CPU, receives at 1 ms (+ 0.5), and
 * again, which is free; a sends again at 3 ms, which makes its RUN 1.5 ms.
 */
static void test_handover(void **state)
{
	struct replay_run r = fifo("1x2");

	r.cost = "flat,handover=500000";
	expect(&r,
	       "task a cpu=0: open 0 9 0 1; send 0; send 0; run 3ms; send 0; "
	       "run 1ms; exit\n"
	       "task b cpu=1: run 1ms; recv 0; recv 0; run 1ms; exit\n",
	       "b 1 0-2500000; a 0 0-4500000", 2);
}

/*
 * b sleeps from 1 ms on; a sends at 2 ms, and o1 leaves b where it ran last,
 * unless the pipe wakes synchronously (2): then b comes to a's CPU.  It has no
 * better priority, so it waits until a is through at 3 ms; CPU 1 cannot steal it,
 * it is hot for 10 ticks.
 */
static void test_sync(void **state)
{
	struct replay_run plain = { .machine = "1x2", .policy = "o1" };
	struct replay_run sync = plain;

	expect(&plain,
	       "task a cpu=0: open 0 9 0 0; run 2ms; send 0; run 1ms; exit\n"
	       "task b cpu=1: run 1ms; recv 0; run 1ms; exit\n",
	       "b 1 0-1000000; a 0 0-3000000; b 1 2000000-3000000", 3);
	expect(&sync,
	       "task a cpu=0: open 0 9 0 2; run 2ms; send 0; run 1ms; exit\n"
	       "task b cpu=1: run 1ms; recv 0; run 1ms; exit\n",
	       "b 1 0-1000000; a 0 0-3000000; b 0 3000000-4000000", 3);
}

static void expect_refused(const char *demand, const char *why)
{
	struct replay_run r = fifo("1x1");

	if (replay_run(&r, demand) != ERR_FORMAT)
		fail_msg("%s", r.error);
	assert_non_null(strstr(r.error, why));
	replay_run_release(&r);
}

static void test_nonsense(void **state)
{
	expect_refused("task a cpu=0: run 1ms; send 3; exit\n", "not opened");
	expect_refused("task a cpu=0: run 1ms; recv 3; exit\n", "not opened");
	expect_refused("task a cpu=0: open 3 2 0 1; open 3 2 0 1; exit\n",
		       "that exists");
	expect_refused("task a cpu=0: open 3 0 0 1; exit\n", "cannot be");
	expect_refused("task a cpu=0: open 3 2 2 1; exit\n", "cannot be");
	expect_refused("task a cpu=0: open 3 2 0 4; exit\n", "cannot be");
	expect_refused("task a cpu=0: open 3 99999999 0 1; exit\n", "cannot be");
}

/* Many channels with any numbers, and rings that grow while they are used. */
static void test_table(void **state)
{
	struct channels c = { 0 };
	struct err err = { 0 };

	assert_null(channels_find(&c, 5));
	for (int i = 0; i < 1000; i++) {
		struct channel like = { .id = i * 4096, .size = 100 };

		assert_int_equal(channels_open(&c, &like, &err), 0);
	}
	for (int i = 0; i < 1000; i++) {
		struct channel *ch = channels_find(&c, i * 4096);

		assert_non_null(ch);
		for (int m = 0; m < 5; m++)
			assert_int_equal(channel_put(ch, m, &err), 0);
		for (int m = 0; m < 3; m++)
			assert_int_equal(channel_take(ch), m);
		for (int m = 5; m < 40; m++)
			assert_int_equal(channel_put(ch, m, &err), 0);
		for (int m = 3; m < 40; m++)
			assert_int_equal(channel_take(ch), m);
		assert_int_equal(ch->nr, 0);
	}
	assert_null(channels_find(&c, 5));
	channels_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_and_low),
		cmocka_unit_test(test_first_receiver),
		cmocka_unit_test(test_wakes_all),
		cmocka_unit_test(test_wakes_first),
		cmocka_unit_test(test_transfer),
		cmocka_unit_test(test_transfer_levels),
		cmocka_unit_test(test_handover),
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

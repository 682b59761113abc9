/* SPDX-License-Identifier: MIT */
/* task_newtask tells what a fork made: a process or a thread. */
#include "collect/decoder.h"

#include "model/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;" \
	"\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FORK_ID 20
#define NEWTASK_ID 21

static const char fork_format[] =
	"name: sched_process_fork\nID: 20\nformat:\n" COMMON
	"\tfield:pid_t parent_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t child_pid;\toffset:12;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->child_pid\n";
/* Of Linux 6.1; later ones have a u64. */
static const char newtask_format[] =
	"name: task_newtask\nID: 21\nformat:\n" COMMON
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	"\tfield:unsigned long clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->pid\n";

struct world {
	struct decoder *d;
	struct err err;
};

static int setup(void **state)
{
	static struct world w;

	w = (struct world){ .d = NULL };
	assert_int_equal(decoder_new(&w.d, false, &w.err), 0);
	assert_int_equal(decoder_add_format(w.d, "sched", fork_format,
					    strlen(fork_format), &w.err), 0);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	decoder_free(w->d);
	return 0;
}

static void add_newtask(struct world *w, const char *system)
{
	assert_int_equal(decoder_add_format(w->d, system, newtask_format,
					    strlen(newtask_format), &w->err), 0);
}

static void put(uint8_t *to, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

static int newtask(struct world *w, int cpu, int tid, uint64_t flags, size_t len)
{
	uint8_t bytes[40] = { NEWTASK_ID };
	struct record r;

	put(bytes + 8, (uint64_t)tid, 4);
	put(bytes + 32, flags, 8);
	return decoder_decode(w->d, cpu, 5, bytes, len, &r, &w->err);
}

static int fork_of(struct world *w, int tid)
{
	uint8_t bytes[16] = { FORK_ID };
	struct record r;

	put(bytes + 8, 100, 4);
	put(bytes + 12, (uint64_t)tid, 4);
	assert_int_equal(decoder_decode(w->d, 0, 6, bytes, 16, &r, &w->err), 1);
	assert_int_equal(r.event.fork.child_tid, tid);
	return r.fork;
}

/* 0x3d0f00 is what pthread_create() gives, 0x1200011 what fork() does. */
static void a_fork_is_a_process_or_a_thread(void **state)
{
	struct world *w = *state;

	add_newtask(w, "task");
	assert_int_equal(newtask(w, 0, 11, 0x3d0f00, 40), 0);
	assert_int_equal(newtask(w, 3, 12, 0x1200011, 40), 0);
	assert_int_equal(fork_of(w, 11), FORK_THREAD);
	assert_int_equal(fork_of(w, 12), FORK_PROCESS);
	assert_int_equal(fork_of(w, 13), FORK_UNKNOWN);
	assert_int_equal(decoder_clones(w->d, 0), 1);
	assert_int_equal(decoder_clones(w->d, 1), 0);
	assert_int_equal(decoder_clones(w->d, 3), 1);
	assert_int_equal(decoder_clones(w->d, 99), 0);
}

static int count(void *ctx, const char *name, int64_t n, struct err *err)
{
	*(int64_t *)ctx += n;
	return 0;
}

static void it_is_not_an_event_that_is_left_out(void **state)
{
	struct world *w = *state;
	int64_t skipped = 0;

	add_newtask(w, "task");
	newtask(w, 0, 11, 0, 40);
	decoder_each_skipped(w->d, count, &skipped, &w->err);
	assert_int_equal(skipped, 0);
}

/* The latest counts; one of long ago is forgotten, not mistaken. */
static void a_tid_may_come_again(void **state)
{
	struct world *w = *state;

	add_newtask(w, "task");
	newtask(w, 0, 11, 0x10000, 40);
	newtask(w, 0, 11, 0, 40);
	assert_int_equal(fork_of(w, 11), FORK_PROCESS);
	for (int i = 0; i < 1000; i++)
		newtask(w, 0, 1000 + i, 0, 40);
	assert_int_equal(fork_of(w, 11), FORK_UNKNOWN);
	assert_int_equal(fork_of(w, 1999), FORK_PROCESS);
}

static void without_the_event_nothing_is_known(void **state)
{
	struct world *w = *state;

	assert_int_equal(fork_of(w, 11), FORK_UNKNOWN);
	/* Somebody else's event of that name. */
	add_newtask(w, "mine");
	newtask(w, 0, 11, 0, 40);
	assert_int_equal(fork_of(w, 11), FORK_UNKNOWN);
}

static void a_short_record_is_damage(void **state)
{
	struct world *w = *state;

	add_newtask(w, "task");
	assert_int_equal(newtask(w, 0, 11, 0, 39), ERR_FORMAT);
	assert_non_null(strstr(w->err.text, "task_newtask"));
}

#define WORLD_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_fork_is_a_process_or_a_thread),
		WORLD_TEST(it_is_not_an_event_that_is_left_out),
		WORLD_TEST(a_tid_may_come_again),
		WORLD_TEST(without_the_event_nothing_is_known),
		WORLD_TEST(a_short_record_is_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

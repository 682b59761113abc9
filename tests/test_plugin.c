/* SPDX-License-Identifier: MIT */
/* What is refused of a plug-in's table, and what of its decisions.  The objects
 * are built from tests/plugin/. */
#include "replay/plugin.h"

#include "replay/policy_spec.h"
#include "tests/support/replay_run.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LEN(x) (sizeof(x) / sizeof((x)[0]))

static void do_nothing(void *state, const struct view *v, int cpu,
		       struct decisions *d)
{
}

/* A table in which nothing is wrong; tests spoil a copy. */
struct table {
	struct policy_plugin head;
	struct policy_ops ops;
	struct knob knob[4];
};

static void fill(struct table *t)
{
	*t = (struct table){
		.head = { POLICY_PLUGIN_BUILD },
		.ops = { .name = "mine", .title = "a title", .about = "text\n",
			 .discipline = "queue_o1", .tick = do_nothing },
		.knob = {
			{ .name = "far", .type = KNOB_INT, .deflt = "3",
			  .min = 1, .max = 9, .unit = "tasks", .help = "h" },
			{ .name = "how", .type = KNOB_TEXT, .deflt = "b",
			  .choices = "a|b", .help = "h" },
			{ .name = "file", .type = KNOB_TEXT, .deflt = "",
			  .help = "h" },
		},
	};
	t->head.ops = &t->ops;
	t->ops.knobs = t->knob;
}

static void expect(const struct table *t, size_t size, const char *words)
{
	struct err err = { 0 };
	int r = plugin_check(&t->head, size, &err);

	if (words ? r != ERR_FORMAT || !strstr(err.text, words) : r)
		fail_msg("'%s' wanted, not %d: %s", words ? words : "good", r,
			 err.text);
	assert_int_equal(r, err.code);
}

#define REFUSED(words, ...)                                                    \
	do {                                                                   \
		struct table t;                                                \
		fill(&t);                                                      \
		__VA_ARGS__;                                                   \
		expect(&t, sizeof(t.head), words);                             \
	} while (0)

static void test_head(void **state)
{
	struct table cut;

	REFUSED(NULL, (void)t);
	REFUSED(NULL, t.ops.knobs = NULL);
	REFUSED("built for version 1 of the policy ABI, this", t.head.abi = 1);
	REFUSED("build it anew with these headers", t.head.abi = POLICY_ABI + 1);
	REFUSED("policy_ops and knob", t.head.ops_size--);
	REFUSED("policy_ops and knob", t.head.knob_size += 8);
	REFUSED("no policy", t.head.ops = NULL);
	/* The version comes first: only then is it known what to expect. */
	fill(&cut);
	expect(&cut, sizeof(cut.head) - 1, "has 23 bytes, not 24");
	expect(&cut, 0, "has 0 bytes");
	cut.head.abi = 1;
	expect(&cut, sizeof(int), "version 1");
}

static void test_policy(void **state)
{
	char longest[8002];

	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	REFUSED("policy's name", t.ops.name = NULL);
	REFUSED("policy's name", t.ops.name = "");
	REFUSED("policy's name", t.ops.name = "a,b");
	REFUSED("policy's name", t.ops.name = "a\nb");
	REFUSED("policy's name", t.ops.name = "-p");
	REFUSED("policy's name", t.ops.name = longest);
	REFUSED("calls itself 'o1'", t.ops.name = "o1");
	REFUSED("no title", t.ops.title = NULL);
	REFUSED("no title", t.ops.title = "");
	REFUSED("no title", t.ops.title = "a\nb");
	REFUSED("no title", t.ops.title = "a\033[2J");
	REFUSED("nothing about itself", t.ops.about = NULL);
	REFUSED("nothing about itself", t.ops.about = longest);
	longest[8000] = '\0';
	REFUSED(NULL, t.ops.about = longest);
	REFUSED("no flags", t.ops.flags = POLICY_F_FOLLOW);
	REFUSED("no flags", t.ops.flags = 2);
	REFUSED("no queue discipline", t.ops.discipline = NULL);
	REFUSED("no queue discipline", t.ops.discipline = "queue_x");
	REFUSED("no queue discipline", t.ops.discipline = "\n");
	REFUSED("no callback", t.ops.tick = NULL);
}

static void test_knobs(void **state)
{
	struct knob many[PLUGIN_MAX_KNOBS + 2];

	REFUSED("name of knob 2", t.knob[1].name = "");
	REFUSED("name of knob 1", t.knob[0].name = "a=b");
	REFUSED("'how': the name is taken", t.knob[2].name = "how");
	REFUSED("'seed': the name is taken", t.knob[2].name = "seed");
	REFUSED("'plugin': the name is taken", t.knob[0].name = "plugin");
	REFUSED("'far' has no known type", t.knob[0].type = KNOB_TEXT + 1);
	REFUSED("'far' has no known type", t.knob[0].type = (enum knob_type)-1);
	REFUSED("'far' has no help", t.knob[0].help = NULL);
	REFUSED("'far' has no help", t.knob[0].unit = "");
	REFUSED("least value is above", t.knob[0].min = 10);
	REFUSED("'far' has no default", t.knob[0].deflt = NULL);
	REFUSED("default of: knob 'far': '10'", t.knob[0].deflt = "10");
	REFUSED("default of: knob 'far': '0'", t.knob[0].deflt = "0");
	REFUSED("default of: knob 'far': ''", t.knob[0].deflt = "");
	REFUSED("default of: knob 'far'",
		t.knob[0].deflt = "99999999999999999999");
	REFUSED("default of: knob 'how': 'c'", t.knob[1].deflt = "c");
	REFUSED("choices are words", t.knob[1].choices = "");
	REFUSED("choices are words", t.knob[1].choices = "|b");
	REFUSED("choices are words", t.knob[1].choices = "a||b");
	REFUSED("choices are words", t.knob[1].choices = "b|");
	REFUSED("choices are words", t.knob[1].choices = "b|a,c");
	REFUSED("choices are words", t.knob[0].choices = "3|4");
	/* 100 are allowed, and the 101st is not followed by a look at more. */
	for (size_t i = 0; i < LEN(many); i++) {
		char *name = malloc(8);

		snprintf(name, 8, "k%zu", i);
		many[i] = (struct knob){ .name = name, .type = KNOB_BOOL,
					 .deflt = "on", .help = "h" };
	}
	REFUSED("more than 100 knobs", t.ops.knobs = many);
	free((char *)many[PLUGIN_MAX_KNOBS].name);
	many[PLUGIN_MAX_KNOBS].name = NULL;
	REFUSED(NULL, t.ops.knobs = many);
	for (size_t i = 0; i < LEN(many); i++)
		free((char *)many[i].name);
}

/* -- objects ---------------------------------------------------------------- */

static const char *object(const char *name)
{
	static char path[4200];
	ssize_t n = readlink("/proc/self/exe", path, 4000);

	assert_true(n > 0);
	path[n] = '\0';
	sprintf(strrchr(path, '/'), "/plugin/%s", name);
	return path;
}

static void open_fails(const char *path, int code, const char *words)
{
	struct policy_spec s;
	struct err err = { 0 };
	int r = policy_spec_pick(&s, path, NULL, &err);

	if (r != code || !strstr(err.text, words) ||
	    !strstr(err.text, path) || strchr(err.text, '\n'))
		fail_msg("'%s' wanted, not %d: %s", words, r, err.text);
	policy_spec_release(&s);
}

static void test_objects(void **state)
{
	open_fails(object("old_abi.so"), ERR_FORMAT, "version 1 of the policy");
	open_fails(object("no_symbol.so"), ERR_FORMAT,
		   "no symbol 'homenode_policy'");
	open_fails(object("short_symbol.so"), ERR_FORMAT,
		   "'homenode_policy' has 4 bytes, not 24");
	open_fails(object("unknown_call.so"), ERR_FORMAT,
		   "there_is_no_such_function");
	open_fails(object("start_exit.so"), ERR_FORMAT, "ended the program");
	open_fails(object("bad_knob.so"), ERR_FORMAT,
		   "default of: knob 'steps': '9' is not a number of units "
		   "from 1 to 8");
	open_fails(object("none.so"), ERR_NOTFOUND, "No such file");
	open_fails(object(""), ERR_FORMAT, "is a directory");
	open_fails("/dev/null", ERR_FORMAT, "no regular file");
	open_fails("none.so", ERR_USAGE, "has a slash, as in ./mine.so");
}

static void test_spec(void **state)
{
	char text[4300];
	struct policy_spec s;
	struct err err = { 0 };
	char *json;

	snprintf(text, sizeof(text), "%s,how=abort", object("crash.so"));
	assert_int_equal(policy_spec_pick(&s, text, NULL, &err), 0);
	assert_string_equal(s.ops->name, "crash");
	assert_string_equal(s.plugin->file, "crash.so");
	assert_int_equal(s.values[0].i, 2);
	json = policy_spec_json(&s);
	snprintf(text, sizeof(text), "{\"plugin\": \"crash.so\", "
		 "\"plugin_hash\": \"%016llx\", \"how\": \"abort\"",
		 (unsigned long long)s.plugin->hash);
	assert_memory_equal(json, text, strlen(text));
	free(json);
	policy_spec_release(&s);
	snprintf(text, sizeof(text), "%s,how=slowly", object("crash.so"));
	assert_int_equal(policy_spec_pick(&s, text, NULL, &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "'slowly' is none of not|segv"));
	policy_spec_release(&s);
}

/* What stands in a file is never loaded. */
static void test_not_loaded(void **state)
{
	struct policy_spec s;
	struct err err = { 0 };

	assert_int_equal(policy_spec_parse(&s, object("crash.so"), NULL, &err),
			 ERR_USAGE);
	assert_non_null(strstr(err.text, "no policy '"));
	policy_spec_release(&s);
}

/* FNV-1a of "foobar" as its authors publish it. */
static void test_hash(void **state)
{
	char path[] = "/tmp/homenode-plugin-XXXXXX";
	int fd = mkstemp(path);
	struct err err = { 0 };
	uint64_t hash;

	assert_int_equal(write(fd, "foobar", 6), 6);
	assert_true(plugin_hash(path, &hash, &err));
	assert_true(hash == UINT64_C(0x85944171f73967e8));
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_false(plugin_hash(path, &hash, &err));
	assert_string_equal(err.text, "is empty");
	close(fd);
	unlink(path);
}

/* -- decisions -------------------------------------------------------------- */

static void node_1_without_memory(struct topo *t)
{
	t->node[1].mem_bytes = 0;
}

/*
 * Refused about tasks: both wake-ups (CPU INT_MIN), and at tick 1, when g is
 * gone: a to CPU 99, task -5, g, a for no known reason, a's home on node 7, a
 * home for g: 2 + 6.  About pages: the touch on node 40, and a move of area 9, to
 * node 9, from node -1, to node 1 without memory, of -3 pages: 1 + 5.  Nothing
 * else happens: the 5 pages lie where a runs.
 */
static void test_nonsense(void **state)
{
	struct replay_run r = { .machine = "2x1", .seed = 1,
				.policy = object("nonsense.so"),
				.adapt = node_1_without_memory };
	char buf[200];

	if (replay_run(&r, "area x proc=a\n"
			   "task a cpu=0: touch x 5; run 3ms; exit\n"
			   "task g cpu=1: run 10us; exit\n"))
		fail_msg("%s", r.error);
	assert_string_equal(replay_spans(&r, buf, sizeof(buf)),
			    "g 1 0-10000; a 0 0-3000000");
	assert_int_equal(replay_count(&r, "refused"), 8);
	assert_int_equal(replay_count(&r, "pages_refused"), 6);
	assert_int_equal(replay_count(&r, "hinting_faults"), 0);
	assert_int_equal(replay_pages(&r, 0, 0), 5);
	/* What is kept of them names no CPU that does not exist. */
	for (int i = 0; i < r.nr_moves; i++)
		assert_in_range(r.move[i].to + 1, 0, 2);
	replay_run_release(&r);
}

/* init() that fails without a word must not pass for a good replay. */
static void test_init_fails(void **state)
{
	char policy[4300];
	struct replay_run r = { .machine = "1x1", .policy = policy };

	snprintf(policy, sizeof(policy), "%s,how=init", object("crash.so"));
	assert_int_equal(replay_run(&r, "task a cpu=0: run 1ms; exit\n"),
			 ERR_USAGE);
	assert_string_equal(r.error, "policy 'crash': init() gave 17");
	replay_run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_knobs),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_spec),
		cmocka_unit_test(test_not_loaded),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_init_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

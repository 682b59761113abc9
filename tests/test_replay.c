/* SPDX-License-Identifier: MIT */
/*
 * Golden replays: tests/replay/NAME.test, each a few lines of description, the
 * demand (tests/support/demand_text.h), and what must come of it, derived in
 * its comments:
 *
 *	machine: 2x2		policy: o1,hz=1000	[cost: flat,remote=2]
 *	[discipline: queue_fifo]
 *	demand:
 *	task ...
 *	expect:
 *	move 11ms b 0 1 balance [refused]	all moves, in order
 *	span b 1 11ms 51ms		all spans of every task that is named so
 *	pages x 1 20			at the end
 *	count switches 3
 *
 * All CPUs tick together, in order of number; the first tick is at one tick
 * length.  The invariant walker is on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/replay_run.h"

struct golden {
	char *text;		/* the whole file, cut into pieces */
	char *demand, *expect;
	struct replay_run run;
};

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t len = 0, n;
	char buf[4096];

	assert_non_null(f);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0) {
		text = realloc(text, len + n + 1);
		memcpy(text + len, buf, n);
		len += n;
		text[len] = '\0';
	}
	fclose(f);
	return text;
}

static void read_head(struct golden *g)
{
	for (char *line = strtok(g->text, "\n"); line; line = strtok(NULL, "\n")) {
		char *value = strchr(line, ':');

		if (*line == '#' || !*line || !value)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		if (!strcmp(line, "machine"))
			g->run.machine = value;
		else if (!strcmp(line, "policy"))
			g->run.policy = value;
		else if (!strcmp(line, "discipline"))
			g->run.discipline = value;
		else if (!strcmp(line, "cost"))
			g->run.cost = value;
		else
			fail_msg("what is '%s:'?", line);
	}
}

static void load(struct golden *g, const char *path)
{
	memset(g, 0, sizeof(*g));
	g->text = slurp(path);
	g->demand = strstr(g->text, "\ndemand:\n");
	assert_non_null(g->demand);
	g->expect = strstr(g->demand, "\nexpect:\n");
	assert_non_null(g->expect);
	*g->demand = *g->expect = '\0';
	g->demand += strlen("\ndemand:\n");
	g->expect += strlen("\nexpect:\n");
	read_head(g);
}

static const char *const why_names[] = {
	"wake", "fork", "exec", "balance", "push", "numa", "affinity",
	"recorded",
};

static void check_move(const struct replay_run *r, int at, char **w)
{
	const struct move *m = &r->move[at];
	char got[200], want[200];

	if (at >= r->nr_moves)
		fail_msg("there is no move %s %s %s %s", w[1], w[2], w[3], w[4]);
	snprintf(got, sizeof(got), "%" PRId64 " %s %d %d %s%s", m->ts,
		 r->demand.tasks.task[m->task].comm, m->from, m->to,
		 why_names[m->why], m->refused ? " refused" : "");
	snprintf(want, sizeof(want), "%" PRId64 " %s %s %s %s%s",
		 demand_text_time(w[1]), w[2], w[3], w[4], w[5],
		 w[6] ? " refused" : "");
	assert_string_equal(got, want);
}

/* The at-th span of a task. */
static const struct span *span_of(const struct replay_run *r, int task, int at)
{
	for (int i = 0; i < r->nr_spans; i++)
		if (r->span[i].task == task && !at--)
			return &r->span[i];
	return NULL;
}

static void check_span(const struct replay_run *r, int *seen, char **w)
{
	int task = demand_text_task(&r->demand, w[1]);
	const struct span *s;
	char got[200], want[200];

	assert_true(task >= 0);
	s = span_of(r, task, seen[task]++);
	if (!s)
		fail_msg("there is no span %s %s %s %s", w[1], w[2], w[3], w[4]);
	snprintf(got, sizeof(got), "%s %d %" PRId64 " %" PRId64, w[1], s->cpu,
		 s->start_ns, s->end_ns);
	snprintf(want, sizeof(want), "%s %s %" PRId64 " %" PRId64, w[1], w[2],
		 demand_text_time(w[3]), demand_text_time(w[4]));
	assert_string_equal(got, want);
}

static void check_pages(const struct replay_run *r, char **w)
{
	for (int a = 0; a < r->demand.areas.nr; a++)
		if (!strcmp(r->demand.areas.area[a].name, w[1])) {
			assert_int_equal(replay_pages(r, a, atoi(w[2])),
					 atoll(w[3]));
			return;
		}
	fail_msg("no area '%s'", w[1]);
}

static void check_line(const struct replay_run *r, int *nr_moves, int *seen,
		       char *line)
{
	char *w[8] = { NULL };
	int n = 0;

	for (char *p = strtok(line, " \t"); p && n < 8; p = strtok(NULL, " \t"))
		w[n++] = p;
	if (n < 3)
		fail_msg("what is '%s'?", line);
	if (!strcmp(w[0], "move") && n >= 6)
		check_move(r, (*nr_moves)++, w);
	else if (!strcmp(w[0], "span") && n == 5)
		check_span(r, seen, w);
	else if (!strcmp(w[0], "pages") && n == 4)
		check_pages(r, w);
	else if (!strcmp(w[0], "count"))
		assert_int_equal(replay_count(r, w[1]), atoll(w[2]));
	else
		fail_msg("what is '%s'?", w[0]);
}

static void check(struct golden *g)
{
	const struct replay_run *r = &g->run;
	int *seen = calloc((size_t)r->demand.tasks.nr + 1, sizeof(*seen));
	int nr_moves = 0;
	char *rest = g->expect, *line;

	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#")] = '\0';
		if (line[strspn(line, " \t")])
			check_line(r, &nr_moves, seen, line);
	}
	assert_int_equal(r->nr_moves, nr_moves);
	for (int t = 0; t < r->demand.tasks.nr; t++)
		if (seen[t] && span_of(r, t, seen[t]))
			fail_msg("'%s' has more spans",
				 r->demand.tasks.task[t].comm);
	free(seen);
}

static void test_golden(void **state)
{
	const char *path = *state;
	struct golden g;

	load(&g, path);
	if (replay_run(&g.run, g.demand))
		fail_msg("%s: %s", path, g.run.error);
	check(&g);
	replay_run_release(&g.run);
	free(g.text);
}

int main(void)
{
	struct CMUnitTest tests[200];
	glob_t files;
	size_t n;
	int failed;

	if (glob("tests/replay/*.test", 0, NULL, &files)) {
		fprintf(stderr, "no tests/replay/*.test here\n");
		return 1;
	}
	n = files.gl_pathc < 200 ? files.gl_pathc : 200;
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){
			.name = files.gl_pathv[i], .test_func = test_golden,
			.initial_state = files.gl_pathv[i] };
	failed = _cmocka_run_group_tests("replay", tests, n, NULL, NULL);
	globfree(&files);
	return failed;
}

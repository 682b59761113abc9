/* SPDX-License-Identifier: MIT */
/*
 * homenode replay, policies and compare on a small file: what is added to it,
 * what is not replayed twice, that the number of jobs changes nothing, what a
 * crash takes with it, and what is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/err.h"
#include "replay/compare.h"
#include "replay/view.h"
#include "schema/derive.h"
#include "schema/store.h"
#include "tests/support/events_text.h"
#include "tests/support/folder.h"
#include "tests/support/replay_run.h"
#include "tests/support/scratch.h"
#include "ui/cmd.h"
#include "ui/replay_jobs.h"
#include "ui/run_topo.h"

#define MS INT64_C(1000000)

/*
 * Two nodes of one CPU.  alpha runs on CPU 0 until 30 ms, wakes beta at 1 ms,
 * sleeps until a timer at 40 ms and runs until 60; beta runs on CPU 1 from
 * 1.0005 to 70 ms.
 */
static const char events[] =
	"start 0; name 1 alpha; name 2 beta;"
	"1000000 0 1 waking 2; 1000500 1 0 switch R 2;"
	"30000000 0 1 switch S 0; 40000000 0 0 waking 1 h;"
	"40100000 0 0 switch R 1; 60000000 0 1 switch X 0;"
	"70000000 1 2 switch X 0; end 80000000";

struct file {
	char *folder;
	char path[300];
	char *out, *err;	/* what the last command printed */
};

static void put_events(struct store *s, const struct events_text *ev)
{
	char empty[] = "", mono[] = "mono";
	const struct capture c = {
		.source = empty, .kernel = empty, .arch = empty,
		.clock = mono, .tool = empty, .command = empty,
		.page_size = 4096, .start_ns = ev->start_ns,
		.end_ns = ev->end_ns, .nr_cpus = 2,
		.states = state_table_default,
	};
	struct err err = { 0 };
	struct topo t;

	assert_int_equal(topo_grid(&t, "2x1"), 0);
	OK(store_put_capture(s, &c, &err));
	OK(store_put_topo(s, &t, &err));
	OK(store_put_tasks(s, &ev->tasks, &err));
	for (size_t i = 0; i < ev->nr; i++)
		OK(store_put_event(s, &ev->event[i], &err));
	topo_release(&t);
}

static void make_file(const char *path)
{
	struct events_text ev;
	struct err err = { 0 };
	struct store *s;

	events_text_parse(&ev, events);
	OK(store_create(&s, path, false, &err));
	OK(store_begin(s, &err));
	put_events(s, &ev);
	OK(store_end(s, &err));
	OK(store_commit(s, &err));
	store_close(s);
	events_text_release(&ev);
}

static int setup(void **state)
{
	struct file *f = calloc(1, sizeof(*f));

	f->folder = folder_new();
	snprintf(f->path, sizeof(f->path), "%s", folder_path(f->folder, "f"));
	make_file(f->path);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct file *f = *state;

	folder_remove(f->folder);
	free(f->out);
	free(f->err);
	free(f);
	return 0;
}

/* -- running commands -------------------------------------------------------------- */

static char *read_text(const char *path)
{
	size_t size;
	uint8_t *bytes = file_read(path, &size);
	char *text = calloc(1, size + 1);

	memcpy(text, bytes, size);
	free(bytes);
	return text;
}

static int redirect(int fd, const char *path)
{
	int kept = dup(fd), to = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	fflush(NULL);
	dup2(to, fd);
	close(to);
	return kept;
}

static void restore(int fd, int kept)
{
	fflush(NULL);
	dup2(kept, fd);
	close(kept);
}

/* The command with the words of a line, '@' for the file, '+' for a blank in a
 * word; its status or code.  f->out and f->err get what it printed, f->err the
 * error too. */
static int run(struct file *f, const struct cmd *c, const char *line)
{
	char *words = strdup(line), *argv[30] = { (char *)c->name };
	char out[300], errs[300];
	struct err err = { 0 };
	int argc = 1, r, fd1, fd2;

	for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
		for (char *p = w; (p = strchr(p, '+')); )
			*p = ' ';
		argv[argc++] = strcmp(w, "@") ? w : f->path;
	}
	snprintf(out, sizeof(out), "%s", folder_path(f->folder, "out"));
	snprintf(errs, sizeof(errs), "%s", folder_path(f->folder, "err"));
	fd1 = redirect(1, out);
	fd2 = redirect(2, errs);
	r = c->run(argc, argv, &err);
	if (r < 0)
		fprintf(stderr, "%s\n", err.text);
	restore(1, fd1);
	restore(2, fd2);
	free(f->out);
	free(f->err);
	f->out = read_text(out);
	f->err = read_text(errs);
	free(words);
	return r;
}

static void expect_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static const char *ask(const struct file *f, const char *sql)
{
	static char answer[300];
	struct err err = { 0 };
	struct store *s;

	OK(store_open(&s, f->path, STORE_READ, &err));
	snprintf(answer, sizeof(answer), "%s", scratch_ask(s, sql));
	store_close(s);
	return answer;
}

/* -- replay ------------------------------------------------------------------------ */

static void test_adds_runs(void **state)
{
	struct file *f = *state;

	assert_int_equal(run(f, &cmd_replay, "@ -p recorded -p stay -p o1 "
			     "--seeds 2 --check --cost flat"), 0);
	/* recorded knows no seeds: one run of it */
	assert_string_equal(ask(f, "SELECT group_concat(policy || seed, ' ') "
				"FROM run WHERE id > 0 ORDER BY id"),
			    "recorded0 stay1 stay2 o11 o12");
	expect_text(f->err, "all 3 spans are given back exactly");
	expect_text(f->out, "stay");
	/* The run's head: every knob, the queue, the engine. */
	assert_string_equal(ask(f, "SELECT json_extract(knobs, '$.hz') || ' ' ||"
				" json_extract(knobs, '$.busy_rebalance') || ' ' ||"
				" discipline || ' ' || engine FROM run"
				" WHERE policy = 'o1' LIMIT 1"),
			    "1024 250000000 queue_o1 4");
	/* 30 + 20 + 69 ms of CPU time, whatever the policy */
	assert_string_equal(ask(f, "SELECT min(value) || ' ' || max(value) "
				"FROM run_count WHERE run > 0 AND name = 'cpu_ns'"),
			    "118899500 118899500");
}

static void test_not_twice(void **state)
{
	struct file *f = *state;

	assert_int_equal(run(f, &cmd_replay, "@ -p o1 --seeds 2"), 0);
	assert_int_equal(run(f, &cmd_replay, "@ -p o1 --seeds 3"), 0);
	expect_text(f->err, "2 of 3 runs were in the file already");
	assert_int_equal(run(f, &cmd_replay, "@ -p o1"), 0);
	expect_text(f->err, "1 of 1 run was in the file already");
	assert_string_equal(ask(f, "SELECT max(id) FROM run"), "3");
	/* Other knobs, other cost, other intensity are other runs. */
	assert_int_equal(run(f, &cmd_replay, "@ -p o1,hz=1000"), 0);
	assert_int_equal(run(f, &cmd_replay, "@ -p o1 --cost flat"), 0);
	assert_int_equal(run(f, &cmd_replay, "@ -p o1 -i al*=0.3"), 0);
	assert_int_equal(run(f, &cmd_replay, "@ -p o1 -d queue_fifo"), 0);
	assert_string_equal(ask(f, "SELECT max(id) FROM run"), "7");
	/* --again takes the place of the old one. */
	assert_int_equal(run(f, &cmd_replay, "@ -p o1 --again"), 0);
	assert_string_equal(ask(f, "SELECT count(*) FROM run"), "8");
}

static void test_jobs_change_nothing(void **state)
{
	static const char line[] = "@ -p o1 -p node-affine -p stay --seeds 3 -j ";
	struct file *f = *state;
	char command[100];
	size_t len[2];
	uint8_t *bytes[2];

	for (int i = 0; i < 2; i++) {
		snprintf(f->path, sizeof(f->path), "%s",
			 folder_path(f->folder, i ? "b" : "a"));
		make_file(f->path);
		snprintf(command, sizeof(command), "%s%d", line, i ? 4 : 1);
		assert_int_equal(run(f, &cmd_replay, command), 0);
		bytes[i] = file_read(f->path, &len[i]);
	}
	assert_int_equal(len[0], len[1]);
	assert_memory_equal(bytes[0], bytes[1], len[0]);
	free(bytes[0]);
	free(bytes[1]);
}

static void test_usage(void **state)
{
	static const struct {
		const char *line, *part;
		int code;
	} c[] = {
		{ "@ --topology numa:1", "go with -p", ERR_USAGE },
		{ "@ -p nix", "no policy 'nix'; there are: recorded", ERR_USAGE },
		{ "@ -p o1,nix=3", "has no knob 'nix'; it has: busy_rebalance",
		  ERR_USAGE },
		{ "@ -p o1,busy_rebalance=fast", "'fast' is not a time", ERR_USAGE },
		{ "@ -p o1,busy_rebalance", "not of the form knob=value", ERR_USAGE },
		{ "@ -p node-affine,weights=p11", "none of ps2|p10", ERR_USAGE },
		{ "@ -p o1,hz=0", "from 1 to 100000", ERR_USAGE },
		{ "@ -p o1 -p o1", "asked for twice", ERR_USAGE },
		{ "@ -p o1 -d nix", "no queue discipline 'nix'", ERR_USAGE },
		{ "@ -p o1 --seeds 0", "--seeds", ERR_USAGE },
		{ "@ -p o1 -i gamma=0.5", "no task has this name", ERR_NOTFOUND },
		{ "@ -p o1 -i alpha=2", "from 0 to 1", ERR_USAGE },
		{ "@ -p o1 --cost nix=2", "--cost", ERR_USAGE },
		{ "@ -p recorded --topology numa:1+pu:1",
		  "the machine of --topology has no CPU 1", ERR_USAGE },
		{ "@ -p recorded --topology numa:1+pu:2",
		  "the machine of --topology has no node 1", ERR_USAGE },
		{ "@ -p o1 --topology numa:0", "a count of 0", ERR_USAGE },
		{ "@ -p o1 --distance 10", "goes with --topology", ERR_USAGE },
		{ "none -p o1", "none", ERR_NOTFOUND },
	};
	struct file *f = *state;

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		assert_int_equal(run(f, &cmd_replay, c[i].line), c[i].code);
		expect_text(f->err, c[i].part);
	}
}

/* One CPU only: alpha and beta share it, so that all takes as long as their
 * work and alpha's sleep fill. */
static void test_other_machine(void **state)
{
	struct file *f = *state;
	struct run_info *runs;
	struct err err = { 0 };
	struct store *s;
	struct topo t;
	int nr;

	assert_int_equal(run(f, &cmd_replay,
			     "@ -p stay --topology numa:1+pu:1 --cost flat"), 0);
	assert_string_equal(ask(f, "SELECT value FROM run_count WHERE run = 1 "
				"AND name = 'elapsed_ns'"), "118899500");
	OK(store_open(&s, f->path, STORE_READ, &err));
	OK(store_get_runs(s, &runs, &nr, &err));
	OK(run_topo(s, &runs[1], &t, &err));
	assert_int_equal(topo_nr_cpus(&t), 1);
	topo_release(&t);
	OK(run_topo(s, &runs[0], &t, &err));
	assert_int_equal(topo_nr_cpus(&t), 2);
	topo_release(&t);
	for (int i = 0; i < nr; i++)
		run_info_release(&runs[i]);
	free(runs);
	store_close(s);
	assert_int_equal(run(f, &cmd_replay, "@ -p stay"), 0);
	assert_int_equal(run(f, &cmd_compare, "@ 2 1"), 0);
	expect_text(f->err, "WARNING: '1' against '2': the machines differ");
	expect_text(f->err, "the cost models differ");
}

/* The recorded scheduler's stopper, of which every replay is free. */
static void test_compare_own_tasks(void **state)
{
	struct file *f = *state;
	struct err err = { 0 };
	struct store *s;

	assert_int_equal(run(f, &cmd_replay, "@ -p stay --cost flat"), 0);
	OK(store_open(&s, f->path, STORE_WRITE, &err));
	scratch_exec(s, "UPDATE demand_task SET stopper = 1 WHERE task = 1");
	store_close(s);
	assert_int_equal(run(f, &cmd_replay, "@ -p stay --cost flat --again"),
			 0);
	assert_int_equal(run(f, &cmd_compare, "@ recorded stay"), 0);
	assert_null(strstr(f->out, "beta"));
	expect_text(f->out, "1 task ran in only one of the runs; 1 of them is "
		    "the recorded scheduler's own, not shown above\n");
	assert_int_equal(run(f, &cmd_compare, "@ recorded stay --csv"), 0);
	expect_text(f->out, "beta");
	assert_int_equal(run(f, &cmd_compare, "@ recorded recorded"), 0);
	assert_null(strstr(f->out, "only one"));
}

/* A recording that was tampered with: the oracle tells. */
static void test_oracle(void **state)
{
	struct file *f = *state;
	struct err err = { 0 };
	struct store *s;

	assert_int_equal(run(f, &cmd_replay, "@ -p recorded"), 0);
	OK(store_open(&s, f->path, STORE_WRITE, &err));
	scratch_exec(s, "UPDATE span SET len = len - 1 WHERE id = 0");
	store_close(s);
	/* Its checksum is still right: only the walk sees it. */
	assert_int_equal(run(f, &cmd_replay, "@ -p recorded"), 0);
	assert_int_equal(run(f, &cmd_replay, "@ -p recorded --check"), 1);
	expect_text(f->err, "2 spans as recorded, 1 missing, 1 not recorded");
	expect_text(f->err, "first not recorded: task 0 on CPU 0 from 0 to "
		    "30000000");
	OK(store_open(&s, f->path, STORE_WRITE, &err));
	scratch_exec(s, "UPDATE run_count SET value = value + 1 WHERE run = 0 "
		     "AND name = 'span_checksum'");
	store_close(s);
	assert_int_equal(run(f, &cmd_replay, "@ -p recorded"), 1);
	expect_text(f->err, "2 spans as recorded, 1 missing, 1 not recorded");
}

/* Pages that the replay does not have. */
static void test_oracle_memory(void **state)
{
	struct file *f = *state;
	struct err err = { 0 };
	struct store *s;

	assert_int_equal(run(f, &cmd_replay, "@ -p recorded"), 0);
	OK(store_open(&s, f->path, STORE_WRITE, &err));
	scratch_exec(s, "INSERT INTO area VALUES (0, 0, 0, 4096, 0, '')");
	scratch_exec(s, "INSERT INTO mem VALUES (0, 1000, 0, 1, 9)");
	scratch_exec(s, "INSERT INTO mem VALUES (1, 2000, 0, 1, 7)");
	store_close(s);
	assert_int_equal(run(f, &cmd_replay, "@ -p recorded"), 1);
	expect_text(f->err, "recorded: of 7 pages in the end, 7 are too many or "
		    "too few on a node");
}

/* -- jobs --------------------------------------------------------------------------- */

static int crash(void **state, const struct view *v,
		 const struct knob_value *knobs, struct err *err)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 0;
}

static int refuse(void **state, const struct view *v,
		  const struct knob_value *knobs, struct err *err)
{
	return err_set(err, ERR_USAGE, "these knobs make no sense together");
}

struct heard {
	char text[1000];
	int64_t spans;
};

static int count_span(void *ctx, const struct span *s, struct err *err)
{
	((struct heard *)ctx)->spans++;
	return 0;
}

static int hear(void *ctx, struct replay_job *job, struct err *err)
{
	struct heard *h = ctx;
	struct run_sink sink = { .ctx = h, .span = count_span };
	size_t len = strlen(h->text);

	snprintf(h->text + len, sizeof(h->text) - len, "%s;",
		 job->err.code ? job->err.text : job->title);
	return job->err.code ? 0 : spill_read_spans(&job->spill, &sink, err);
}

static void fill_job(struct replay_job *job, struct replay_run *r,
		     const struct cost *cost, const struct demand_copy *copy)
{
	*job = (struct replay_job){
		.input = {
			.topo = &r->topo, .tasks = &r->demand.tasks,
			.areas = &r->demand.areas,
			.demand = r->demand.demand,
			.nr_demand = r->demand.nr, .cost = cost,
			.end_ns = 80 * MS,
		},
		.demand = copy,
	};
}

/* The first and the last of four replays are fine; the second crashes, the third
 * gives up.  However many run at a time, they are heard of in this order. */
static void test_crash(void **state)
{
	static const struct policy_ops crashing = {
		.name = "crashing", .discipline = "queue_fifo", .init = crash };
	static const struct policy_ops refusing = {
		.name = "refusing", .discipline = "queue_fifo", .init = refuse };
	static const char *const titles[] = { "first", "second", "third", "last" };
	struct file *f = *state;
	struct replay_run r = { 0 };
	struct demand_copy copy;
	struct policy_spec spec[4];
	struct err err = { 0 };
	struct cost cost;
	struct store *s;

	/* Their programs are those of the file. */
	assert_int_equal(demand_text_parse(&r.demand,
		"task alpha cpu=0: end\ntask beta cpu=1: end\n", 0), 0);
	topo_grid(&r.topo, "2x1");
	OK(cost_init(&cost, &r.topo, &err));
	OK(store_open(&s, f->path, STORE_WRITE, &err));
	OK(derive_demand(s, &cost, NULL, NULL, &err));
	OK(demand_copy_make(&copy, s, r.demand.demand, 2, NULL, &err));
	store_close(s);
	for (int at_once = 1; at_once <= 4; at_once += 3) {
		struct replay_job job[4];
		struct heard h = { .spans = 0 };
		struct replay_jobs j = {
			.job = job, .nr = 4, .at_once = at_once,
			.beside = f->path, .finished = hear, .ctx = &h };

		for (int i = 0; i < 4; i++) {
			OK(policy_spec_parse(&spec[i], "stay", "queue_fifo", &err));
			fill_job(&job[i], &r, &cost, &copy);
			job[i].input.policy = &spec[i];
			job[i].title = titles[i];
		}
		spec[1].ops = &crashing;
		spec[2].ops = &refusing;
		OK(replay_jobs_run(&j, &err));
		assert_string_equal(h.text, "first;the replay of second died: "
			"Segmentation fault;third: these knobs make no sense "
			"together;last;");
		/* alpha's two spans and beta's, twice */
		assert_int_equal(h.spans, 6);
		for (int i = 0; i < 4; i++)
			policy_spec_release(&spec[i]);
	}
	demand_copy_release(&copy);
	cost_release(&cost);
	replay_run_release(&r);
}

/* -- compare ------------------------------------------------------------------------ */

/*
 * stay against what was recorded: alpha is the same but for the 100 us that it
 * waited after its timer; beta starts 500 ns earlier.
 */
static void test_compare(void **state)
{
	struct file *f = *state;

	assert_int_equal(run(f, &cmd_replay, "@ -p stay --seeds 2 --cost flat"), 0);
	assert_int_equal(run(f, &cmd_compare, "@ recorded stay"), 0);
	expect_text(f->err, "a replay against what was recorded");
	expect_text(f->out, "recorded (n=1)");
	expect_text(f->out, "stay (n=2)");
	expect_text(f->out, "0.070 ± 0.000");
	assert_int_equal(run(f, &cmd_compare, "@ recorded stay --json"), 0);
	expect_text(f->out, "{\"runs\":[{\"policy\":\"recorded\",\"knobs\":{},"
		    "\"seeds\":[0],\"ids\":[0],\"metrics\":{\"elapsed_ns\":"
		    "{\"mean\":7e+07,\"sd\":null,\"n\":1}");
	expect_text(f->out, "\"seeds\":[1,2]");
	/* alpha's wait: 100 us, then none; it is the larger change */
	expect_text(f->out, "\"tasks\":[{\"comm\":\"alpha\",\"tid\":1");
	expect_text(f->out, "\"wait_ns\":[{\"mean\":100000,\"sd\":null,\"n\":1},"
		    "{\"mean\":0,\"sd\":0,\"n\":2}]");
	assert_int_equal(run(f, &cmd_compare, "@ recorded stay --csv"), 0);
	expect_text(f->out, "scope,comm,tid,metric,run,mean,sd,n,change");
	expect_text(f->out, "task,alpha,1,wait_ns,stay,0,0,2,-100000");
	expect_text(f->out, "run,,,cpu_ns,recorded,118899500,,1,0");
}

static void test_compare_warnings(void **state)
{
	struct file *f = *state;

	assert_int_equal(run(f, &cmd_replay, "@ -p stay -p o1 --seeds 2"), 0);
	assert_int_equal(run(f, &cmd_compare, "@ stay o1"), 0);
	assert_string_equal(f->err, "");
	assert_int_equal(run(f, &cmd_compare, "@ stay o1,seed=1"), 0);
	expect_text(f->err, "the seeds differ: 1 are only in one of them");
	assert_int_equal(run(f, &cmd_replay, "@ -p o1,hz=1000 --seeds 2"), 0);
	assert_int_equal(run(f, &cmd_compare, "@ stay o1,hz=1000"), 0);
	expect_text(f->err, "the run queue's knob hz is 1000, not 1024");
	assert_int_equal(run(f, &cmd_compare, "@ stay o1"), 0);
	expect_text(f->err, "'o1' means runs of different settings (3 and 5)");
	assert_int_equal(run(f, &cmd_replay, "@ -p o1 -d queue_fifo --seeds 2"), 0);
	assert_int_equal(run(f, &cmd_compare, "@ 1 7"), 0);
	expect_text(f->err, "the run queues differ: queue_fifo, not queue_o1");
	assert_int_equal(run(f, &cmd_compare, "@ stay"), ERR_USAGE);
	assert_int_equal(run(f, &cmd_compare, "@ stay nix"), ERR_NOTFOUND);
	expect_text(f->err, "no run 'nix'");
}

/* Mean 5 of 2, 4, 4, 4, 5, 5, 7, 9: squares sum to 32: sd sqrt(32 / 7); unknown
 * values are left out. */
static void test_stats(void **state)
{
	static const double x[] = { 2, 4, 4, NAN, 4, 5, 5, 7, 9 };
	struct stats s = { 0 };

	assert_true(isnan(stats_mean(&s)));
	stats_add(&s, 1e9);
	assert_true(isnan(stats_sd(&s)));
	s = (struct stats){ 0 };
	for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++)
		stats_add(&s, 1e9 + x[i]);
	assert_int_equal(s.n, 8);
	assert_true(fabs(stats_mean(&s) - (1e9 + 5)) < 1e-6);
	assert_true(fabs(stats_sd(&s) - sqrt(32. / 7)) < 1e-6);
	assert_true(s.min == 1e9 + 2 && s.max == 1e9 + 9);
}

/* -- policies ------------------------------------------------------------------------ */

static void test_policies(void **state)
{
	struct file *f = *state;

	assert_int_equal(run(f, &cmd_policies, ""), 0);
	for (int i = 0; policy_table[i]; i++)
		expect_text(f->out, policy_table[i]->name);
	assert_int_equal(run(f, &cmd_policies, "o1"), 0);
	expect_text(f->out, "cache_decay_ticks");
	expect_text(f->out, "250ms");
	expect_text(f->out, "max_timeslice");	/* of its run queue */
	assert_int_equal(run(f, &cmd_policies, "queue_fifo"), 0);
	expect_text(f->out, "slice");
	assert_int_equal(run(f, &cmd_policies, "o1 --json"), 0);
	expect_text(f->out, "{\"policies\":[{\"name\":\"o1\"");
	expect_text(f->out, "\"disciplines\":[]");
	assert_int_equal(run(f, &cmd_policies, "nix"), ERR_USAGE);
	expect_text(f->err, "there are: recorded, stay, ");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_adds_runs),
		TEST(test_not_twice),
		TEST(test_jobs_change_nothing),
		TEST(test_usage),
		TEST(test_other_machine),
		TEST(test_compare_own_tasks),
		TEST(test_oracle),
		TEST(test_oracle_memory),
		TEST(test_crash),
		TEST(test_compare),
		TEST(test_compare_warnings),
		cmocka_unit_test(test_stats),
		TEST(test_policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

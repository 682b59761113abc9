/* SPDX-License-Identifier: MIT */
/*
 * Recording this machine's own kernel, end to end, through the command.  Needs
 * root and tracefs; HOMENODE_REQUIRE_LIVE=1 makes a skip a failure.
 */
#include "collect/import.h"
#include "collect/tracedir.h"
#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"
#include "ui/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TRACING "/sys/kernel/tracing"
#define MAX_ARGS 24

/* Fails the test with what went wrong in `w`. */
#define MUST(call) do { \
		if ((call) < 0) \
			fail_msg("%s: %s", #call, w->err.text); \
	} while (0)

static char self[PATH_MAX];	/* this program, which is COMMAND too */

struct world {
	char *folder;
	char out[700], spool[720], log[700], fifo[700];
	struct store *store;
	struct err err;
};

/* -- as COMMAND ---------------------------------------------------------- */

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Uses the CPU for 0.2 s of its time, giving way now and then, and writes when
 * that was and how long it ran. */
static int burn(const char *file)
{
	int64_t from = clock_ns(CLOCK_MONOTONIC), to;
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), used;
	FILE *f = fopen(file, "w");

	do {
		for (volatile int i = 0; i < 2000000; i++)
			;
		sched_yield();
		used = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	} while (used < INT64_C(200000000));
	to = clock_ns(CLOCK_MONOTONIC);
	if (!f)
		return 1;
	fprintf(f, "%d %" PRId64 " %" PRId64 " %" PRId64 "\n", (int)getpid(), from,
		to, used);
	return fclose(f) != 0;
}

/* Two processes that wake each other so many times. */
static int ping_pong(int times)
{
	int a[2], b[2], status;
	char byte = 0;

	if (pipe(a) || pipe(b))
		return 1;
	if (!fork()) {
		while (times-- && read(a[0], &byte, 1) == 1 &&
		       write(b[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (times-- && write(a[1], &byte, 1) == 1 && read(b[0], &byte, 1) == 1)
		;
	wait(&status);
	return status;
}

/* -- running the command ------------------------------------------------- */

static bool can_record(const char **why)
{
	*why = NULL;
	if (geteuid() != 0)
		*why = "not root";
	else if (access(TRACING "/instances", W_OK))
		*why = "no tracefs at " TRACING;
	else if (access(TRACING "/events/sched/sched_switch/enable", W_OK))
		*why = "this kernel has no sched_switch";
	return !*why;
}

static int setup(void **state)
{
	static struct world w;

	w = (struct world){ .folder = folder_new() };
	snprintf(w.out, sizeof(w.out), "%s/x.homenode", w.folder);
	snprintf(w.spool, sizeof(w.spool), "%s.spool", w.out);
	snprintf(w.log, sizeof(w.log), "%s/log", w.folder);
	snprintf(w.fifo, sizeof(w.fifo), "%s/fifo", w.folder);
	assert_int_equal(mkfifo(w.fifo, 0600), 0);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	store_close(w->store);
	folder_remove(w->folder);
	return 0;
}

static void need_live(void)
{
	const char *why;

	if (can_record(&why))
		return;
	if (getenv("HOMENODE_REQUIRE_LIVE"))
		fail_msg("live recording is required here: %s", why);
	print_message("skipped: %s\n", why);
	skip();
}

/* `homenode record ARG...`, as main does it, in a process of its own; what it
 * says on stderr goes to w->log. */
static _Noreturn void record_child(struct world *w, char **args)
{
	struct err err = { 0 };
	int log = open(w->log, O_WRONLY | O_CREAT | O_TRUNC, 0600), nr = 0, code;

	dup2(log, STDERR_FILENO);
	while (args[nr])
		nr++;
	code = cmd_record.run(nr, args, &err);
	if (code < 0)
		fprintf(stderr, "%s\n", err.text);
	exit(code < 0 ? err_exit_status(code) : code);
}

static pid_t start(struct world *w, ...) __attribute__((sentinel));
static pid_t start(struct world *w, ...)
{
	char *args[MAX_ARGS] = { (char *)"record", (char *)"-o", w->out };
	int nr = 3;
	va_list ap;
	pid_t pid;

	va_start(ap, w);
	while (nr < MAX_ARGS - 1 && (args[nr] = va_arg(ap, char *)))
		nr++;
	va_end(ap);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		record_child(w, args);
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static const char *log_text(const struct world *w)
{
	static char text[4096];
	size_t size;
	uint8_t *bytes = file_read(w->log, &size);

	snprintf(text, sizeof(text), "%.*s", (int)size, bytes ? (char *)bytes : "");
	free(bytes);
	return text;
}

static void expect(const struct world *w, int status, int wanted)
{
	if (status != wanted)
		fail_msg("status %d, not %d: %s", status, wanted, log_text(w));
}

#define RECORD(w, status, ...) \
	expect(w, status_of(start(w, __VA_ARGS__, (char *)NULL)), status)

/* Waits until COMMAND has opened the fifo and closed it again. */
static void wait_for_fifo(const struct world *w)
{
	int fd = open(w->fifo, O_RDONLY);
	char byte;

	while (read(fd, &byte, 1) > 0)
		;
	close(fd);
}

static void name_of_instance(pid_t pid, char *name, size_t size)
{
	char path[64], text[1024], *p;
	FILE *f;

	/* Field 22 of stat; the test's name has no blanks. */
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	p = strrchr(text, ')') + 1;
	for (int i = 0; i < 19; i++)
		p = strchr(p + 1, ' ');
	snprintf(name, size, TRACING "/instances/homenode-%d-%lld", (int)pid,
		 strtoll(p, NULL, 10));
}

static void open_file(struct world *w)
{
	store_close(w->store);
	w->store = NULL;
	MUST(store_open(&w->store, w->out, STORE_READ, &w->err));
}
static long long ask(struct world *w, const char *sql)
{
	return strtoll(scratch_ask(w->store, sql), NULL, 10);
}

/* Sum of columns of the spool's tail, over all CPUs: 2 entries, 3 read, 4
 * overrun, 5 commit overrun, 6 dropped. */
static long long tail_sum(const struct world *w, int first, int last)
{
	char path[800], line[300];
	long long sum = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tail", w->spool);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *p = line;

		if (strncmp(line, "cpu\t", 4))
			continue;
		for (int i = 1; (p = strchr(p, '\t')); i++) {
			long long v = strtoll(++p, NULL, 10);

			if (i >= first && i <= last)
				sum += v;
		}
	}
	fclose(f);
	return sum;
}

static void import_spool(struct world *w, struct ingest_totals *t)
{
	const struct import_options none = { 0 };

	store_close(w->store);
	w->store = NULL;
	MUST(store_create(&w->store, w->out, true, &w->err));
	MUST(import_file(w->spool, &none, w->store, NULL, t, &w->err));
	MUST(store_commit(w->store, &w->err));
}

/* -- tests --------------------------------------------------------------- */

/* Where a CPU stands. */
struct cpu {
	int tid;		/* on it; -1 unknown */
	int64_t since;
};

struct on_cpu {
	int tid;
	int64_t from, to;	/* the window */
	int64_t on, unsure;
	int switches;
};

static int64_t within(const struct on_cpu *t, int64_t from, int64_t to)
{
	from = from > t->from ? from : t->from;
	to = to < t->to ? to : t->to;
	return to > from ? to - from : 0;
}

/* Some kernels leave switches out (perf sees the same); then nobody knows who
 * was on the CPU in between. */
static void take_switch(struct on_cpu *t, struct cpu *c, const struct event *ev)
{
	int64_t ns = within(t, c->since, ev->ts);

	if (c->tid == t->tid && ev->sw.prev_tid == t->tid)
		t->on += ns;
	else if (c->tid == t->tid || ev->sw.prev_tid == t->tid)
		t->unsure += ns;
	t->switches += ns > 0 && ev->sw.prev_tid == t->tid;
	*c = (struct cpu){ ev->sw.next_tid, ev->ts };
}

static void sum_switches(struct world *w, struct on_cpu *t)
{
	static struct cpu cpu[4096];
	struct store_events *it;
	struct event ev;
	int got;

	for (int i = 0; i < 4096; i++)
		cpu[i] = (struct cpu){ -1, INT64_MAX };
	MUST(store_events_open(w->store, INT64_MIN, INT64_MAX, &it, &w->err));
	while ((got = store_events_next(it, &ev, &w->err)) == 1)
		if (ev.kind == EVENT_SWITCH && ev.cpu < 4096)
			take_switch(t, &cpu[ev.cpu], &ev);
	assert_int_equal(got, 0);
	store_events_close(it);
}

/* Records burn(): the CPU time that it had by its own clock, and what the trace
 * says of that time. */
static int64_t record_burn(struct world *w, struct on_cpu *t)
{
	char said[700];
	int64_t used;
	FILE *f;

	snprintf(said, sizeof(said), "%s/said", w->folder);
	RECORD(w, 0, "--force", "--", self, "burn", said);
	f = fopen(said, "r");
	assert_non_null(f);
	*t = (struct on_cpu){ .on = 0 };
	assert_int_equal(fscanf(f, "%d %" SCNd64 " %" SCNd64 " %" SCNd64,
				&t->tid, &t->from, &t->to, &used), 4);
	fclose(f);
	open_file(w);
	sum_switches(w, t);
	assert_int_equal(ask(w, "SELECT count(*) FROM loss"), 0);
	return used;
}

/* The trace's clock is CLOCK_MONOTONIC, so the time that a task was on a CPU
 * between two readings of it is what the task's own CPU clock says, but for
 * what the scheduler does between its clock and its tracepoint: some
 * microseconds a switch.  Where the kernel left many switches of it out, another
 * recording has to show it. */
static void cpu_time_is_what_the_task_says(void **state)
{
	struct world *w = *state;
	int64_t used, slack;
	struct on_cpu t;
	int tries = 0;

	need_live();
	do {
		used = record_burn(w, &t);
		slack = used / 100 + t.switches * INT64_C(20000);
	} while (t.unsure > used / 10 && ++tries < 5);
	assert_in_range(t.unsure, 0, used / 10);
	/* Time that a hypervisor stole is in the trace, not in the clock. */
	assert_in_range(t.on, used - slack - t.unsure, used + slack + used / 5);
}

/* The file, its rows, and nothing else is left. */
static void records_a_command(void **state)
{
	struct world *w = *state;
	struct capture c = { 0 };

	need_live();
	RECORD(w, 7, "--", "sh", "-c", "/bin/true; /bin/true; exit 7");
	assert_int_equal(folder_count(w->folder), 3);	/* file, log, fifo */
	open_file(w);
	MUST(store_get_capture(w->store, &c, &w->err));
	assert_string_equal(c.source, "live");
	assert_string_equal(c.clock, "mono");
	assert_string_equal(c.command, "sh -c /bin/true; /bin/true; exit 7");
	assert_true(c.topology_known);
	capture_release(&c);
	assert_int_equal(ask(w, "SELECT count(*) FROM task WHERE comm = 'true'"),
			 2);
	/* Main, watch, and readers that ran before the end. */
	assert_in_range(ask(w, "SELECT count(*) FROM task WHERE flags & 4"), 1,
			2 + sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(ask(w, "SELECT count(*) FROM loss"), 0);
	assert_string_equal(scratch_ask(w->store, "SELECT value FROM knob "
			    "WHERE name = 'homenode.ended'"),
			    "end of the command");
}

/* What the kernel says it gave is what is in the file, event by event. */
static void every_event_is_there(void **state)
{
	struct world *w = *state;
	struct ingest_totals t;

	need_live();
	RECORD(w, 0, "--spool-only", "--no-memory", "--", self,
	       "ping-pong", "20000");
	assert_int_equal(access(w->out, F_OK), -1);
	assert_int_equal(tail_sum(w, 2, 2), 0);
	assert_int_equal(tail_sum(w, 4, 6), 0);
	import_spool(w, &t);
	assert_true(t.events > 1000);
	/* Each fork came with a task_newtask, which becomes no row. */
	assert_int_equal(t.events + t.by_kind[EVENT_FORK], tail_sum(w, 3, 3));
	assert_int_equal(t.lost, 0);
}

/* The recorder is stopped while others go on, so a small buffer must overrun. */
static void every_lost_event_is_told(void **state)
{
	struct world *w = *state;
	struct ingest_totals t;
	pid_t pid;

	need_live();
	pid = start(w, "--spool-only", "--no-memory", "--buffer", "32K", "--",
		    "sh", "-c", "echo > \"$0\"; cat \"$0\"", w->fifo, (char *)NULL);
	wait_for_fifo(w);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(ping_pong(20000), 0);
	assert_int_equal(kill(pid, SIGCONT), 0);
	assert_int_equal(ping_pong(200), 0);
	close(open(w->fifo, O_WRONLY));		/* lets cat end */
	expect(w, status_of(pid), 0);
	import_spool(w, &t);
	assert_true(t.lost > 100);
	assert_int_equal(t.lost, tail_sum(w, 4, 6));
	/* A task_newtask and its fork may stand on either side of a hole. */
	assert_in_range(t.events + t.by_kind[EVENT_FORK],
			tail_sum(w, 2, 3) - 5, tail_sum(w, 2, 3) + 5);
	assert_int_equal(ask(w, "SELECT sum(events) FROM loss"), t.lost);
}

static void passes_the_status_on(void **state)
{
	struct world *w = *state;

	need_live();
	RECORD(w, 128 + SIGKILL, "--", "sh", "-c", "kill -9 $$");
	assert_int_equal(access(w->out, F_OK), 0);
	RECORD(w, 1, "--", "true");	/* exists */
	assert_non_null(strstr(log_text(w), "--force"));
	RECORD(w, 127, "-f", "--", "no-such-program-x");
	assert_non_null(strstr(log_text(w), "cannot run 'no-such-program-x'"));
	assert_int_equal(access(w->spool, F_OK), -1);
	RECORD(w, 126, "-f", "--", "/etc/passwd");
	RECORD(w, 0, "-f", "--", "true");
}

static void a_signal_ends_it(void **state)
{
	struct world *w = *state;
	pid_t pid;

	need_live();
	pid = start(w, "--", "sh", "-c", "echo > \"$0\"; exec sleep 100", w->fifo,
		    (char *)NULL);
	wait_for_fifo(w);
	assert_int_equal(kill(pid, SIGINT), 0);
	/* COMMAND got it too, and ended by it. */
	expect(w, status_of(pid), 128 + SIGINT);
	open_file(w);
	assert_string_equal(scratch_ask(w->store, "SELECT value FROM knob "
			    "WHERE name = 'homenode.ended'"), "signal 2");
}

static void a_duration_ends_it(void **state)
{
	struct world *w = *state;

	need_live();
	RECORD(w, 0, "-d", "200ms");
	open_file(w);
	assert_in_range(ask(w, "SELECT end_ns - start_ns FROM capture"),
			100000000, 5000000000);
	assert_int_equal(ask(w, "SELECT count(*) FROM loss"), 0);
}

static void the_end_of_processes_ends_it(void **state)
{
	struct world *w = *state;
	char list[64];
	pid_t victim, pid;

	need_live();
	victim = fork();
	if (!victim) {
		pause();
		_exit(0);
	}
	snprintf(list, sizeof(list), "%d", (int)victim);
	pid = start(w, "-p", list, (char *)NULL);
	kill(victim, SIGTERM);
	/* Nobody has waited for it yet: a zombie has ended too. */
	expect(w, status_of(pid), 0);
	assert_int_equal(status_of(victim), 1000 + SIGTERM);
	open_file(w);
	assert_string_equal(scratch_ask(w->store, "SELECT value FROM knob "
			    "WHERE name = 'homenode.ended'"),
			    "end of the processes");
}

/* Everything that is told has to do with COMMAND and what it forked. */
static void only_narrows(void **state)
{
	struct world *w = *state;
	pid_t pid;

	need_live();
	pid = start(w, "--only", "--", "sh", "-c",
		    "echo > \"$0\"; /bin/true; (/bin/true); cat \"$0\"", w->fifo,
		    (char *)NULL);
	wait_for_fifo(w);
	assert_int_equal(ping_pong(500), 0);
	close(open(w->fifo, O_WRONLY));
	expect(w, status_of(pid), 0);
	open_file(w);
	scratch_exec(w->store,
		"CREATE TEMP TABLE family AS WITH RECURSIVE f(tid) AS ("
		"SELECT tid FROM task WHERE comm = 'sh' AND flags & 2 UNION "
		"SELECT child_pid FROM sched_process_fork, f "
		"WHERE parent_pid = f.tid) SELECT tid FROM f");
	assert_true(ask(w, "SELECT count(*) FROM family") >= 4);
	assert_true(ask(w, "SELECT count(*) FROM sched_switch") > 4);
	assert_int_equal(ask(w, "SELECT count(*) FROM sched_switch WHERE prev_pid "
			     "NOT IN (SELECT tid FROM family) AND next_pid NOT "
			     "IN (SELECT tid FROM family)"), 0);
}

/* Killed: the kernel stops the instance at once; the next start removes it; the
 * spool becomes a file. */
static void a_killed_recorder_is_cleaned_up(void **state)
{
	struct world *w = *state;
	struct ingest_totals t;
	char instance[200], path[800];
	struct stat st = { 0 };
	pid_t pid;
	int command, on;

	need_live();
	pid = start(w, "--", "sh", "-c", "echo $$ > \"$0\"; exec sleep 100",
		    w->fifo, (char *)NULL);
	{
		FILE *f = fopen(w->fifo, "r");

		assert_int_equal(fscanf(f, "%d", &command), 1);
		fclose(f);
	}
	name_of_instance(pid, instance, sizeof(instance));
	assert_int_equal(access(instance, F_OK), 0);
	/* The first second is on the disk when marks are. */
	snprintf(path, sizeof(path), "%s/marks", w->spool);
	for (int i = 0; i < 1000 && st.st_size < 8; i++) {
		poll(NULL, 0, 20);
		assert_int_equal(stat(path, &st), 0);
	}
	assert_true(st.st_size >= 8);
	kill(pid, SIGKILL);
	assert_int_equal(status_of(pid), 1000 + SIGKILL);
	kill(command, SIGKILL);
	assert_int_equal(access(instance, F_OK), 0);
	snprintf(path, sizeof(path), "%s/tracing_on", instance);
	on = open(path, O_RDONLY);
	assert_int_equal(read(on, path, 1), 1);
	assert_int_equal(path[0], '0');
	close(on);

	/* The spool is kept, and said to be. */
	RECORD(w, 1, "--", "true");
	assert_non_null(strstr(log_text(w), "not finished"));
	RECORD(w, 0, "--spool", folder_path(w->folder, "other"), "--", "true");
	assert_non_null(strstr(log_text(w), "killed recorder left behind"));
	assert_int_equal(access(instance, F_OK), -1);
	import_spool(w, &t);
	assert_true(t.events > 10);
	assert_string_equal(scratch_ask(w->store, "SELECT value FROM knob "
			    "WHERE name = 'homenode.ended'"), "killed");
}

/* What the user set up: the top instance, and one of his own. */
static void snapshot(char *buf, size_t size)
{
	FILE *f = popen("cd " TRACING "; for i in trace_clock buffer_size_kb "
			"tracing_on set_event current_tracer trace_options "
			"set_event_pid instances/$MINE/set_event "
			"instances/$MINE/trace_clock instances/$MINE/tracing_on "
			"instances/$MINE/trace_options; do cat $i; done", "r");
	size_t n;

	assert_non_null(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	pclose(f);
}

static void the_users_tracing_is_not_touched(void **state)
{
	struct world *w = *state;
	char before[16384], during[16384], after[16384], name[32], mine[100];
	pid_t pid;

	need_live();
	snprintf(name, sizeof(name), "mine-%d", (int)getpid());
	assert_int_equal(setenv("MINE", name, 1), 0);
	snprintf(mine, sizeof(mine), TRACING "/instances/%s", name);
	mkdir(mine, 0750);
	assert_int_equal(system("cd " TRACING "/instances/$MINE && "
				"echo sched:sched_process_exit > set_event"), 0);
	snapshot(before, sizeof(before));
	pid = start(w, "--", "sh", "-c", "echo > \"$0\"; cat \"$0\"", w->fifo,
		    (char *)NULL);
	wait_for_fifo(w);
	snapshot(during, sizeof(during));
	close(open(w->fifo, O_WRONLY));
	expect(w, status_of(pid), 0);
	snapshot(after, sizeof(after));
	assert_int_equal(rmdir(mine), 0);
	assert_string_equal(before, during);
	assert_string_equal(before, after);
	assert_non_null(strstr(before, "sched:sched_process_exit"));
}

static void two_recorders_do_not_meet(void **state)
{
	struct world *w = *state;
	struct world other = *w;
	pid_t pid;

	need_live();
	snprintf(other.out, sizeof(other.out), "%s/y.homenode", w->folder);
	snprintf(other.log, sizeof(other.log), "%s/log2", w->folder);
	pid = start(w, "--", "sh", "-c", "echo > \"$0\"; cat \"$0\"", w->fifo,
		    (char *)NULL);
	wait_for_fifo(w);
	RECORD(&other, 3, "--", "sh", "-c", "exit 3");
	/* The first one records on. */
	assert_int_equal(ping_pong(2000), 0);
	close(open(w->fifo, O_WRONLY));
	expect(w, status_of(pid), 0);
	open_file(w);
	/* One that is awake still when its byte comes need not be woken. */
	assert_true(ask(w, "SELECT count(*) FROM sched_waking") > 100);
	assert_int_equal(ask(w, "SELECT count(*) FROM loss"), 0);
}

/* A child in namespaces of its own; its status. */
static int in_namespaces(struct world *w, int flags,
			 int (*fn)(struct world *w))
{
	pid_t pid = fork();

	if (!pid) {
		if (unshare(flags) ||
		    ((flags & CLONE_NEWNS) &&
		     mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL)))
			_exit(77);
		if (flags & CLONE_NEWPID) {
			pid = fork();
			if (pid)
				_exit(status_of(pid));
		}
		_exit(fn(w));
	}
	return status_of(pid);
}

static int record_unmounted(struct world *w)
{
	char path[PATH_MAX];
	int status;

	/* Mounted several times, or on debugfs. */
	while (tracedir_find_mount("/proc/self/mounts", "tracefs", path))
		if (umount2(path, MNT_DETACH))
			return 97;
	status = status_of(start(w, "--", "sh", "-c", "exit 9", (char *)NULL));
	return tracedir_find_mount("/proc/self/mounts", "tracefs", path) ? 99 :
									   status;
}

static void mounts_tracefs_if_it_must(void **state)
{
	struct world *w = *state;
	int status;

	need_live();
	status = in_namespaces(w, CLONE_NEWNS, record_unmounted);
	if (status == 77 || strstr(log_text(w), "try 'mount -t tracefs")) {
		print_message("skipped: no mount namespaces, or no fsopen(2) "
			      "(Linux before 5.2, valgrind)\n");
		skip();
	}
	expect(w, status, 9);
	open_file(w);
	assert_true(ask(w, "SELECT count(*) FROM sched_switch") > 0);
}

static int record_in_pid_namespace(struct world *w)
{
	return status_of(start(w, "--", "sh", "-c", "exit 9", (char *)NULL));
}

static void says_so_in_a_pid_namespace(void **state)
{
	struct world *w = *state;
	int status;

	need_live();
	status = in_namespaces(w, CLONE_NEWPID, record_in_pid_namespace);
	if (status == 77) {
		print_message("skipped: no pid namespaces here\n");
		skip();
	}
	expect(w, status, 9);
	assert_non_null(strstr(log_text(w), "inside a pid namespace"));
	open_file(w);
	assert_int_equal(ask(w, "SELECT value FROM knob WHERE name = "
			     "'homenode.pid_namespace'"), 1);
	assert_int_equal(ask(w, "SELECT count(*) FROM placement"), 0);
}

/* A disk of 600 KiB, 256 of which are kept for the end. */
static int record_on_a_small_disk(struct world *w)
{
	const char *small = folder_path(w->folder, "small");
	char spool[800], command[2000];
	int status;

	if (mkdir(small, 0700) || mount("tmpfs", small, "tmpfs", 0, "size=600k"))
		return 77;
	snprintf(spool, sizeof(spool), "%s/spool", small);
	status = status_of(start(w, "--spool", spool, "--no-memory", "--",
				 self, "ping-pong", "20000",
				 (char *)NULL));
	snprintf(command, sizeof(command), "cp -r --sparse=always '%s' '%s'",
		 spool, w->spool);
	return system(command) ? 98 : status;
}

static void a_full_disk_is_told(void **state)
{
	struct world *w = *state;
	struct ingest_totals t;
	int status;

	need_live();
	status = in_namespaces(w, CLONE_NEWNS, record_on_a_small_disk);
	if (status == 77) {
		print_message("skipped: cannot mount a small disk here\n");
		skip();
	}
	expect(w, status, 1);
	assert_non_null(strstr(log_text(w), "No space left on device"));
	assert_non_null(strstr(log_text(w), "kept in"));
	assert_int_equal(access(w->out, F_OK), -1);
	import_spool(w, &t);
	assert_true(t.events > 100);
	/* Whatever the kernel counted is either there or lost. */
	assert_in_range(t.events + t.by_kind[EVENT_FORK] + t.lost,
			tail_sum(w, 2, 6) - 5, tail_sum(w, 2, 6) + 5);
	assert_true(t.lost > 0);
}

static void says_which_privilege_is_missing(void **state)
{
	struct world *w = *state;
	struct stat st;
	pid_t pid;

	need_live();
	assert_int_equal(stat(TRACING, &st), 0);
	if (st.st_mode & 0007) {
		print_message("skipped: everybody may trace here\n");
		skip();
	}
	assert_int_equal(chmod(w->folder, 0777), 0);
	assert_int_equal(chmod(w->fifo, 0666), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(77);
		_exit(status_of(start(w, "--", "true", (char *)NULL)));
	}
	expect(w, status_of(pid), 1);
	assert_non_null(strstr(log_text(w), "Permission denied"));
	assert_non_null(strstr(log_text(w), "CAP_DAC_OVERRIDE"));
	assert_int_equal(access(w->spool, F_OK), -1);
}

static void no_instance_is_left(void **state)
{
	char instance[200];

	need_live();
	name_of_instance(getpid(), instance, sizeof(instance));
	assert_int_equal(access(instance, F_OK), -1);
	/* Those of our children had other names; none of them lives. */
	assert_int_equal(system("for i in " TRACING "/instances/homenode-*; do "
				"p=${i#*homenode-}; p=${p%%-*}; "
				"[ ! -d \"$i\" ] || [ -d /proc/$p ] || exit 1; "
				"done"), 0);
}

#define WORLD_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(records_a_command),
		WORLD_TEST(cpu_time_is_what_the_task_says),
		WORLD_TEST(every_event_is_there),
		WORLD_TEST(every_lost_event_is_told),
		WORLD_TEST(passes_the_status_on),
		WORLD_TEST(a_signal_ends_it),
		WORLD_TEST(a_duration_ends_it),
		WORLD_TEST(the_end_of_processes_ends_it),
		WORLD_TEST(only_narrows),
		WORLD_TEST(a_killed_recorder_is_cleaned_up),
		WORLD_TEST(the_users_tracing_is_not_touched),
		WORLD_TEST(two_recorders_do_not_meet),
		WORLD_TEST(mounts_tracefs_if_it_must),
		WORLD_TEST(says_so_in_a_pid_namespace),
		WORLD_TEST(a_full_disk_is_told),
		WORLD_TEST(says_which_privilege_is_missing),
		cmocka_unit_test(no_instance_is_left),
	};

	if (!realpath(argv[0], self))
		return 1;
	if (argc == 3 && !strcmp(argv[1], "burn"))
		return burn(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "ping-pong"))
		return ping_pong(atoi(argv[2]));
	if (argc == 2)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

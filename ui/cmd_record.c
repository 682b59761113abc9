/* SPDX-License-Identifier: MIT */
#include "ui/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/clock.h"
#include "collect/live.h"
#include "collect/spool.h"
#include "ui/bar.h"
#include "ui/opt.h"
#include "ui/say.h"
#include "ui/table.h"

#define DEFAULT_OUTPUT "recorded.homenode"

#define SAME_SIGNAL_NS 1000000000

struct recording {
	const char *output, *spool, *pid_list, *budget;
	bool force, all, only, faults, no_faults, no_memory, spool_only, quiet;
	int64_t duration_ns, buffer_bytes, interval_ns;
	int64_t convert_ns;	/* when making the file began */
	char spool_dir[PATH_MAX];
	int *pids, nr_pids;
	char **command;
	char *command_line;
	int signal_fd;
	sigset_t old_mask;
	struct bar bar;
	int stop_signal;	/* that ended the conversion */
};

static void note(void *ctx, const char *text)
{
	struct recording *p = ctx;

	bar_clear(&p->bar);
	say("%s", text);
}

static int parse_pids(struct recording *p, struct err *err)
{
	const char *at = p->pid_list;

	while (at && *at) {
		char path[64], *end;
		long pid = strtol(at, &end, 10);
		int *new;

		if (end == at || (*end && *end != ',') || pid < 1 || pid > INT_MAX)
			return err_set(err, ERR_USAGE,
				       "--pid: '%s' is no list of pids", p->pid_list);
		snprintf(path, sizeof(path), "/proc/%ld", pid);
		if (access(path, F_OK))
			return err_set(err, ERR_NOTFOUND, "there is no process %ld",
				       pid);
		new = realloc(p->pids, ((size_t)p->nr_pids + 1) * sizeof(*new));
		if (!new)
			return err_nomem(err);
		p->pids = new;
		new[p->nr_pids++] = (int)pid;
		at = *end ? end + 1 : end;
	}
	return 0;
}

/* The command as one line, for the file. */
static int join_command(struct recording *p, struct err *err)
{
	size_t len = 1;

	for (char **arg = p->command; arg && *arg; arg++)
		len += strlen(*arg) + 1;
	p->command_line = calloc(1, len);
	if (!p->command_line)
		return err_nomem(err);
	for (char **arg = p->command; arg && *arg; arg++) {
		if (arg != p->command)
			strcat(p->command_line, " ");
		strcat(p->command_line, *arg);
	}
	return 0;
}

static int check(const struct recording *p, struct err *err)
{
	struct stat st;

	if (p->only && !p->command && !p->nr_pids)
		return err_set(err, ERR_USAGE, "--only needs COMMAND or --pid");
	if (p->only && p->all)
		return err_set(err, ERR_USAGE, "--only and --all exclude each other");
	if (p->command && p->nr_pids)
		return err_set(err, ERR_USAGE, "COMMAND and --pid exclude each other");
	if (!p->duration_ns || !p->buffer_bytes || !p->interval_ns)
		return err_set(err, ERR_USAGE, "--duration, --buffer and "
			       "--sample-interval cannot be 0");
	if (p->faults && p->no_faults)
		return err_set(err, ERR_USAGE,
			       "--faults and --no-faults exclude each other");
	if (p->spool_only)
		return 0;
	if (!stat(p->output, &st)) {
		if (!S_ISREG(st.st_mode))
			return err_set(err, ERR_EXISTS, "'%s' is not a regular file",
				       p->output);
		if (!p->force)
			return err_set(err, ERR_EXISTS,
				       "'%s' exists; --force replaces it", p->output);
	}
	return 0;
}

static int parse(struct recording *p, int argc, char **argv, struct err *err)
{
	const struct opt table[] = {
		{ "output", 'o', OPT_TEXT, &p->output },
		{ "force", 'f', OPT_FLAG, &p->force },
		{ "all", 'a', OPT_FLAG, &p->all },
		{ "pid", 'p', OPT_TEXT, &p->pid_list },
		{ "only", 0, OPT_FLAG, &p->only },
		{ "duration", 'd', OPT_TIME, &p->duration_ns },
		{ "buffer", 'b', OPT_SIZE, &p->buffer_bytes },
		{ "faults", 0, OPT_FLAG, &p->faults },
		{ "no-faults", 0, OPT_FLAG, &p->no_faults },
		{ "no-memory", 0, OPT_FLAG, &p->no_memory },
		{ "sample-interval", 0, OPT_TIME, &p->interval_ns },
		{ "sample-budget", 0, OPT_TEXT, &p->budget },
		{ "spool", 0, OPT_TEXT, &p->spool },
		{ "spool-only", 0, OPT_FLAG, &p->spool_only },
		{ "quiet", 'q', OPT_FLAG, &p->quiet },
		{ .name = NULL },
	};
	int nr = opt_parse(table, argc, argv, true, err);

	if (nr < 0)
		return nr;
	if (nr > 0) {
		p->command = argv + 1;
		p->command[nr] = NULL;
	}
	snprintf(p->spool_dir, sizeof(p->spool_dir), "%s%s",
		 p->spool ? p->spool : p->output, p->spool ? "" : ".spool");
	if (parse_pids(p, err) < 0 || join_command(p, err) < 0)
		return err->code;
	return check(p, err);
}

/* "1%", "0.5" (per cent of one CPU) to a share. */
static int parse_budget(const struct recording *p, double *share, struct err *err)
{
	char *end;
	double pct;

	*share = LIVE_SAMPLE_BUDGET;
	if (!p->budget)
		return 0;
	pct = strtod(p->budget, &end);
	if (*end == '%')
		end++;
	if (end == p->budget || *end || !(pct > 0) || pct > 100)
		return err_set(err, ERR_USAGE,
			       "--sample-budget: '%s' is no per cent of a CPU",
			       p->budget);
	*share = pct / 100;
	return 0;
}

static int catch_signals(struct recording *p, struct err *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, &p->old_mask);
	p->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (p->signal_fd < 0)
		return err_set(err, ERR_IO, "cannot wait for signals: %s",
			       strerror(errno));
	return 0;
}

/* The signal that asks to end, 0: none came. */
static int signal_came(const struct recording *p)
{
	struct signalfd_siginfo info;
	int came = 0;

	while (read(p->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			came = (int)info.ssi_signo;
	return came;
}

/* timeout(1) and service managers signal a process and its group: what comes
 * right after the signal that ended the recording says nothing new. */
static int show_progress(void *ctx, double done)
{
	struct recording *p = ctx;
	int came = signal_came(p);

	if (came && clock_now() - p->convert_ns > SAME_SIGNAL_NS)
		p->stop_signal = came;
	bar_show(&p->bar, "import", done);
	return p->stop_signal != 0;
}

static void tell(const struct recording *p, const struct ingest_totals *t)
{
	char lost[120] = "none lost";

	if (p->quiet)
		return;
	if (t->loss_intervals && !t->lost)
		snprintf(lost, sizeof(lost), "an unknown number lost in %" PRId64
			 " place%s", t->loss_intervals, text_s(t->loss_intervals));
	else if (t->lost)
		snprintf(lost, sizeof(lost), "%" PRId64 " lost in %" PRId64
			 " place%s (a larger --buffer helps)", t->lost,
			 t->loss_intervals, text_s(t->loss_intervals));
	say("'%s': %" PRId64 " events of %d tasks on %d CPU%s in %.3f s, %s",
	    p->output, t->events, t->tasks, t->cpus, text_s(t->cpus),
	    (double)(t->end_ns - t->start_ns) / 1e9, lost);
}

static int convert(struct recording *p, struct err *err)
{
	const struct spool_watch watch = { p, show_progress, note };
	struct ingest_totals totals = { 0 };
	struct err made = { 0 };
	struct store *s = NULL;

	p->convert_ns = clock_now();
	bar_init(&p->bar);
	if (store_create(&s, p->output, p->force, &made) == 0 &&
	    spool_import(p->spool_dir, s, &watch, &totals, &made) == 0)
		store_commit(s, &made);
	bar_clear(&p->bar);
	store_close(s);
	if (made.code)
		return err_set(err, made.code,
			       "%s; the recording is kept in '%s': 'homenode import "
			       "%s -o %s' makes the file",
			       made.text, p->spool_dir, p->spool_dir, p->output);
	tell(p, &totals);
	return spool_remove(p->spool_dir, err);
}

/* Waits for a COMMAND that runs on; the signal that ended the waiting, or 0. */
static int wait_for_command(struct recording *p, struct command *c)
{
	struct pollfd fd = { .fd = p->signal_fd, .events = POLLIN };
	int came = 0;

	if (c->pid > 0 && !command_ended(c) && !p->quiet)
		note(p, "the recording is over; waiting for the command");
	while (c->pid > 0 && !command_ended(c) && !came) {
		poll(&fd, 1, -1);
		came = signal_came(p);
	}
	return came;
}

static int end(struct recording *p, struct live_result *r, struct err *err)
{
	int came;

	if (r->command_failed) {
		say("%s", err->text);
		return err->code == ERR_NOTFOUND ? 127 : 126;
	}
	if (err->code && r->has_spool) {
		struct err why = *err;

		wait_for_command(p, &r->command);
		err->code = 0;
		return err_set(err, why.code,
			       "%s; what was recorded is kept in '%s': 'homenode "
			       "import %s -o %s' makes a file of it",
			       why.text, p->spool_dir, p->spool_dir, p->output);
	}
	if (err->code)
		return err->code;
	if (p->spool_only) {
		if (!p->quiet)
			say("recorded %.3f s in '%s'",
			    (double)r->duration_ns / 1e9, p->spool_dir);
	} else if (convert(p, err) < 0) {
		return err->code;
	}
	came = wait_for_command(p, &r->command);
	if (came)
		return 128 + came;
	return r->command.ended ? command_exit_status(r->command.status) : 0;
}

static int prepare_spool(const struct recording *p, struct err *err)
{
	struct stat st;

	if (stat(p->spool_dir, &st))
		return 0;
	if (!spool_is(p->spool_dir))
		return err_set(err, ERR_EXISTS,
			       "'%s' exists and is not the spool of a recording",
			       p->spool_dir);
	if (!p->force)
		return err_set(err, ERR_EXISTS,
			       "'%s' holds a recording that was not finished: "
			       "'homenode import %s' makes a file of it, --force "
			       "throws it away", p->spool_dir, p->spool_dir);
	return spool_remove(p->spool_dir, err);
}

static int record(struct recording *p, struct err *err)
{
	struct live_options o = {
		.spool_dir = p->spool_dir,
		.command = p->command,
		.command_line = p->command_line,
		.pids = p->pids,
		.nr_pids = p->nr_pids,
		.only = p->only,
		.faults = p->faults	? LIVE_FAULTS_ON :
			  p->no_faults ? LIVE_FAULTS_OFF :
					 LIVE_FAULTS_AUTO,
		.memory = !p->no_memory,
		.duration_ns = p->duration_ns < 0 ? 0 : p->duration_ns,
		.buffer_bytes = p->buffer_bytes < 0 ? 0 : p->buffer_bytes,
		.sample_interval_ns = p->interval_ns,
		.note = note,
		.ctx = p,
	};
	struct live_result r;

	if (parse_budget(p, &o.sample_budget, err) < 0 ||
	    prepare_spool(p, err) < 0 || catch_signals(p, err) < 0)
		return err->code;
	o.signal_fd = p->signal_fd;
	o.command_mask = &p->old_mask;
	if (!p->command && !p->nr_pids && p->duration_ns < 0 && !p->quiet &&
	    isatty(STDERR_FILENO))
		note(p, "recording the whole system; Ctrl-C ends it");
	live_record(&o, &r, err);
	return end(p, &r, err);
}

static int run(int argc, char **argv, struct err *err)
{
	struct recording p = {
		.output = DEFAULT_OUTPUT,
		.duration_ns = -1,	/* not given */
		.buffer_bytes = -1,
		.interval_ns = LIVE_SAMPLE_INTERVAL_NS,
		.signal_fd = -1,
	};
	int code = parse(&p, argc, argv, err);

	if (code == 0)
		code = record(&p, err);
	if (p.signal_fd >= 0) {
		sigprocmask(SIG_SETMASK, &p.old_mask, NULL);
		close(p.signal_fd);
	}
	free(p.pids);
	free(p.command_line);
	return code;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "record this host: who runs where, and where its memory is",
	.usage = "homenode record [-o F] [-a | -p PID,...] [options] "
		 "[[--] COMMAND...]",
	.help =
"Records until COMMAND ends, until all PIDs have ended, for the duration, or\n"
"until Ctrl-C, and makes one file of it.  The whole system is recorded, since a\n"
"replay needs the competitors too; --only narrows it.  With COMMAND its exit\n"
"status is passed on (128 + signal, if one ended it).\n"
"\n"
"  -o, --output F      the file (default: " DEFAULT_OUTPUT ")\n"
"  -f, --force         replace F if it exists\n"
"  -a, --all           the whole system (default)\n"
"  -p, --pid PID,...   until these processes have ended\n"
"      --only          only COMMAND or the PIDs, and what they fork\n"
"  -d, --duration T    for that long: 10s, 500ms, 2m\n"
"  -b, --buffer SIZE   ring buffer of each CPU (default: 1/64 of the memory\n"
"                      for all CPUs together, 512K to 8M for each)\n"
"      --faults, --no-faults\n"
"                      the event exceptions:page_fault_user: first touches and\n"
"                      NUMA hinting faults, from which the place of every page\n"
"                      follows.  It is the costly one (a tenth to a fifth of a\n"
"                      microsecond at each fault), so by default it is\n"
"                      recorded only where more than one node has memory: on\n"
"                      other hosts all pages are on the one node anyway\n"
"      --no-memory     do not sample where the pages of processes are\n"
"      --sample-interval T\n"
"                      between two samples of one process (default: 500ms)\n"
"      --sample-budget PCT\n"
"                      of one CPU's time for samples (default: 1)\n"
"      --spool DIR     where the raw recording lies meanwhile (default:\n"
"                      F.spool)\n"
"      --spool-only    leave it there: 'homenode import DIR' makes the file\n"
"  -q, --quiet         say nothing where all is well\n"
"\n"
"It takes root, or access to tracefs: CAP_DAC_OVERRIDE, CAP_SYS_PTRACE for the\n"
"memory of other users' processes, and CAP_SYS_ADMIN where tracefs is not\n"
"mounted.  All is recorded in a tracing instance of its own, which is removed\n"
"at the end; your tracing is not touched.  If the recorder is killed, the next\n"
"one removes the instance, and 'homenode import F.spool' makes the file.\n",
	.run = run,
};

// SPDX-License-Identifier: MIT
/*
 * workload - memory-bound work that says of itself where it ran
 *
 * An independent witness for what homenode reports: it uses no tracing, only
 * what a thread can see by itself.  Modelled on numa_test, numa01 and numa02
 * (algorithms.md K.1, K.2): P processes, each with one anonymous array that
 * its main thread fills (first touch) and that its T threads then walk at
 * random, one read-modify-write a step.
 *
 *   numa_test  --procs 8 --mem 20              one thread, private array
 *   numa01     --procs 2 --threads 4 --mem 32  the threads share the array
 *   numa02     --threads 8 --mem 64 --parts    each thread has its own part
 *
 * A walk ends after --seconds or --steps, whichever comes first.  With
 * --start-node everything is bound to that node until the walk begins and is
 * then let go.  Arrays use base pages unless --thp is given.
 *
 * Output: lines of "witness KIND key=value ...".  Lists are ID:VALUE,... with
 * zero values left out ("-" if none is left).
 *
 *   witness array pid proc at=start|now|end ns addr bytes page_size pages absent
 *       Pages of the process's array on each node, as move_pages(2) says, at
 *       CLOCK_MONOTONIC ns.  absent counts pages it gives no node for: those
 *       never touched.  (Pages marked for a NUMA hinting fault it would not
 *       tell of either: a change of protection there and back takes the marks
 *       away, without a fault that could move the page.)  start is asked before
 *       the first window of the process, end after the last (the process does
 *       nothing for --rest S after either, and no page is marked again), now (--watch MS) by its first
 *       thread at least MS ms apart, marks left alone.
 *   witness thread pid tid proc thread from_ns to_ns cpu_ns node_ns unsure_ns
 *                  charged_ns edge_ns faults first_node last_node most_node steps
 *                  samples
 *       The walk of one thread: its window by CLOCK_MONOTONIC, its own CPU
 *       time in it, and that time on each node (the sum is cpu_ns).  It looks
 *       at its CPU every GLANCE steps, reads its CPU time every CHUNK steps and
 *       where it finds itself on another CPU, and counts the time between two
 *       readings for the node of the first: a thread is mostly moved at a tick,
 *       soon before the reading that finds it elsewhere.  Where the nodes
 *       differ that time is counted in unsure_ns too: no value of node_ns is
 *       wrong by more than that.  Emulated CPUs stand still now and then, so
 *       unsure_ns can be long; for that there is
 *       charged_ns (with --cpuacct): the time that the kernel's accounting of
 *       CPU time charged to the thread on the CPUs of each node in the window.
 *       edge_ns is how long it took to note where the window begins and ends: so
 *       much may be charged and not be in the window, or the other way round.
 *       faults is how many page faults it had in the window (getrusage).
 *   witness done elapsed_ns procs threads
 *
 * The array has a page on either side that nobody may touch, so that the kernel
 * does not make one area of it and its neighbour: it is an area by itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "charge.h"

#define GLANCE	     16	  /* steps between two looks, ~10 us if emulated */
#define CHUNK	     256  /* steps between two readings of the CPU time */
#define QUICK_NS     1000000 /* a window is bounded in less */
#define MAX_NODES    CHARGE_MAX_NODES
#define MAX_CPUS     1024 /* CPU numbers are below this */
#define PAGES_A_CALL 1024 /* asked of one move_pages(2) */

struct options {
	int nr_procs, nr_threads;
	int start_node; /* -1: not bound */
	int64_t mem_bytes;
	int64_t limit_ns, limit_steps;
	bool parts;
	bool thp;
	int64_t watch_ns;    /* between two looks at the pages; 0: none */
	time_t rest_s;       /* after the pages were asked for */
	const char *cpuacct; /* where that controller is mounted; NULL: not */
};

struct process {
	const struct options *opt;
	int nr;
	uint64_t *array;
	cpu_set_t allowed;
	signed char node_of[MAX_CPUS]; /* -1 unknown */
};

struct worker {
	const struct process *process;
	int nr;
	pthread_t thread;
	pid_t tid;
	int64_t from_ns, to_ns, cpu_ns, unsure_ns, edge_ns;
	int64_t node_ns[MAX_NODES];
	int64_t charged_ns[MAX_NODES];
	int64_t nr_steps, nr_samples, faults;
	int first_node, last_node;
	unsigned int last_cpu;
	int64_t read_ns; /* CPU time when it was read last */
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* One line is one write(2), whatever stdout is: those of several processes do not
 * mix in a pipe or in a file opened for appending. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[4096];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(STDOUT_FILENO, line, (size_t)len) != len)
		fail("cannot write");
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		fail("cannot read a clock");
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int current_node(unsigned int *cpu)
{
	unsigned int node;

	if (getcpu(cpu, &node))
		fail("cannot ask for the node");
	if (node >= MAX_NODES) {
		errno = ERANGE;
		fail("node id");
	}
	return (int)node;
}

static const char *list_str(const int64_t *value, char *buf, size_t size)
{
	size_t len = 0;

	snprintf(buf, size, "-");
	for (int node = 0; node < MAX_NODES; node++) {
		if (!value[node])
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%d:%" PRId64,
					len ? "," : "", node, value[node]);
	}
	return buf;
}

/* Pages marked for a NUMA hinting fault become ordinary ones; for good: areas that
 * have a policy of their own are not marked. */
static void unmark(const struct process *process, bool for_good)
{
	const size_t bytes = (size_t)process->opt->mem_bytes;

	if (for_good && syscall(SYS_mbind, process->array, bytes, MPOL_LOCAL,
				NULL, 0UL, 0U))
		fail("cannot set the array's policy");
	if (mprotect(process->array, bytes, PROT_READ) ||
	    mprotect(process->array, bytes, PROT_READ | PROT_WRITE))
		fail("cannot change the array's protection");
}

/* Counts the array's pages by node; returns how many have none. */
static int64_t count_pages(const struct process *process, size_t page_size,
			   int64_t *pages)
{
	const size_t bytes = (size_t)process->opt->mem_bytes;
	int64_t absent = 0;

	memset(pages, 0, MAX_NODES * sizeof(*pages));
	for (size_t done = 0; done < bytes;) {
		void *address[PAGES_A_CALL];
		int status[PAGES_A_CALL];
		size_t n = 0;

		for (; n < PAGES_A_CALL && done < bytes; done += page_size)
			address[n++] = (char *)process->array + done;
		if (syscall(SYS_move_pages, 0, n, address, NULL, status, 0))
			fail("cannot ask for the nodes of pages");
		for (size_t i = 0; i < n; i++) {
			if (status[i] >= 0 && status[i] < MAX_NODES)
				pages[status[i]]++;
			else
				absent++;
		}
	}
	return absent;
}

/* The kernel may mark pages again before they were counted: then anew. */
static void report_array(const struct process *process, const char *at)
{
	const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	int64_t pages[MAX_NODES], absent;
	int tries = strcmp(at, "now") ? 50 : 0;
	char list[2048];

	do {
		if (tries)
			unmark(process, !strcmp(at, "end"));
		absent = count_pages(process, page_size, pages);
	} while (absent && tries-- > 1);
	say("witness array pid=%d proc=%d at=%s ns=%" PRId64 " addr=0x%" PRIxPTR
	    " bytes=%" PRId64 " page_size=%zu pages=%s"
	    " absent=%" PRId64 "\n",
	    (int)getpid(), process->nr, at, clock_ns(CLOCK_MONOTONIC),
	    (uintptr_t)process->array, process->opt->mem_bytes, page_size,
	    list_str(pages, list, sizeof(list)), absent);
}

static void report_thread(const struct worker *worker)
{
	char list[2048], charged[2048];
	int most = 0;

	for (int node = 1; node < MAX_NODES; node++) {
		if (worker->node_ns[node] > worker->node_ns[most])
			most = node;
	}
	say("witness thread pid=%d tid=%d proc=%d thread=%d from_ns=%" PRId64
	    " to_ns=%" PRId64 " cpu_ns=%" PRId64 " node_ns=%s"
	    " unsure_ns=%" PRId64 " charged_ns=%s edge_ns=%" PRId64
	    " faults=%" PRId64 " first_node=%d last_node=%d most_node=%d"
	    " steps=%" PRId64 " samples=%" PRId64 "\n",
	    (int)getpid(), (int)worker->tid, worker->process->nr, worker->nr,
	    worker->from_ns, worker->to_ns, worker->cpu_ns,
	    list_str(worker->node_ns, list, sizeof(list)), worker->unsure_ns,
	    list_str(worker->charged_ns, charged, sizeof(charged)),
	    worker->edge_ns,
	    worker->faults, worker->first_node, worker->last_node, most, worker->nr_steps,
	    worker->nr_samples);
}

/* Counts the CPU time since the reading before; cpu, node: where we are. */
static void credit(struct worker *worker, unsigned int cpu, int node)
{
	int64_t now_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t ns = now_ns - worker->read_ns;

	worker->node_ns[worker->last_node] += ns;
	if (node != worker->last_node)
		worker->unsure_ns += ns;
	worker->cpu_ns += ns;
	worker->read_ns = now_ns;
	worker->last_cpu = cpu;
	worker->last_node = node;
	worker->nr_samples++;
}

/*
 * Begins (sign -1) or ends (1) the window: what was charged so far, and the CPU
 * time at the same moment, which is returned.  An emulated CPU that stands still
 * meanwhile would put them apart: then again, and how far apart they are at last is
 * said.
 */
static int64_t bound_window(struct worker *worker, int sign)
{
	const struct process *process = worker->process;
	int64_t by_node[MAX_NODES] = { 0 }, at_ns, before_ns, took_ns;
	struct rusage usage;
	unsigned int cpu;
	int tries = 50, node;

	do {
		before_ns = clock_ns(CLOCK_MONOTONIC);
		node = current_node(&cpu);
		if (sign > 0)
			credit(worker, cpu, node);
		worker->read_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		worker->last_cpu = cpu;
		worker->last_node = node;
		at_ns = clock_ns(CLOCK_MONOTONIC);
		if (process->opt->cpuacct &&
		    charge_read(process->opt->cpuacct, process->node_of,
				MAX_CPUS, by_node))
			fail("cannot read what is charged");
		took_ns = clock_ns(CLOCK_MONOTONIC) - before_ns;
	} while (took_ns > QUICK_NS && --tries);
	worker->edge_ns += took_ns;
	if (getrusage(RUSAGE_THREAD, &usage))
		fail("cannot ask for page faults");
	worker->faults += sign * (usage.ru_minflt + usage.ru_majflt);
	for (node = 0; node < MAX_NODES; node++)
		worker->charged_ns[node] += sign * by_node[node];
	return at_ns;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* CHUNK steps.  A look costs little: it is no system call. */
static void walk_chunk(struct worker *worker, uint64_t *part, size_t nr_words,
		       uint64_t *random)
{
	unsigned int cpu;
	int node;

	for (int i = 0; i < CHUNK; i += GLANCE) {
		for (int k = 0; k < GLANCE; k++)
			part[next_random(random) % nr_words] += *random;
		node = current_node(&cpu);
		if (cpu != worker->last_cpu)
			credit(worker, cpu, node);
	}
	node = current_node(&cpu);
	credit(worker, cpu, node);
	worker->nr_steps += CHUNK;
}

/* Reading the CPU time also brings up to date what is charged. */
static void walk(struct worker *worker, uint64_t *part, size_t nr_words)
{
	const struct options *opt = worker->process->opt;
	uint64_t random = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)worker->tid;
	int64_t look_ns = opt->watch_ns && !worker->nr ? 0 : INT64_MAX;

	worker->from_ns = bound_window(worker, -1);
	worker->first_node = worker->last_node;
	do {
		walk_chunk(worker, part, nr_words, &random);
		worker->to_ns = clock_ns(CLOCK_MONOTONIC);
		if (worker->to_ns >= look_ns) {
			report_array(worker->process, "now");
			look_ns = worker->to_ns + opt->watch_ns;
		}
	} while (worker->to_ns - worker->from_ns < opt->limit_ns &&
		 worker->nr_steps < opt->limit_steps);
	worker->to_ns = bound_window(worker, 1);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	const struct process *process = worker->process;
	const struct options *opt = process->opt;
	size_t nr_words = (size_t)opt->mem_bytes / sizeof(uint64_t);
	uint64_t *part = process->array;

	worker->tid = (pid_t)syscall(SYS_gettid);
	if (opt->parts) {
		nr_words /= (size_t)opt->nr_threads;
		part += nr_words * (size_t)worker->nr;
	}
	if (opt->start_node >= 0 &&
	    sched_setaffinity(0, sizeof(process->allowed), &process->allowed))
		fail("cannot leave the start node");
	if (opt->cpuacct && charge_begin(opt->cpuacct))
		fail("cannot make a group of cpuacct");
	walk(worker, part, nr_words);
	if (opt->cpuacct && charge_end(opt->cpuacct))
		fail("cannot leave the group of cpuacct");
	return NULL;
}

/* The kernel's list format: 0-1,4. */
static void read_cpulist(int node, cpu_set_t *set)
{
	char path[64], text[4096], *at = text;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist",
		 node);
	file = fopen(path, "r");
	if (!file || !fgets(text, sizeof(text), file))
		fail(path);
	fclose(file);
	CPU_ZERO(set);
	while (*at >= '0' && *at <= '9') {
		unsigned long cpu = strtoul(at, &at, 10), last = cpu;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		for (; cpu <= last; cpu++)
			CPU_SET(cpu, set);
		if (*at == ',')
			at++;
	}
}

static void find_nodes(struct process *process)
{
	char path[64];

	memset(process->node_of, -1, sizeof(process->node_of));
	for (int node = 0; node < MAX_NODES; node++) {
		cpu_set_t cpus;

		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d",
			 node);
		if (access(path, F_OK))
			continue;
		read_cpulist(node, &cpus);
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (CPU_ISSET(cpu, &cpus))
				process->node_of[cpu] = (signed char)node;
		}
	}
}

static void bind_to_start(struct process *process)
{
	cpu_set_t start;

	if (process->opt->start_node < 0)
		return;
	read_cpulist(process->opt->start_node, &start);
	if (sched_getaffinity(0, sizeof(cpu_set_t), &process->allowed) ||
	    sched_setaffinity(0, sizeof(start), &start))
		fail("cannot bind to the start node");
}

static void fill(struct process *process)
{
	const struct options *opt = process->opt;
	size_t bytes = (size_t)opt->mem_bytes;
	size_t guard = (size_t)sysconf(_SC_PAGESIZE);
	char *whole;

	whole = mmap(NULL, bytes + 2 * guard, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (whole == MAP_FAILED ||
	    mprotect(whole + guard, bytes, PROT_READ | PROT_WRITE))
		fail("cannot allocate the array");
	process->array = (uint64_t *)(void *)(whole + guard);
	/* EINVAL: a kernel without huge pages. */
	if (!opt->thp && madvise(process->array, bytes, MADV_NOHUGEPAGE) &&
	    errno != EINVAL)
		fail("cannot turn huge pages off");
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		process->array[i] = i;
}

static void rest(const struct options *opt)
{
	struct timespec left = { .tv_sec = opt->rest_s };

	while (nanosleep(&left, &left) && errno == EINTR)
		continue;
}

static void process_main(const struct options *opt, int nr)
{
	struct process process = { .opt = opt, .nr = nr };
	struct worker *worker;

	worker = calloc((size_t)opt->nr_threads, sizeof(*worker));
	if (!worker)
		fail("cannot allocate");
	find_nodes(&process);
	bind_to_start(&process);
	fill(&process);
	report_array(&process, "start");
	rest(opt);
	for (int i = 0; i < opt->nr_threads; i++) {
		worker[i].process = &process;
		worker[i].nr = i;
	}
	/* The main thread is worker 0: a process of one has one thread. */
	for (int i = 1; i < opt->nr_threads; i++) {
		errno = pthread_create(&worker[i].thread, NULL, worker_main,
				       &worker[i]);
		if (errno)
			fail("cannot make a thread");
	}
	worker_main(&worker[0]);
	for (int i = 1; i < opt->nr_threads; i++)
		pthread_join(worker[i].thread, NULL);
	report_array(&process, "end");
	rest(opt);
	for (int i = 0; i < opt->nr_threads; i++)
		report_thread(&worker[i]);
	free(worker);
}

static int64_t number(const char *text, int64_t min, int64_t max)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < min || n > max) {
		fprintf(stderr,
			"workload: '%s' is not a number from %" PRId64
			" to %" PRId64 "\n",
			text, min, max);
		exit(2);
	}
	return n;
}

static void parse(int argc, char **argv, struct options *opt)
{
	static const struct option options[] = {
		{ "procs", required_argument, NULL, 'p' },
		{ "threads", required_argument, NULL, 't' },
		{ "mem", required_argument, NULL, 'm' },
		{ "seconds", required_argument, NULL, 's' },
		{ "steps", required_argument, NULL, 'n' },
		{ "start-node", required_argument, NULL, 'N' },
		{ "parts", no_argument, NULL, 'P' },
		{ "thp", no_argument, NULL, 'H' },
		{ "cpuacct", required_argument, NULL, 'c' },
		{ "watch", required_argument, NULL, 'w' },
		{ "rest", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'p')
			opt->nr_procs = (int)number(optarg, 1, 4096);
		else if (c == 't')
			opt->nr_threads = (int)number(optarg, 1, 4096);
		else if (c == 'm')
			opt->mem_bytes = number(optarg, 1, 1 << 20) << 20;
		else if (c == 's')
			opt->limit_ns = number(optarg, 1, 1000000) * 1000000000;
		else if (c == 'n')
			opt->limit_steps = number(optarg, 1, INT64_MAX);
		else if (c == 'N')
			opt->start_node = (int)number(optarg, 0, MAX_NODES - 1);
		else if (c == 'P')
			opt->parts = true;
		else if (c == 'H')
			opt->thp = true;
		else if (c == 'c')
			opt->cpuacct = optarg;
		else if (c == 'w')
			opt->watch_ns = number(optarg, 1, 1000000) * 1000000;
		else if (c == 'r')
			opt->rest_s = (time_t)number(optarg, 0, 1000);
		else
			optind = argc + 1;
	}
	if (optind == argc)
		return;
	fprintf(stderr, "usage: workload [--procs P] [--threads T] [--mem MiB]"
			" [--seconds S] [--steps N]\n"
			"                [--start-node N] [--parts] [--thp]"
			" [--cpuacct DIR]"
			" [--watch MS] [--rest S]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct options opt = {
		.nr_procs = 1,
		.nr_threads = 1,
		.start_node = -1,
		.mem_bytes = INT64_C(20) << 20,
		.limit_ns = INT64_C(10) * 1000000000,
		.limit_steps = INT64_MAX,
	};
	int64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	bool failed = false;
	int status;

	parse(argc, argv, &opt);
	for (int i = 0; i < opt.nr_procs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("cannot fork");
		if (!pid) {
			process_main(&opt, i);
			return 0;
		}
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	say("witness done elapsed_ns=%" PRId64 " procs=%d threads=%d\n",
	    clock_ns(CLOCK_MONOTONIC) - start_ns, opt.nr_procs, opt.nr_threads);
	return failed;
}

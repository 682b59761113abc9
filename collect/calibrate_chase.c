/* SPDX-License-Identifier: MIT */
#include "collect/calibrate_local.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/clock.h"
#include "model/err.h"

#define ALIGN (INT64_C(2) << 20)	/* of huge pages on most machines */
#define AT_ONCE 8			/* cycles that a co-runner follows */
#define SPOT_PAGES 64			/* pages whose node is looked at */

/* -- a buffer ------------------------------------------------------------------ */

static int bind_memory(struct chase *c, int node, struct err *err)
{
	unsigned long mask[TOPO_MAX_NODES / (8 * sizeof(unsigned long)) + 1];
	const size_t bits = 8 * sizeof(mask[0]);

	memset(mask, 0, sizeof(mask));
	mask[(size_t)node / bits] = 1UL << ((size_t)node % bits);
	if (syscall(SYS_mbind, c->base, c->bytes, MPOL_BIND, mask,
		    8 * sizeof(mask), 0UL))
		return err_set(err, ERR_USAGE, "cannot bind memory to it: %s",
			       strerror(errno));
	return 0;
}

/* A kernel may have put pages elsewhere without a word. */
static int check_places(const struct chase *c, int node, struct err *err)
{
	void *page[SPOT_PAGES];
	int status[SPOT_PAGES];

	for (size_t i = 0; i < SPOT_PAGES; i++)
		page[i] = c->base + c->bytes / SPOT_PAGES * i;
	if (syscall(SYS_move_pages, 0, (long)SPOT_PAGES, page, NULL, status, 0))
		return 0;	/* not told: mbind() is trusted */
	for (int i = 0; i < SPOT_PAGES; i++)
		if (status[i] >= 0 && status[i] != node)
			return err_set(err, ERR_USAGE, "its memory came from "
				       "node %d instead", status[i]);
	return 0;
}

/* Bytes on huge pages, by the line AnonHugePages of the area. */
static int64_t huge_bytes_of(const struct chase *c)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	unsigned long start, end;
	int64_t bytes = 0;
	bool within = false;
	char line[512];
	long long kib;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			within = start < (uintptr_t)c->base + c->bytes &&
				 end > (uintptr_t)c->base;
		else if (within &&
			 sscanf(line, "AnonHugePages: %lld", &kib) == 1)
			bytes += kib * 1024;
	}
	if (f)
		fclose(f);
	return bytes < (int64_t)c->bytes ? bytes : (int64_t)c->bytes;
}

static void **line_at(const struct chase *c, size_t i)
{
	return (void **)(void *)(c->base + i * CHASE_LINE);
}

static int fill(struct chase *c, struct err *err)
{
	uint32_t *next = malloc((size_t)c->nr_lines * sizeof(*next));

	if (!next)
		return err_nomem(err);
	for (size_t half = 0; half < 2; half++) {
		size_t first = half * c->nr_lines;

		chase_cycle(next, c->nr_lines, half + 1);
		for (uint32_t i = 0; i < c->nr_lines; i++)
			*line_at(c, first + i) = line_at(c, first + next[i]);
	}
	free(next);
	return 0;
}

int chase_open(struct chase *c, int node, bool bind, int64_t half_bytes,
	       struct err *err)
{
	size_t half = (size_t)((half_bytes + ALIGN - 1) / ALIGN * ALIGN);

	*c = (struct chase){
		.bytes = 2 * half,
		.nr_lines = (uint32_t)(half / CHASE_LINE),
	};
	c->base = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->base == MAP_FAILED) {
		c->base = NULL;
		return err_nomem(err);
	}
	/* Refused where the kernel has no huge pages: then without. */
	madvise(c->base, c->bytes, MADV_HUGEPAGE);
	if ((bind && bind_memory(c, node, err)) || fill(c, err) ||
	    (bind && check_places(c, node, err)))
		return err->code;
	c->huge_bytes = huge_bytes_of(c);
	return 0;
}

void chase_close(struct chase *c)
{
	if (c->base)
		munmap(c->base, c->bytes);
	*c = (struct chase){ 0 };
}

/* -- following it ---------------------------------------------------------------- */

int64_t chase_follow(const struct chase *c, uint32_t *at, int nr_loads)
{
	void *volatile *p = line_at(c, *at);
	int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID), ns;

	for (int i = 0; i < nr_loads; i++)
		p = *p;
	ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	*at = (uint32_t)(((uintptr_t)p - (uintptr_t)c->base) / CHASE_LINE);
	return ns * 1000 / nr_loads;
}

int chase_bind_cpu(int cpu, struct err *err)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int failed;

	if (!set)
		return err_nomem(err);
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	failed = sched_setaffinity(0, size, set);
	CPU_FREE(set);
	return failed ? err_set(err, ERR_USAGE, "cannot run on CPU %d: %s", cpu,
				strerror(errno)) : 0;
}

/* -- co-runners -------------------------------------------------------------------- */

struct co_runner {
	struct co_runners *all;
	int nr, cpu;
	pthread_t thread;
	struct err err;
};

struct co_runners {
	const struct chase *chase;
	atomic_bool stop;
	sem_t running;
	int wanted, nr;
	struct co_runner each[];
};

/* The places start far apart, and so do those of all co-runners. */
static void spread_out(const struct co_runner *r, void **p[AT_ONCE])
{
	const struct chase *c = r->all->chase;
	size_t all = (size_t)r->all->wanted * AT_ONCE;

	for (size_t i = 0; i < AT_ONCE; i++) {
		size_t k = (size_t)r->nr * AT_ONCE + i;

		p[i] = line_at(c, c->nr_lines + c->nr_lines / all * k);
	}
}

static void *co_run(void *ctx)
{
	struct co_runner *r = ctx;
	void **p[AT_ONCE];

	spread_out(r, p);
	chase_bind_cpu(r->cpu, &r->err);
	sem_post(&r->all->running);
	while (!r->err.code &&
	       !atomic_load_explicit(&r->all->stop, memory_order_relaxed))
		for (int n = 0; n < 100; n++)
			for (int i = 0; i < AT_ONCE; i++)
				p[i] = *(void **volatile *)p[i];
	return NULL;
}

int co_runners_start(struct co_runners **out, const struct chase *c,
		     const int *cpu, int nr, struct err *err)
{
	struct co_runners *r = calloc(1, sizeof(*r) +
				      (size_t)nr * sizeof(r->each[0]));
	int error = 0;

	*out = r;
	if (!r)
		return err_nomem(err);
	r->chase = c;
	r->wanted = nr;
	sem_init(&r->running, 0, 0);
	for (; r->nr < nr && !error; r->nr += !error) {
		struct co_runner *each = &r->each[r->nr];

		*each = (struct co_runner){ .all = r, .nr = r->nr,
					    .cpu = cpu[r->nr] };
		error = pthread_create(&each->thread, NULL, co_run, each);
	}
	for (int i = 0; i < r->nr; i++)
		sem_wait(&r->running);
	for (int i = 0; i < r->nr; i++)
		if (r->each[i].err.code)
			err_set(err, r->each[i].err.code, "%s",
				r->each[i].err.text);
	if (error)
		err_set(err, ERR_IO, "cannot start a thread: %s",
			strerror(error));
	return err->code;
}

void co_runners_stop(struct co_runners *r)
{
	if (!r)
		return;
	atomic_store(&r->stop, true);
	for (int i = 0; i < r->nr; i++)
		pthread_join(r->each[i].thread, NULL);
	sem_destroy(&r->running);
	free(r);
}

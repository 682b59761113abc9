/* SPDX-License-Identifier: MIT */
#include "collect/live_local.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collect/procfs.h"
#include "collect/topo_read.h"
#include "model/err.h"

#define FDS_PER_CPU 4 /* ring, file, both ends of a pipe */
#define FDS_OTHER 64

static int read_cpus(const char *which, struct cpumask *cpus, struct err *err)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", which);
	if (procfs_read(path, text, sizeof(text)) < 0)
		return err_set(err, ERR_IO, "cannot read '%s': %s", path,
			       strerror(errno));
	text[strcspn(text, "\n")] = '\0';
	return cpumask_parse(cpus, text, err);
}

static void raise_fd_limit(int nr_cpus)
{
	rlim_t need = (rlim_t)nr_cpus * FDS_PER_CPU + FDS_OTHER;
	struct rlimit limit;

	/* Where it does not suffice, opening says so. */
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return;
	limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int live_find_cpus(struct live *l, struct err *err)
{
	struct cpumask possible = { 0 };
	int cpu = -1;

	if (read_cpus("possible", &possible, err) == 0)
		while ((cpu = cpumask_next(&possible, cpu)) >= 0)
			l->nr_cpus = cpu + 1;
	cpumask_release(&possible);
	if (err->code)
		return err->code;
	l->reader = calloc((size_t)l->nr_cpus + 1, sizeof(*l->reader));
	if (!l->reader)
		return err_nomem(err);
	raise_fd_limit(l->nr_cpus);
	return read_cpus("online", &l->online, err);
}

static void mark(void *ctx, int cpu, int64_t ns)
{
	struct live *l = ctx;

	spool_mark(l->spool, cpu, ns);
}

static int start_reader(struct live *l, int cpu, struct err *err)
{
	char file[PATH_MAX];
	struct reader_setup setup = {
		.cpu = cpu,
		.page_bytes = (size_t)instance_page_bytes(l->instance),
		.buffer_bytes = instance_buffer_bytes(l->instance),
		.stop_fd = l->stop_fd,
		.failed_fd = l->failed_fd,
		.file = file,
		.mark = mark,
		.ctx = l,
	};

	if (cpu >= l->nr_cpus || l->reader[cpu])
		return 0;
	snprintf(file, sizeof(file), "%.*s/cpu%d.raw", PATH_MAX - 32,
		 spool_dir(l->spool), cpu);
	setup.ring_fd = instance_open_cpu(l->instance, cpu, err);
	if (setup.ring_fd < 0)
		return err->code;
	setup.out_fd = spool_open_cpu(l->spool, cpu, err);
	if (setup.out_fd < 0) {
		close(setup.ring_fd);
		return err->code;
	}
	return reader_start(&l->reader[cpu], &setup, err);
}

int live_start_readers(struct live *l, struct err *err)
{
	int code = 0;

	for (int cpu = cpumask_next(&l->online, -1); cpu >= 0 && code == 0;
	     cpu = cpumask_next(&l->online, cpu))
		code = start_reader(l, cpu, err);
	return code;
}

static int put_topo_again(struct live *l, struct err *err)
{
	struct topo topo = { 0 };
	int code = topo_read_live(&topo, "", err);

	if (code == 0)
		code = spool_put_topo(l->spool, &topo, err);
	topo_release(&topo);
	return code;
}

int live_follow_cpus(struct live *l, struct err *err)
{
	struct cpumask online = { 0 };
	bool came = false;
	int code = read_cpus("online", &online, err);

	for (int cpu = cpumask_next(&online, -1); cpu >= 0 && code == 0;
	     cpu = cpumask_next(&online, cpu)) {
		if (cpumask_test(&l->online, cpu))
			continue;
		came = true;
		code = cpumask_set(&l->online, cpu) < 0 ? err_nomem(err) :
							  start_reader(l, cpu, err);
	}
	if (code == 0 && came)
		code = put_topo_again(l, err);
	cpumask_release(&online);
	return code;
}

int live_stop_readers(struct live *l, int *error, struct err *err)
{
	const uint64_t one = 1;

	*error = 0;
	if (l->stop_fd >= 0)
		(void)!write(l->stop_fd, &one, sizeof(one));
	for (int cpu = 0; cpu < l->nr_cpus; cpu++) {
		reader_join(l->reader[cpu], error, err);
		l->reader[cpu] = NULL;
	}
	return err->code;
}

int live_put_tail(struct live *l, int64_t end_ns, const char *reason,
		  struct err *err)
{
	struct cpu_stats *stats = calloc((size_t)l->nr_cpus + 1, sizeof(*stats));
	struct spool_tail tail = {
		.end_ns = end_ns, .reason = reason, .nr_cpus = l->nr_cpus,
	};
	int code = 0;

	if (!stats)
		return err_nomem(err);
	for (int cpu = cpumask_next(&l->online, -1);
	     cpu >= 0 && cpu < l->nr_cpus && code == 0;
	     cpu = cpumask_next(&l->online, cpu))
		code = instance_cpu_stats(l->instance, cpu, &stats[cpu], err);
	tail.stats = stats;
	if (code == 0)
		code = spool_put_tail(l->spool, &tail, err);
	free(stats);
	return code;
}

/* SPDX-License-Identifier: MIT */
/* Writes the seeds that are made, not found, under a folder: DIR/TARGET/NAME. */
#include "tests/collect/spool_build.h"
#include "tests/fuzz/spool_names.h"
#include "tests/support/dat_build.h"
#include "tests/support/dat_pack.h"
#include "tests/support/folder.h"
#include "tests/support/perf_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *dir;

static void put(const char *target, int n, const void *bytes, size_t len)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", dir, target);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/made-%d", dir, target, n);
	if (file_write(path, bytes, len) < 0)
		exit(1);
}

static void perf_seeds(void)
{
	for (int n = 0; n < 8; n++) {
		struct perf_build b;
		uint8_t *bytes;
		size_t len;

		perf_build_init(&b, &(struct perf_form){
			.big_endian = n & 1, .is_pipe = n & 2,
			.pack = n & 4 ? dat_pack : NULL,
		});
		perf_build_comm(&b, 10, 12, "worker");
		perf_build_cycles(&b, 0, 900);
		perf_build_switch(&b, 0, 1000, 0, "swapper/0", 0, "a", 11);
		perf_build_switch(&b, 2, 900, 0, "swapper/2", 0, "b", 12);
		perf_build_round(&b);
		perf_build_fork(&b, 2500, 20, 21);
		perf_build_lost(&b, 2, 2600, 5);
		perf_build_switch(&b, 2, 2600, 10, "b", 12, "swapper/2", 0);
		perf_build_round(&b);
		bytes = perf_build_done(&b, &len);
		put("perf", n, bytes, len);
		free(bytes);
	}
}

static void dat_seeds(void)
{
	for (int n = 0; n < 6; n++) {
		struct dat_build b;
		char path[400];
		uint8_t *bytes;
		size_t len;

		dat_build_init(&b, &(struct dat_form){
			.version = n < 3 ? 6 : 7, .nr_cpus = 2,
			.big_endian = n == 1, .long_size = n == 2 ? 4 : 8,
			.compression = n < 4 ? NULL : n == 4 ? "zstd" : "zlib",
			.pack = n < 4 ? NULL : dat_pack, .page_size = 1024,
			.uname = "Linux h 6.1 x86_64", .clock = "mono",
			.cmdlines = "11 a\n12 b\n",
		});
		dat_build_switch(&b, 0, 1000, "a", 11, 1, "b", 12);
		dat_build_missed(&b, 1, 5);
		dat_build_switch(&b, 1, 1500, "c", 13, 1, "d", 14);
		dat_build_fork(&b, 0, 2000, "b", 12, "b", 15);
		dat_build_exec(&b, 0, 2500, "/bin/e", 15, 15);
		dat_build_page(&b, 0);
		dat_build_switch(&b, 0, 3000, "b", 12, 1, "a", 11);
		snprintf(path, sizeof(path), "%s/dat.tmp", dir);
		dat_build_write(&b, path);
		bytes = file_read(path, &len);
		put("dat", n, bytes, len);
		free(bytes);
		remove(path);
		dat_build_release(&b);
	}
}

static void topology_seeds(void)
{
	static const char *const topologies[] = {
		"\1numa:4 core:2 pu:1", "\1pack:2 numa:2 l3:1 core:4 pu:2",
		"\2" "10,20;20,10", "\2" "0,1=21;0,2=31", "\3" "4=64G",
		"\4node 0 online mem=5 cpus=0-3",
		"\5available: 2 nodes (0,3)\nnode 0 cpus: 0 1\nnode 0 size: 1 MB\nnode 3 cpus: 1 2\nnode distances:\nnode   0   3 \n  0:  10  255 \n  3:  17  10 \n",
	};

	for (int n = 0; n < 7; n++)
		put("topology", n, topologies[n], strlen(topologies[n]));
}

static void put_spool_text(const char *path, const char *name, const char *text)
{
	char file[500];

	snprintf(file, sizeof(file), "%s/%s", path, name);
	if (file_write(file, text, strlen(text)) < 0)
		exit(1);
}

/* Two tasks on two CPUs, a lost event and a fork. */
static void fill_spool(struct spool *spool, struct dat_build *b)
{
	spool_build_formats(spool, b);
	dat_build_switch(b, 0, 1000000, "swapper/0", 0, 0, "one", 11);
	dat_build_fork(b, 0, 1500000, "one", 11, "one", 13);
	dat_build_switch(b, 0, 2000000, "one", 11, 1, "swapper/0", 0);
	dat_build_switch(b, 1, 1200000, "swapper/1", 0, 0, "two", 12);
	dat_build_page(b, 1);
	dat_build_missed(b, 1, 5);
	dat_build_switch(b, 1, 3000000, "two", 12, 1, "swapper/1", 0);
	for (int cpu = 0; cpu < 2; cpu++) {
		const struct dat_bytes *p = &b->cpu[cpu].pages;
		struct err err = { 0 };
		int fd = spool_open_cpu(spool, cpu, &err);

		dat_build_page(b, cpu);
		if (fd < 0 || write(fd, p->at, p->len) != (ssize_t)p->len)
			exit(1);
		close(fd);
		spool_mark(spool, cpu, 4000000);
	}
}

static void join_spool(const char *path, int n)
{
	uint8_t *all = NULL;
	size_t len = 0;

	for (size_t i = 0; i < NR_SPOOL_NAMES; i++) {
		char file[500];
		uint8_t *bytes;
		size_t size;

		snprintf(file, sizeof(file), "%s/%s", path, spool_names[i]);
		bytes = file_read(file, &size);
		all = realloc(all, len + size + 8);
		if (!bytes || !all)
			exit(1);
		len += (size_t)sprintf((char *)all + len, "%s@@%c\n",
				       i ? "\n" : "", 'a' + (int)i);
		memcpy(all + len, bytes, size);
		len += size;
		free(bytes);
	}
	put("spool", n, all, len);
	free(all);
}

static void spool_seeds(void)
{
	const struct spool_head head = {
		.command = "x", .page_bytes = 1024, .start_ns = 1000000,
		.nr_cpus = 2,
	};
	struct err err = { 0 };
	struct spool *spool;
	struct dat_build b;
	char path[400];

	snprintf(path, sizeof(path), "%s/spool.tmp", dir);
	if (spool_create(&spool, path, &head, &err) < 0)
		exit(1);
	dat_build_init(&b, &(struct dat_form){ .version = 7, .nr_cpus = 2,
		       .page_size = 1024 });
	fill_spool(spool, &b);
	spool_close(spool);
	put_spool_text(path, "topology", "node\t0\t1\t1000000\n"
		       "cpu\t0\t1\t0\t0\t0\t0\t0\t0\t0\n"
		       "distance\t0\t0\t10\n");
	put_spool_text(path, "knobs", "kernel.numa_balancing\t1\n");
	put_spool_text(path, "tasks",
		       "1000000\t11\t10\t0\t0\t0-1\t/\t11\ta\n");
	put_spool_text(path, "places", "a\t2000000\t10\tm\t0\t4096\t8192"
		       "\t0:2\tx\ne\t2000000\t10\n");
	put_spool_text(path, "tail", "end\t9000000\tstopped\n"
		       "cpu\t0\t3\t3\t0\t0\t0\ncpu\t1\t7\t2\t5\t0\t0\n");
	join_spool(path, 0);
	dat_build_release(&b);
	spool_remove(path, &err);
}

/* As fuzz_plugin.c reads them: what is spoilt, how many knobs, then strings. */
static void plugin_seeds(void)
{
	static const char good[] =
		"\1\0\2" "\377abc\0" "\20" "\20" "\20"
		"\20" "\0" "\20" "\0" "\20" "\0" "\1\1" "\1\11"
		"\377how\0" "\4" "\377b\0" "\0" "\20" "\377a|b\0" "\0" "\0";
	static const char times[] =
		"\1\0\3" "\20\20\20" "\377queue_fifo\0"
		"\377t\0" "\1" "\3771.5ms\0" "\0\20\0\0\0"
		"\377s\0" "\2" "\3770.25\0" "\0\20\0\0\0"
		"\377on\0" "\3" "\377off\0" "\0\20\0\0\0";

	put("plugin", 0, good, sizeof(good) - 1);
	put("plugin", 1, times, sizeof(times) - 1);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	dir = argv[1];
	perf_seeds();
	dat_seeds();
	topology_seeds();
	spool_seeds();
	plugin_seeds();
	return 0;
}

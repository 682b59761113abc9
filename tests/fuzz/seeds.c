/* SPDX-License-Identifier: MIT */
/* Writes the seeds that are made, not found, under a folder: DIR/TARGET/NAME. */
#include "tests/support/dat_build.h"
#include "tests/support/dat_pack.h"
#include "tests/support/folder.h"
#include "tests/support/perf_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static void other_seeds(void)
{
	static const char spool[] =
		"@@a\nhomenode-spool 1\nclock\tmono\npage_size\t4096\npage_bytes\t4096\nbig_endian\t0\nstart_ns\t1000000\nnr_cpus\t2\ncommand\tx\nkernel\t6.1\narch\tx86_64\ntool\tt\nfaults\t0\n"
		"@@b\n\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"
		"@@e\nnode\t0\t1\t1000000\ncpu\t0\t1\t0\t0\t0\t0\t0\t0\t0\ndistance\t0\t0\t10\n"
		"@@f\nkernel.numa_balancing\t1\n"
		"@@g\n1000000\t11\t10\t0\t0\t0-1\t/\t11\ta\n"
		"@@h\na\t2000000\t10\tm\t0\t4096\t8192\t0:2\tx\ne\t2000000\t10\n"
		"@@l\nend\t9000000\tstopped\ncpu\t0\t1\t1\t0\t0\t0\n";
	static const char *const topologies[] = {
		"\1numa:4 core:2 pu:1", "\1pack:2 numa:2 l3:1 core:4 pu:2",
		"\2" "10,20;20,10", "\2" "0,1=21;0,2=31", "\3" "4=64G",
		"\4node 0 online mem=5 cpus=0-3",
		"\5available: 2 nodes (0,3)\nnode 0 cpus: 0 1\nnode 0 size: 1 MB\nnode 3 cpus: 1 2\nnode distances:\nnode   0   3 \n  0:  10  255 \n  3:  17  10 \n",
	};

	put("spool", 0, spool, sizeof(spool) - 1);
	for (int n = 0; n < 7; n++)
		put("topology", n, topologies[n], strlen(topologies[n]));
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
	other_seeds();
	plugin_seeds();
	return 0;
}

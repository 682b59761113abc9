/* SPDX-License-Identifier: MIT */
#include "collect/perf_local.h"

#include "model/cpumask.h"
#include "model/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* HEADER_* of perf.data-file-format.txt */
enum {
	FEATURE_OSRELEASE = 4, FEATURE_VERSION, FEATURE_ARCH, FEATURE_NRCPUS,
	FEATURE_CMDLINE = 11, FEATURE_EVENT_DESC, FEATURE_CPU_TOPOLOGY,
	FEATURE_NUMA_TOPOLOGY, FEATURE_CACHE = 20,
};
#define LIST_MAX 16384		/* bytes of a list of CPUs */
#define KB 1024

static void read_command(struct perf *p, struct perf_bytes *b)
{
	char *to = p->info.command;
	size_t size = sizeof(p->info.command), len = 0;
	uint32_t nr = perf_u32(b);

	to[0] = '\0';
	for (uint32_t i = 0; i < nr && !b->bad; i++) {
		char word[256];

		perf_text(b, word, sizeof(word));
		if (len < size)
			len += (size_t)snprintf(to + len, size - len, "%s%s",
						i ? " " : "", word);
	}
}

/* perf's names of the events that are no tracepoints. */
static void read_names(struct perf *p, struct perf_bytes *b)
{
	uint32_t nr = perf_u32(b), size = perf_u32(b);

	for (uint32_t i = 0; i < nr && !b->bad; i++) {
		uint32_t ids;

		if (size > (size_t)(b->end - b->at))
			return;
		b->at += size;
		ids = perf_u32(b);
		perf_text(b, (int)i < p->nr_attrs ? p->attr[i].name : NULL,
			  sizeof(p->attr[i].name));
		while (ids-- && !b->bad)
			perf_u64(b);
	}
}

/* Calls fn for each CPU of a list "0-3,8". */
static int each_cpu(const char *list, int (*fn)(struct perf *p, int cpu, int nr,
		    int value, struct err *err), struct perf *p, int value,
		    struct err *err)
{
	struct err ignored = { 0 };
	struct cpumask m = { 0 };
	int code = 0, nr = 0;

	if (cpumask_parse(&m, list, &ignored) == 0)
		for (int cpu = cpumask_next(&m, -1); cpu >= 0 && code == 0;
		     cpu = cpumask_next(&m, cpu))
			code = fn(p, cpu, nr++, value, err);
	cpumask_release(&m);
	return code;
}

static int put_on_node(struct perf *p, int cpu, int nr, int node,
		       struct err *err)
{
	(void)nr;
	if (topo_node_of(&p->info.topo, cpu) >= 0)
		return 0;
	return topo_add_cpu(&p->info.topo, cpu, node, err);
}

static struct topo_cpu *known(struct perf *p, int cpu)
{
	struct topo *t = &p->info.topo;

	return cpu < t->nr_cpu_ids && t->cpu[cpu].present ? &t->cpu[cpu] : NULL;
}

static int set_llc(struct perf *p, int cpu, int nr, int llc, struct err *err)
{
	struct topo_cpu *c = known(p, cpu);

	(void)nr;
	if (c)
		c->llc = llc;
	return err->code;
}

static int set_core(struct perf *p, int cpu, int nr, int core, struct err *err)
{
	struct topo_cpu *c = known(p, cpu);

	if (c) {
		c->core = core;
		c->smt = nr;
	}
	return err->code;
}

static int set_package(struct perf *p, int cpu, int nr, int package,
		       struct err *err)
{
	struct topo_cpu *c = known(p, cpu);

	(void)nr;
	if (c)
		c->package = package;
	return err->code;
}

static int read_nodes(struct perf *p, struct perf_bytes *b, char *list,
		      struct err *err)
{
	uint32_t nr = perf_u32(b);
	int code = 0;

	for (uint32_t i = 0; i < nr && code == 0 && !b->bad; i++) {
		uint32_t node = perf_u32(b);
		uint64_t total = perf_u64(b);

		perf_u64(b);
		perf_text(b, list, LIST_MAX);
		if (b->bad || node >= TOPO_MAX_NODES)
			continue;
		code = topo_add_node(&p->info.topo, (int)node, err);
		if (code == 0)
			p->info.topo.node[node].mem_bytes =
				total < INT64_MAX / KB ? (int64_t)total * KB : -1;
		if (code == 0)
			code = each_cpu(list, put_on_node, p, (int)node, err);
		p->info.has_topo = true;
	}
	return code;
}

/* Lists of the CPUs of each package, then of each core. */
static int read_cores(struct perf *p, struct perf_bytes *b, char *list,
		      struct err *err)
{
	int code = 0;

	for (int level = 0; level < 2; level++) {
		uint32_t nr = perf_u32(b);

		for (uint32_t i = 0; i < nr && code == 0 && !b->bad; i++) {
			perf_text(b, list, LIST_MAX);
			code = each_cpu(list, level ? set_core : set_package, p,
					(int)i, err);
		}
	}
	return code;
}

/* The outermost level of data caches is the last one. */
static int read_caches(struct perf *p, struct perf_bytes *b, char *list,
		       struct err *err)
{
	uint32_t version = perf_u32(b), nr = perf_u32(b);
	uint32_t last = 0;
	struct perf_bytes again = *b;
	int code = 0;

	if (version != 1)
		return 0;
	for (int pass = 0; pass < 2; pass++, *b = again)
		for (uint32_t i = 0; i < nr && code == 0 && !b->bad; i++) {
			uint32_t level = perf_u32(b);
			char type[32];

			for (int n = 0; n < 3; n++)
				perf_u32(b);
			perf_text(b, type, sizeof(type));
			perf_text(b, NULL, 0);
			perf_text(b, list, LIST_MAX);
			if (b->bad || strcmp(type, "Instruction") == 0)
				continue;
			if (pass == 0 && level > last)
				last = level;
			if (pass == 1 && level == last)
				code = each_cpu(list, set_llc, p, (int)i, err);
		}
	return code;
}

/* Caches and cores can be told before the nodes with their CPUs are. */
static int keep(struct perf *p, int which, const uint8_t *bytes, size_t len,
		struct err *err)
{
	uint8_t *copy = malloc(len + 1);

	if (!copy)
		return err_nomem(err);
	memcpy(copy, bytes, len);
	free(p->kept[which]);
	p->kept[which] = copy;
	p->kept_len[which] = len;
	return 0;
}

static int read_machine(struct perf *p, uint64_t feature, const uint8_t *bytes,
			size_t len, struct err *err)
{
	struct perf_bytes b = {
		.at = bytes, .end = bytes + len,
		.big_endian = p->info.big_endian,
	};
	bool is_nodes = feature == FEATURE_NUMA_TOPOLOGY;
	char *list;
	int code;

	if (!is_nodes && !p->info.has_topo)
		return keep(p, feature == FEATURE_CACHE, bytes, len, err);
	list = malloc(LIST_MAX);
	if (!list)
		return err_nomem(err);
	code = is_nodes ? read_nodes(p, &b, list, err) :
	       feature == FEATURE_CACHE ? read_caches(p, &b, list, err) :
					  read_cores(p, &b, list, err);
	free(list);
	for (int i = 0; i < 2 && is_nodes && p->info.has_topo && code == 0; i++)
		if (p->kept[i])
			code = read_machine(p, i ? FEATURE_CACHE :
					    FEATURE_CPU_TOPOLOGY, p->kept[i],
					    p->kept_len[i], err);
	return code;
}

int perf_read_feature(struct perf *p, uint64_t feature, const uint8_t *bytes,
		      size_t len, struct err *err)
{
	struct perf_info *i = &p->info;
	struct perf_bytes b = {
		.at = bytes, .end = bytes + len, .big_endian = i->big_endian,
	};
	uint32_t nr;

	switch (feature) {
	case FEATURE_OSRELEASE:
		perf_text(&b, i->kernel, sizeof(i->kernel));
		break;
	case FEATURE_VERSION:
		perf_text(&b, i->tool, sizeof(i->tool));
		break;
	case FEATURE_ARCH:
		perf_text(&b, i->arch, sizeof(i->arch));
		break;
	case FEATURE_NRCPUS:
		nr = perf_u32(&b);
		i->nr_cpus = nr <= CPUMASK_MAX ? (int)nr : 0;
		break;
	case FEATURE_CMDLINE:
		read_command(p, &b);
		break;
	case FEATURE_EVENT_DESC:
		read_names(p, &b);
		break;
	case FEATURE_CPU_TOPOLOGY:
	case FEATURE_NUMA_TOPOLOGY:
	case FEATURE_CACHE:
		return read_machine(p, feature, bytes, len, err);
	}
	return 0;
}

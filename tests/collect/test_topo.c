/* SPDX-License-Identifier: MIT */
/* Topologies by hwloc: descriptions, XML, this host's sysfs in a made-up tree. */
#include "collect/topo_read.h"
#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* "0:0 1:0 2!:1" is CPU:NODE, '!' not online. */
static const char *cpus(const struct topo *t)
{
	static char text[2000];
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; i < t->nr_cpu_ids; i++)
		if (t->cpu[i].present)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s%d%s:%d", len ? " " : "", i,
					t->cpu[i].online ? "" : "!",
					t->cpu[i].node);
	return text;
}

static const char *distances(const struct topo *t)
{
	static char text[2000];
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; i < t->nr_node_ids; i++) {
		if (!t->node[i].present)
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d:",
					len ? " " : "", i);
		for (int j = 0; j < t->nr_node_ids; j++)
			if (t->node[j].present)
				len += (size_t)snprintf(text + len,
						sizeof(text) - len, "%s%d",
						text[len - 1] == ':' ? "" : ",",
						topo_distance(t, i, j));
	}
	return text;
}

static void read_good(struct topo *t, const char *text)
{
	struct err err = { 0 };

	if (topo_read(t, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void test_synthetic(void **state)
{
	struct topo t = { 0 };

	read_good(&t, "numa:4 core:2 pu:1");
	assert_string_equal(cpus(&t), "0:0 1:0 2:1 3:1 4:2 5:2 6:3 7:3");
	assert_string_equal(distances(&t), "0:10,20,20,20 1:20,10,20,20 "
			    "2:20,20,10,20 3:20,20,20,10");
	assert_int_equal(t.node[0].mem_bytes, -1);
	assert_int_equal(t.cpu[3].core, 3);
	assert_int_equal(t.cpu[3].llc, -1);
	assert_int_equal(topo_shared_level(&t, 0, 1), TOPO_NODE);
	/* "node", an LLC for each, SMT */
	read_good(&t, "node:2 l3:1 core:2 pu:2");
	assert_string_equal(cpus(&t), "0:0 1:0 2:0 3:0 4:1 5:1 6:1 7:1");
	assert_int_equal(topo_shared_level(&t, 0, 1), TOPO_SMT);
	assert_int_equal(topo_shared_level(&t, 1, 2), TOPO_LLC);
	assert_int_equal(topo_shared_level(&t, 3, 4), TOPO_SYSTEM);
	assert_int_equal(t.cpu[1].smt, 1);
	assert_int_equal(t.cpu[2].smt, 0);
	/* Two LLCs a node; clusters are L2s that two cores share. */
	read_good(&t, "pack:1 numa:1 l3:2 l2:2 core:2 pu:1");
	assert_int_equal(topo_shared_level(&t, 0, 1), TOPO_CLUSTER);
	assert_int_equal(topo_shared_level(&t, 1, 2), TOPO_LLC);
	assert_int_equal(topo_shared_level(&t, 3, 4), TOPO_NODE);
	/* One LLC above two nodes is split. */
	read_good(&t, "pack:1 l3:1 numa:2 core:1 pu:1");
	assert_true(t.cpu[0].llc != t.cpu[1].llc);
	read_good(&t, "numa:2(memory=1GiB) pu:1");
	assert_int_equal(t.node[1].mem_bytes, 1 << 30);
	/* An L2 of one core's two threads is no cluster. */
	read_good(&t, "numa:1 l3:1 l2:2 core:1 pu:2");
	assert_int_equal(t.cpu[0].cluster, -1);
	topo_release(&t);
}

static void test_bad_synthetic(void **state)
{
	static const char *const bad[] = {
		"", "nonsense", "numa:4 core:4 pu:", "numa:0 pu:1", "pu:99999999",
		"numa:1000 core:1000 pu:1000", "numa:4 core:4 pu:1 extra:1:1",
		"4294967296 4294967296", "/nonexistent/topology.xml",
	};
	char text[3000];
	struct topo t = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { 0 };

		assert_true(topo_read(&t, bad[i], &err) < 0);
		assert_non_null(strstr(err.text, "topology '"));
	}
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_true(topo_read(&t, text, &(struct err){ 0 }) < 0);
	topo_release(&t);
}

static void test_distances(void **state)
{
	struct topo t = { 0 };
	struct err err = { 0 };
	static const char *const bad[] = {
		"10,20", "10,20;20", "10,20;20,10;", "10,20;20,10;1", "a",
		"10,20;20,0", "0,5=21", "0,1=0", "0,1=", "0=1", "10,20,20;10",
		"10,20;20,99999999", "0,1=21,", "0,1=21;x",
	};

	read_good(&t, "numa:2 pu:1");
	assert_int_equal(topo_read_distances(&t, "10,21;17,10", &err), 0);
	assert_string_equal(distances(&t), "0:10,21 1:17,10");
	assert_int_equal(topo_read_distances(&t, " 10, 31 ;\n31 , 10 ", &err), 0);
	assert_string_equal(distances(&t), "0:10,31 1:31,10");
	assert_int_equal(topo_read_distances(&t, "0,1=25", &err), 0);
	assert_string_equal(distances(&t), "0:10,25 1:25,10");
	assert_int_equal(topo_read_distances(&t, "1,0=40;0,1=30", &err), 0);
	assert_string_equal(distances(&t), "0:10,30 1:40,10");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err = (struct err){ 0 };
		if (topo_read_distances(&t, bad[i], &err) != ERR_USAGE &&
		    strcmp(bad[i], "10,20;20,10;") != 0)
			fail_msg("'%s' was taken", bad[i]);
	}
	topo_release(&t);
}

static void test_memory_node(void **state)
{
	static const char *const bad[] = { "", "x", "1", "1024", "4=", "4=-1",
					   "4=1Q", "4=1G5" };
	struct topo t = { 0 };
	struct err err = { 0 };

	read_good(&t, "numa:2 pu:1");
	assert_int_equal(topo_read_memory_node(&t, "4=64G", &err), 0);
	assert_int_equal(topo_read_memory_node(&t, "6", &err), 0);
	assert_true(t.node[4].mem_bytes == INT64_C(64) << 30);
	assert_int_equal(t.node[6].mem_bytes, -1);
	assert_int_equal(t.node[4].nr_cpus, 0);
	assert_int_equal(topo_nr_nodes(&t), 4);
	assert_int_equal(topo_read_distances(&t, "0,4=80", &err), 0);
	assert_int_equal(topo_distance(&t, 4, 0), 80);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err = (struct err){ 0 };
		assert_int_equal(topo_read_memory_node(&t, bad[i], &err),
				 ERR_USAGE);
	}
	topo_release(&t);
}

/* Nodes 0 and 8 with CPUs, 255 without; CPU 3 is hidden; distances differ by
 * direction. */
static const char xml[] =
"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
"<topology version=\"%s\">\n"
"<object type=\"Machine\" os_index=\"0\" cpuset=\"0x00000007\" complete_cpuset=\"0x0000000f\" allowed_cpuset=\"0x00000007\""
" nodeset=\"0x80000000,,,,,,,0x00000101\" complete_nodeset=\"0x80000000,,,,,,,0x00000101\" allowed_nodeset=\"0x80000000,,,,,,,0x00000101\">\n"
"<object type=\"NUMANode\" os_index=\"255\" cpuset=\"0x0\" complete_cpuset=\"0x0\" nodeset=\"0x80000000,,,,,,,0x0\" complete_nodeset=\"0x80000000,,,,,,,0x0\" local_memory=\"4096\"/>\n"
"<object type=\"Package\" os_index=\"0\" cpuset=\"0x00000003\" complete_cpuset=\"0x00000003\" nodeset=\"0x00000001\" complete_nodeset=\"0x00000001\">\n"
"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x00000003\" complete_cpuset=\"0x00000003\" nodeset=\"0x00000001\" complete_nodeset=\"0x00000001\" local_memory=\"1000\"/>\n"
"<object type=\"PU\" os_index=\"0\" cpuset=\"0x00000001\" complete_cpuset=\"0x00000001\" nodeset=\"0x00000001\" complete_nodeset=\"0x00000001\"/>\n"
"<object type=\"PU\" os_index=\"1\" cpuset=\"0x00000002\" complete_cpuset=\"0x00000002\" nodeset=\"0x00000001\" complete_nodeset=\"0x00000001\"/>\n"
"</object>\n"
"<object type=\"Package\" os_index=\"1\" cpuset=\"0x00000004\" complete_cpuset=\"0x0000000c\" nodeset=\"0x00000100\" complete_nodeset=\"0x00000100\">\n"
"<object type=\"NUMANode\" os_index=\"8\" cpuset=\"0x00000004\" complete_cpuset=\"0x0000000c\" nodeset=\"0x00000100\" complete_nodeset=\"0x00000100\" local_memory=\"0\"/>\n"
"<object type=\"PU\" os_index=\"%u\" cpuset=\"0x00000004\" complete_cpuset=\"0x00000004\" nodeset=\"0x00000100\" complete_nodeset=\"0x00000100\"/>\n"
"</object>\n"
"</object>\n"
"<distances2 type=\"NUMANode\" nbobjs=\"3\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">\n"
"<indexes length=\"8\">0 8 255 </indexes>\n"
"<u64values length=\"27\">10 40 80 41 10 81 80 81 10 </u64values>\n"
"</distances2>\n"
"</topology>\n";

static int read_xml(struct topo *t, const char *version, unsigned int cpu,
		    size_t cut, struct err *err)
{
	char *folder = folder_new(), text[8000], path[300];
	int code, len;

	len = snprintf(text, sizeof(text), xml, version, cpu);
	snprintf(path, sizeof(path), "%s", folder_path(folder, "t.xml"));
	assert_int_equal(file_write(path, text, (size_t)len - cut), 0);
	code = topo_read(t, path, err);
	folder_remove(folder);
	return code;
}

static void test_xml(void **state)
{
	struct topo t = { 0 };

	/* What XML 3 of hwloc 3 says here is what 2 says. */
	for (int version = 2; version <= 3; version++) {
		struct err err = { 0 };

		if (read_xml(&t, version == 2 ? "2.0" : "3.0", 2, 0, &err) < 0)
			fail_msg("%s", err.text);
		assert_string_equal(cpus(&t), "0:0 1:0 2:8 3!:8");
		assert_string_equal(distances(&t), "0:10,40,80 8:41,10,81 "
				    "255:80,81,10");
		assert_int_equal(t.node[255].mem_bytes, 4096);
		assert_int_equal(t.node[255].nr_cpus, 0);
		assert_int_equal(t.node[8].mem_bytes, 0);
		assert_int_equal(topo_nr_nodes(&t), 3);
	}
	topo_release(&t);
}

/* A CPU without its complete_cpuset: hwloc 2.9 reads through a null pointer. */
static const char crashing[] =
"<topology version=\"2.0\">\n"
"<object type=\"Machine\" os_index=\"0\" cpuset=\"0x3\""
" complete_cpuset=\"0x3\" allowed_cpuset=\"0x3\" nodeset=\"0x1\""
" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\">\n"
"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3\""
" complete_cpuset=\"0x3\" nodeset=\"0x1\""
" complete_nodeset=\"0x1\"/>\n"
"<object type=\"Package\" cpuset=\"0x3\" complete_cpuset=\"0x3\""
" nodeset=\"0x1\" complete_nodeset=\"0x1\">\n"
"<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\""
" complete_cpuset=\"0x1\" nodeset=\"0x1\""
" complete_nodeset=\"0x1\"/>\n"
"<object type=\"PU\" os_index=\"1\" cpuset=\"0x2\" nodeset=\"0x1\""
" complete_nodeset=\"0x1\"/>\n"
"</object>\n"
"</object>\n"
"</topology>\n";

static void test_bad_xml(void **state)
{
	char *folder = folder_new(), path[300];
	struct topo t = { 0 };
	struct err err = { 0 };

	snprintf(path, sizeof(path), "%s", folder_path(folder, "t.xml"));
	assert_true(read_xml(&t, "2.0", 4000000000u, 0, &err) < 0);
	assert_non_null(strstr(err.text, "a CPU or node of number"));
	for (size_t cut = 20; cut < strlen(xml) - 100; cut += 500) {
		err = (struct err){ 0 };
		assert_true(read_xml(&t, "2.0", 2, cut, &err) < 0);
	}
	err = (struct err){ 0 };
	assert_true(read_xml(&t, "9.0", 2, 0, &err) < 0);
	err = (struct err){ 0 };
	assert_int_equal(file_write(path, crashing, strlen(crashing)), 0);
	assert_int_equal(topo_read(&t, path, &err), ERR_FORMAT);
	err = (struct err){ 0 };
	assert_int_equal(file_write(path, "", 0), 0);
	assert_true(topo_read(&t, path, &err) < 0);
	err = (struct err){ 0 };
	assert_int_equal(file_write(path, "<a>\0topology", 12), 0);
	assert_true(topo_read(&t, path, &err) < 0);
	err = (struct err){ 0 };
	assert_true(topo_read(&t, folder, &err) < 0);
	folder_remove(folder);
	topo_release(&t);
}

static void test_sysfs(void **state)
{
	char *folder = folder_new();
	struct topo t = { 0 };
	struct err err = { 0 };

	/* CPU 2 is offline, 5 not even there; node 2 has memory only. */
	tree_put(folder, "sys/devices/system/node/online", "0,2,4\n");
	tree_put(folder, "sys/devices/system/node/node0/cpulist", "0-1\n");
	tree_put(folder, "sys/devices/system/node/node0/distance", "10 17 28\n");
	tree_put(folder, "sys/devices/system/node/node0/meminfo",
		 "Node 0 MemTotal:       1024 kB\n");
	tree_put(folder, "sys/devices/system/node/node2/cpulist", "\n");
	tree_put(folder, "sys/devices/system/node/node2/distance", "17 10 29\n");
	tree_put(folder, "sys/devices/system/node/node4/cpulist", "3-4\n");
	tree_put(folder, "sys/devices/system/node/node4/distance", "27 29 10\n");
	tree_put(folder, "sys/devices/system/cpu/possible", "0-5\n");
	tree_put(folder, "sys/devices/system/cpu/online", "0-1,3-4\n");
	if (topo_read_live(&t, folder, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(cpus(&t), "0:0 1:0 2!:0 3:4 4:4 5!:4");
	assert_string_equal(distances(&t), "0:10,17,28 2:17,10,29 4:27,29,10");
	assert_int_equal(t.node[0].mem_bytes, 1 << 20);
	assert_int_equal(t.node[2].nr_cpus, 0);
	folder_remove(folder);
	topo_release(&t);
}

static void test_no_nodes(void **state)
{
	char *folder = folder_new();
	struct topo t = { 0 };
	struct err err = { 0 };

	/* A kernel without NUMA has no node folder at all. */
	tree_put(folder, "sys/devices/system/cpu/possible", "0-1\n");
	tree_put(folder, "sys/devices/system/cpu/online", "0-1\n");
	assert_int_equal(topo_read_live(&t, folder, &err), 0);
	assert_string_equal(cpus(&t), "0:0 1:0");
	tree_put(folder, "sys/devices/system/cpu/possible", "0-x\n");
	assert_int_equal(topo_read_live(&t, folder, &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "cpu/possible"));
	folder_remove(folder);
	topo_release(&t);
}

/* The kernel's own words for the same machine, as numactl --hardware has them:
 * "node 3 cpus: 6 7", "  3:  20  20  20  10". */
static void check_numactl(const struct topo *t, const char *path)
{
	int column[TOPO_MAX_NODES], nr = 0, nodes = 0, total = 0;
	FILE *f = fopen(path, "re");
	char line[8192];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		int node, n = 0, v, used;
		char *p = line;

		if (sscanf(line, "node %d cpus:%n", &node, &n) == 1 && n) {
			nodes++;
			for (p += n; sscanf(p, "%d%n", &v, &used) == 1; p += used) {
				assert_int_equal(topo_node_of(t, v), node);
				total++;
			}
		} else if (strncmp(line, "node ", 5) == 0 && !strchr(line, ':') &&
			   strcmp(line, "node distances:") != 0) {
			for (p += 4; sscanf(p, "%d%n", &v, &used) == 1; p += used)
				column[nr++] = v;
		} else if (sscanf(line, " %d:%n", &node, &n) == 1 && n) {
			p += n;
			for (int i = 0; i < nr; i++, p += used) {
				assert_int_equal(sscanf(p, "%d%n", &v, &used), 1);
				assert_int_equal(topo_distance(t, node, column[i]),
						 v);
			}
		}
	}
	fclose(f);
	assert_int_equal(nodes, topo_nr_nodes(t));
	assert_int_equal(total, topo_nr_cpus(t));
}

static void test_public(void **state)
{
	/* "!": cut to a cgroup or set of CPUs, or a machine that lies: it has
	 * to load. */
	static const char *const names[] = {
		"128arm-2pa2n8cluster4co.lstopo.derived.xml",
		"128ia64-17n4s2c.lstopo.derived.xml",
		"20em64t-hybrid-1p6c2t+2ca4co1t.lstopo.derived.xml",
		"256ia64-64n2s2c.lstopo.derived.xml",
		"256ppc-8n8s4t.lstopo.derived.xml", "2arm-2c.lstopo.derived.xml",
		"fakeheteromemtiers.lstopo.derived.xml",
		"memorysidecaches.lstopo.derived.xml",
		"!16amd64-8n2c-cpusets.lstopo.derived.xml",
		"!16amd64-8n2c-cpusets.xml",
		"!32amd64-4s2n4c-cgroup2.lstopo.derived.xml",
		"!8em64t-2s2ca2c-buggynuma.lstopo.derived.xml",
		"!x86_AMD-15h-Bulldozer-4xOpteron-6272.xml",
		"!x86_Intel-KnightsLanding-XeonPhi-7210.xml",
	};
	const char *folder = getenv("HOMENODE_SHARED");
	struct topo t = { 0 };
	char path[400], *dot;

	if (!folder)
		folder = "../shared";
	snprintf(path, sizeof(path), "%s/traces/public/topo", folder);
	if (access(path, R_OK) < 0) {
		print_message("skipped: no '%s'\n", path);
		skip();
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool cut = names[i][0] == '!';

		snprintf(path, sizeof(path), "%s/traces/public/topo/hwloc_%s",
			 folder, names[i] + cut);
		read_good(&t, path);
		dot = strstr(path, ".lstopo");
		if (cut || !dot)
			continue;
		strcpy(dot, ".numactl-H.derived.txt");
		/* A kernel without NUMA lists no CPUs of node 0. */
		if (!strstr(path, "2arm"))
			check_numactl(&t, path);
	}
	topo_release(&t);
}

static void test_this_host(void **state)
{
	struct topo t = { 0 };
	struct err err = { 0 };
	int online = 0;

	if (topo_read_live(&t, "", &err) < 0)
		fail_msg("%s", err.text);
	for (int i = 0; i < t.nr_cpu_ids; i++)
		online += t.cpu[i].present && t.cpu[i].online;
	assert_true(online > 0);
	assert_true(topo_nr_nodes(&t) > 0);
	topo_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_synthetic),
		cmocka_unit_test(test_bad_synthetic),
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_memory_node),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_bad_xml),
		cmocka_unit_test(test_sysfs),
		cmocka_unit_test(test_no_nodes),
		cmocka_unit_test(test_public),
		cmocka_unit_test(test_this_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "collect/topo_read.h"
#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int read_text(struct topo *t, const char *text, struct err *err)
{
	char *folder = folder_new();
	int code;

	*t = (struct topo){ 0 };
	assert_int_equal(file_write(folder_path(folder, "n"), text, strlen(text)),
			 0);
	code = topo_read(t, folder_path(folder, "n"), err);
	folder_remove(folder);
	return code;
}

static void test_sparse(void **state)
{
	struct topo t = { 0 };
	struct err err = { 0 };

	(void)state;
	OK(topo_read(&t, "tests/data/bug_inputs/52_p9.numactl.txt", &err));
	assert_int_equal(topo_nr_nodes(&t), 3);
	assert_int_equal(topo_distance(&t, 8, 255), 80);
	assert_int_equal(topo_distance(&t, 0, 8), 40);
	assert_int_equal(topo_node_of(&t, 2), 8);
	assert_int_equal(t.node[255].nr_cpus, 0);
	assert_int_equal(t.node[255].mem_bytes, 0);
	assert_int_equal(t.node[8].mem_bytes, 100 << 20);
	topo_release(&t);
}

/* Of one node, the line of columns is "node   0"; distances may differ by
 * direction, 255 is far, text around it does not matter. */
static void test_odd(void **state)
{
	struct topo t;
	struct err err = { 0 };

	(void)state;
	OK(read_text(&t, "cpu0: node 0\navailable: 2 nodes (0,3)\n"
		     "node 0 cpus: 0 1\nnode 0 size: 1 MB\n"
		     "node 3 cpus: 1 2\nnode distances:\nnode   0   3 \n"
		     "  0:  10  255 \n  3:  17  10 \nnode/online = 0-3\n", &err));
	assert_int_equal(topo_distance(&t, 0, 3), 255);
	assert_int_equal(topo_distance(&t, 3, 0), 17);
	assert_int_equal(topo_node_of(&t, 1), 0);
	assert_int_equal(topo_node_of(&t, 2), 3);
	assert_int_equal(t.node[3].mem_bytes, -1);
	topo_release(&t);
	OK(read_text(&t, "available: 1 nodes (0)\nnode 0 cpus: 0\n"
		     "node distances:\nnode   0 \n  0:  10 \n", &err));
	assert_int_equal(topo_nr_nodes(&t), 1);
	topo_release(&t);
	OK(read_text(&t, "available: 0 nodes ()\n", &err));
	assert_int_equal(topo_nr_cpus(&t), 0);
	topo_release(&t);
}

static void test_bad(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "available: 1 nodes (0)\nnode 0 cpus: 0 x\n", "line 2" },
		{ "available: 1 nodes (0)\nnode 0 cpus: 99999\n", "line 2" },
		{ "available: 1 nodes (0)\nnode 5000 cpus: 0\n", "line 2" },
		{ "available: 1 nodes (0)\nnode 0 cpus: 0\nnode distances:\n"
		  "node   0\n  0:  10  20\n", "line 5" },
		{ "available: 1 nodes (0)\nnode 0 cpus: 0\nnode distances:\n"
		  "node   0\n  0:\n", "line 5" },
		{ "available: 1 nodes (0)\nnode 0 cpus: 0\nnode distances:\n"
		  "node   0\n  9:  10\n", "line 5" },
		{ "something else\n", "neither an lstopo XML" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct topo t;
		struct err err = { 0 };

		assert_true(read_text(&t, cases[i].text, &err) < 0);
		if (!strstr(err.text, cases[i].why))
			fail_msg("%s: %s", cases[i].text, err.text);
		topo_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * file_study: a file with a few events of two tasks on two nodes, for tests of
 * whole commands.  In us:
 *
 *	node 0: cpu 0, 1; node 1: cpu 2, 3
 *	one 101 runs on cpu 0 from 0 to 400, on cpu 2 from 500 to 1000
 *	two 102 runs on cpu 1 from 100 to 300, woken by one at 250 for 350
 *		to 900 on cpu 3
 */
#ifndef TESTS_UI_FILE_STUDY_H
#define TESTS_UI_FILE_STUDY_H

#include "model/err.h"
#include "schema/store.h"
#include "tests/support/events_text.h"

#include <stdlib.h>
#include <string.h>

static const char file_study_events[] =
	"start 0; end 1000000\n"
	"name 101 one; pid 101 101; name 102 two; pid 102 102\n"
	"0 0 0 switch R 101\n"
	"100000 1 0 switch R 102\n"
	"300000 1 102 switch S 0\n"
	"340000 0 101 waking 102\n"
	"350000 3 0 switch R 102\n"
	"400000 0 101 switch R 0\n"
	"500000 2 0 switch R 101\n"
	"900000 3 102 switch S 0\n"
	"1000000 2 101 switch S 0\n";

static int file_study(const char *path, struct err *err)
{
	struct capture c = {
		.source = strdup("test"), .kernel = strdup("6.1"),
		.arch = strdup("x86_64"), .clock = strdup("mono"),
		.tool = strdup("test"), .command = strdup(""),
		.page_size = 4096, .end_ns = 1000000,
		.window_end_ns = 1000000, .nr_cpus = 4,
		.topology_known = true, .states = state_table_default,
	};
	struct events_text e;
	struct topo t = { 0 };
	struct store *s;
	int ret, cpu;
	size_t i;

	events_text_parse(&e, file_study_events);
	topo_add_node(&t, 0, err);
	topo_add_node(&t, 1, err);
	for (cpu = 0; cpu < 4; cpu++)
		topo_add_cpu(&t, cpu, cpu / 2, err);
	topo_finish(&t, err);
	ret = store_create(&s, path, false, err);
	if (!ret)
		ret = store_begin(s, err);
	if (!ret)
		ret = store_put_capture(s, &c, err);
	if (!ret)
		ret = store_put_topo(s, &t, err);
	if (!ret)
		ret = store_put_tasks(s, &e.tasks, err);
	for (i = 0; !ret && i < e.nr; i++)
		ret = store_put_event(s, &e.event[i], err);
	if (!ret)
		ret = store_end(s, err);
	if (!ret)
		ret = store_commit(s, err);
	store_close(s);
	capture_release(&c);
	topo_release(&t);
	events_text_release(&e);
	return ret;
}

#endif

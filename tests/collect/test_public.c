/* SPDX-License-Identifier: MIT */
/* Traces and topologies of other projects, where they are at hand: each gives
 * what its index says, or the error that it deserves. */
#include "collect/import.h"
#include "collect/topo_read.h"
#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PUBLIC "../shared/traces/public/"

/* Counts of events, from INDEX.md; -1: must be refused, with `error`. */
static const struct {
	const char *file;
	int switches, wakeups, wakings, migrates, others;
	const char *error;
} traces[] = {
	{ "txt/bart_trace.txt", 3, 0, 0, 0, 0, NULL },
	{ "txt/catapult_atrace_data", 72, 44, 0, 0, 0, NULL },
	{ "txt/catapult_atrace_fixed_tgids", 72, 44, 0, 0, 0, NULL },
	{ "txt/catapult_compressed_atrace_data.txt", -1, 0, 0, 0, 0, "atrace -z" },
	{ "txt/catapult_trivial_systrace.html", -1, 0, 0, 0, 0, "it has: 0 4" },
	{ "txt/derived_report_R_lisa_sched_load.txt", 399, 0, 0, 28, 3297, NULL },
	{ "txt/excerpt_kernel_doc_perfscript_asym.txt", -1, 0, 0, 0, 0,
	  "sched_migrate_task 1, sched_stat_runtime 1, sched_waking 1" },
	{ "txt/excerpt_lost_events_sched.txt", 3, 0, 0, 0, 0, NULL },
	{ "txt/excerpt_ns_boot_clock.txt", -1, 0, 0, 0, 0, "--unit" },
	{ "txt/perfetto_bad_print.systrace", -1, 0, 0, 0, 0,
	  "tracing_mark_write 2" },
	{ "txt/perfetto_sched_blocked.systrace", 4, 0, 0, 0, 2, NULL },
	{ "txt/tcinc_ftrace_syscalls.txt", 60, 30, 30, 3, 924, NULL },
	{ "txt/tcinc_trace-android-sched-irq-syscall.txt", 9, 5, 0, 0, 129, NULL },
	{ "txt/tcinc_trace-android-sched.txt", 82, 57, 0, 0, 0, NULL },
	{ "txt/trappy_raw_trace.txt", 3, 0, 0, 0, 0, NULL },
	{ "txt/trappy_trace_empty.txt", -1, 0, 0, 0, 0, "sched_process_exit 2" },
	{ "txt/trappy_trace_equals.txt", -1, 0, 0, 0, 0, "bputs 7" },
	{ "txt/trappy_trace_no_trailing_line.txt", 1, 0, 0, 0, 9, NULL },
	{ "txt/trappy_trace_sched.txt", -1, 0, 0, 0, 0,
	  "sched_wakeup 2, sched_wakeup_new 2" },
	{ "txt/trappy_trace_systrace.html", 4, 4, 0, 0, 2, NULL },
	{ "txt/unit_catapult_odd_comm.txt", 5, 0, 0, 0, 0, NULL },
	{ "txt/unit_hostile_comm.txt", 3, 1, 0, 0, 0, NULL },
	{ "perf/kdab_parallel_static_gcc.perf.data.zstd", 9, 0, 0, 0, 233, NULL },
	{ "perf/kdab_probe.data.stream", -1, 0, 0, 0, 0, "it has: main 1" },
	{ "perf/lpd_sleep.compressed.pipe.data", -1, 0, 0, 0, 0,
	  "it has: cycles" },
	{ "perf/lpd_sleep.data", -1, 0, 0, 0, 0, "it has: cycles" },
};

static void check(const struct ingest_totals *t, int i)
{
	const int64_t got[] = {
		t->by_kind[EVENT_SWITCH], t->by_kind[EVENT_WAKEUP],
		t->by_kind[EVENT_WAKING], t->by_kind[EVENT_MIGRATE_TASK],
		t->skipped,
	};
	const int want[] = {
		traces[i].switches, traces[i].wakeups, traces[i].wakings,
		traces[i].migrates, traces[i].others,
	};

	for (int k = 0; k < 5; k++)
		if (got[k] != want[k])
			fail_msg("%s: count %d: %d, not %d", traces[i].file, k,
				 (int)got[k], want[k]);
}

static void test_traces(void **state)
{
	const struct import_options o = { 0 };

	(void)state;
	if (access(PUBLIC, R_OK) < 0)
		skip();
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		struct ingest_totals totals = { 0 };
		struct err err = { 0 };
		struct scratch *y;
		char path[300];
		int code;

		scratch_setup((void **)&y);
		snprintf(path, sizeof(path), PUBLIC "%s", traces[i].file);
		code = import_file(path, &o, y->s, NULL, &totals, &err);
		if (!traces[i].error)
			OK(code);
		else if (code == 0 || !strstr(err.text, traces[i].error))
			fail_msg("%s: %s", path, err.text);
		if (code == 0)
			check(&totals, (int)i);
		scratch_teardown((void **)&y);
	}
}

static void test_topologies(void **state)
{
	DIR *dir = opendir(PUBLIC "topo");
	struct dirent *e;
	int nr = 0;

	(void)state;
	if (!dir)
		skip();
	while ((e = readdir(dir))) {
		struct err err = { 0 };
		struct topo t = { 0 };
		char path[400];

		if (!strstr(e->d_name, ".xml") && !strstr(e->d_name, ".txt"))
			continue;
		snprintf(path, sizeof(path), PUBLIC "topo/%s", e->d_name);
		OK(topo_read(&t, path, &err));
		if (strstr(e->d_name, "256ia64-64n2s2c")) {
			assert_int_equal(topo_nr_nodes(&t), 64);
			assert_int_equal(topo_nr_cpus(&t), 256);
		}
		if (strstr(e->d_name, "256ppc-8n8s4t")) {
			assert_false(t.node[2].present);
			assert_true(t.node[13].present);
			assert_int_equal(topo_distance(&t, 0, 13), 40);
		}
		if (strstr(e->d_name, "128ia64-17n4s2c"))
			assert_int_equal(t.node[16].nr_cpus, 0);
		topo_release(&t);
		nr++;
	}
	closedir(dir);
	assert_true(nr >= 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_topologies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

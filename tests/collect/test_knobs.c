/* SPDX-License-Identifier: MIT */
#include "collect/knobs.h"

#include "model/err.h"
#include "tests/support/folder.h"
#include "tests/support/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct list {
	char text[8192];
	size_t len;
	int stop_after;		/* fail at this one, 0: never */
	int nr;
};

static int note(void *ctx, const char *name, const char *value, struct err *err)
{
	struct list *l = ctx;

	if (++l->nr == l->stop_after)
		return err_set(err, ERR_IO, "full");
	l->len += (size_t)snprintf(l->text + l->len, sizeof(l->text) - l->len,
				   "%s=%s\n", name, value);
	return 0;
}

/* Names as sysctl(8) has them, values as one line. */
static void reads_every_place(void **state)
{
	char *dir = folder_new(), proc[700], sys[700], debug[700];
	const struct knob_roots roots = { proc, sys, debug };
	struct list l = { .len = 0 };
	struct err err = { 0 };

	snprintf(proc, sizeof(proc), "%s/proc", dir);
	snprintf(sys, sizeof(sys), "%s/sys", dir);
	snprintf(debug, sizeof(debug), "%s/debug", dir);
	tree_put(proc, "sys/kernel/numa_balancing", "1\n");
	tree_put(proc, "sys/kernel/numa_balancing_promote_rate_limit_MBps",
		 "65536\n");
	tree_put(proc, "sys/kernel/sched_rr_timeslice_ms", "100\n");
	tree_put(proc, "sys/kernel/ostype", "Linux\n");
	tree_put(proc, "sys/vm/zone_reclaim_mode", "0\n");
	tree_put(proc, "cmdline", "quiet  isolcpus=3\n");
	tree_put(debug, "sched/features", "GENTLE  NO_HRTICK\nNUMA \n");
	tree_put(debug, "sched/base_slice_ns", "3000000\n");
	tree_put(debug, "sched/numa_balancing/scan_delay_ms", "1000\n");
	tree_put(sys, "kernel/mm/transparent_hugepage/enabled",
		 "always [madvise] never\n");
	tree_put(sys, "kernel/mm/numa/demotion_enabled", "false\n");
	tree_put(sys, "devices/system/cpu/smt/control", "on\n");
	assert_int_equal(knobs_read(&roots, note, &l, &err), 0);
	assert_string_equal(l.text,
		"kernel.numa_balancing=1\n"
		"kernel.numa_balancing_promote_rate_limit_MBps=65536\n"
		"kernel.sched_rr_timeslice_ms=100\n"
		"vm.zone_reclaim_mode=0\n"
		"boot.cmdline=quiet isolcpus=3\n"
		"sched.base_slice_ns=3000000\n"
		"sched.features=GENTLE NO_HRTICK NUMA\n"
		"sched.numa_balancing.scan_delay_ms=1000\n"
		"transparent_hugepage.enabled=always [madvise] never\n"
		"numa.demotion_enabled=false\n"
		"cpu.smt=on\n");
	folder_remove(dir);
}

/* Each level and name once, though every CPU has its own folder; a CPU whose
 * domains are others adds them. */
static void tells_each_domain_once(void **state)
{
	char *dir = folder_new();
	const struct knob_roots roots = { .debug = dir };
	struct list l = { .len = 0 };
	struct err err = { 0 };

	for (int cpu = 0; cpu < 12; cpu++) {
		char path[100];

		snprintf(path, sizeof(path), "sched/domains/cpu%d/domain0/name",
			 cpu);
		tree_put(dir, path, cpu < 11 ? "MC\n" : "PKG\n");
		snprintf(path, sizeof(path),
			 "sched/domains/cpu%d/domain0/max_interval", cpu);
		tree_put(dir, path, "%d\n", cpu < 11 ? 4 : 8);
		snprintf(path, sizeof(path), "sched/domains/cpu%d/domain1/name",
			 cpu);
		tree_put(dir, path, "NUMA\n");
		snprintf(path, sizeof(path),
			 "sched/domains/cpu%d/domain1/max_interval", cpu);
		tree_put(dir, path, "16\n");
	}
	assert_int_equal(knobs_read(&roots, note, &l, &err), 0);
	assert_string_equal(l.text, "sched.domain.0.MC.max_interval=4\n"
				    "sched.domain.1.NUMA.max_interval=16\n"
				    "sched.domain.0.PKG.max_interval=8\n");
	folder_remove(dir);
}

/* Kernels before 5.13 have them in /proc/sys. */
static void reads_domains_of_old_kernels(void **state)
{
	char *dir = folder_new();
	const struct knob_roots roots = { .proc = dir };
	struct list l = { .len = 0 };
	struct err err = { 0 };

	tree_put(dir, "sys/kernel/sched_domain/cpu0/domain0/name", "DIE\n");
	tree_put(dir, "sys/kernel/sched_domain/cpu0/domain0/busy_factor", "32\n");
	assert_int_equal(knobs_read(&roots, note, &l, &err), 0);
	assert_string_equal(l.text, "sched.domain.0.DIE.busy_factor=32\n");
	folder_remove(dir);
}

static void stops_at_an_error(void **state)
{
	char *dir = folder_new();
	const struct knob_roots roots = { .proc = dir };
	struct list l = { .stop_after = 2 };
	struct err err = { 0 };

	tree_put(dir, "sys/kernel/sched_a", "1\n");
	tree_put(dir, "sys/kernel/sched_b", "2\n");
	tree_put(dir, "sys/kernel/sched_c", "3\n");
	assert_int_equal(knobs_read(&roots, note, &l, &err), ERR_IO);
	assert_int_equal(l.nr, 2);
	assert_string_equal(err.text, "full");
	folder_remove(dir);
}

static void reads_nothing_of_nothing(void **state)
{
	const struct knob_roots none = { 0 }, absent = { "/nowhere", "/nowhere",
							 "/nowhere" };
	struct list l = { .len = 0 };
	struct err err = { 0 };

	assert_int_equal(knobs_read(&none, note, &l, &err), 0);
	assert_int_equal(knobs_read(&absent, note, &l, &err), 0);
	assert_int_equal(l.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_place),
		cmocka_unit_test(tells_each_domain_once),
		cmocka_unit_test(reads_domains_of_old_kernels),
		cmocka_unit_test(stops_at_an_error),
		cmocka_unit_test(reads_nothing_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

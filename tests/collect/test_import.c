/* SPDX-License-Identifier: MIT */
/* From a trace.dat to the rows of a file, for hand-made traces. */
#include "collect/import.h"
#include "model/err.h"
#include "tests/support/dat_build.h"
#include "tests/support/dat_pack.h"
#include "tests/support/folder.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

struct world {
	struct scratch *y;
	struct dat_build b;
	struct ingest_totals totals;
	char notes[2000];
};

static void note(void *ctx, const char *text)
{
	struct world *w = ctx;
	size_t len = strlen(w->notes);

	snprintf(w->notes + len, sizeof(w->notes) - len, "%s\n", text);
}

static void begin(struct world *w, void **state, const struct dat_form *form)
{
	*w = (struct world){ .y = *state };
	dat_build_init(&w->b, form);
}

static int try_import(struct world *w, const struct import_options *o,
		      struct err *err)
{
	const struct spool_watch watch = { .ctx = w, .note = note };
	const char *path = folder_path(w->y->folder, "x.dat");
	int code;

	dat_build_write(&w->b, path);
	dat_build_release(&w->b);
	code = import_file(path, o, w->y->s, &watch, &w->totals, err);
	remove(path);
	return code;
}

/* Imports what was built and opens the file for questions. */
static void import(struct world *w, const struct import_options *o)
{
	static const struct import_options none = { 0 };
	struct err err = { 0 };

	OK(try_import(w, o ? o : &none, &err));
	scratch_reopen(w->y, STORE_READ);
}

static void check_(struct world *w, const char *sql, const char *want, int line)
{
	const char *got = scratch_ask(w->y->s, sql);

	if (strcmp(got, want) != 0)
		fail_msg("line %d: %s: '%s', not '%s'", line, sql, got, want);
}
#define check(w, sql, want) check_(w, sql, want, __LINE__)

#define LIST(columns, rest) \
	"SELECT coalesce(group_concat(" columns ", ' '), '') FROM (SELECT * FROM " \
	rest ")"
#define TASKS LIST("tid || ':' || pid || ':' || comm || ':' || start_ns || '-'" \
		   " || end_ns || ':' || flags", "task ORDER BY id")
#define NAMES LIST("tid || ':' || from_ns || '=' || comm", \
		   "task_name ORDER BY task, from_ns")
#define REPAIRS LIST("kind || '=' || count", "repair ORDER BY kind")
#define LOSSES LIST("cpu || ':' || from_ns || '-' || to_ns || ':' || events", \
		    "loss ORDER BY cpu, from_ns, to_ns")
#define WINDOW "SELECT start_ns || '-' || end_ns || ' ' || window_start_ns || " \
	"'-' || window_end_ns FROM capture"

static void idle_to(struct world *w, int cpu, int64_t ts, int tid)
{
	dat_build_switch(&w->b, cpu, ts, "swapper", 0, 0, "w", tid);
}

static void to_idle(struct world *w, int cpu, int64_t ts, int tid, int state)
{
	dat_build_switch(&w->b, cpu, ts, "w", tid, state, "swapper", 0);
}

/* -- order ------------------------------------------------------------------ */

static void test_order(void **state)
{
	struct world w;

	/* Equal stamps: by CPU; within a CPU as in its buffer. */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 3 });
	idle_to(&w, 2, 1000, 21);
	to_idle(&w, 2, 1000, 21, 1);
	idle_to(&w, 2, 1000, 22);
	idle_to(&w, 0, 1000, 1);
	to_idle(&w, 0, 1500, 1, 1);
	idle_to(&w, 1, 999, 11);
	to_idle(&w, 1, 1400, 11, 1);
	import(&w, NULL);
	check(&w, LIST("cpu || ':' || next_pid", "sched_switch ORDER BY at"),
	      "1:11 0:1 2:21 2:0 2:22 1:0 0:0");
	check(&w, LIST("ts", "sched_switch ORDER BY at"),
	      "999 1000 1000 1000 1000 1400 1500");
	check(&w, REPAIRS, "");
	check(&w, WINDOW, "999-1500 999-1500");
}

static void test_backward(void **state)
{
	struct world w;

	/* CPU 0's clock runs back by 400: its order stays, CPU 1 goes between
	 * where its own times say. */
	begin(&w, state, &(struct dat_form){ .version = 7, .nr_cpus = 2 });
	idle_to(&w, 0, 1000, 1);
	to_idle(&w, 0, 2000, 1, 1);
	idle_to(&w, 0, 1600, 2);
	to_idle(&w, 0, 2100, 2, 1);
	idle_to(&w, 1, 1700, 11);
	to_idle(&w, 1, 2050, 11, 1);
	import(&w, NULL);
	check(&w, LIST("ts || ':' || next_pid", "sched_switch ORDER BY at"),
	      "1000:1 1700:11 2000:0 1600:2 2050:0 2100:0");
	check(&w, REPAIRS, "backward_time=1");
	check(&w, WINDOW, "1000-2100 1000-2100");
}

/* -- losses ----------------------------------------------------------------- */

static void test_losses(void **state)
{
	struct world w;

	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 3 });
	idle_to(&w, 0, 1000, 1);
	dat_build_missed(&w.b, 0, 5);		/* with a count */
	to_idle(&w, 0, 2000, 1, 1);
	dat_build_missed(&w.b, 0, -1);		/* without */
	idle_to(&w, 0, 3000, 2);
	/* CPU 1's buffer was overrun at the start, CPU 2 was just idle. */
	dat_build_missed(&w.b, 1, 70);
	idle_to(&w, 1, 1500, 3);
	to_idle(&w, 1, 4000, 3, 1);
	idle_to(&w, 2, 3500, 4);
	import(&w, NULL);
	check(&w, LOSSES, "0:1000-2000:5 0:2000-3000:-1 1:1000-1500:70");
	check(&w, WINDOW, "1000-4000 1500-4000");
	assert_int_equal(w.totals.lost, 75);
	assert_int_equal(w.totals.loss_intervals, 3);
	assert_non_null(strstr(w.notes, "missing in 3 places, 75 are known"));
}

static void test_counted_losses(void **state)
{
	static const char *const stats[] = {
		/* all known; the one hole's; nowhere to be seen; two holes */
		"CPU: 0\noverrun: 5\n", "CPU: 1\noverrun: 9\ndropped events: 1\n",
		"CPU: 2\ncommit overrun: 4\n", "CPU: 3\noverrun: 6\n",
	};
	struct world w;

	begin(&w, state, &(struct dat_form){ .version = 7, .nr_cpus = 4 });
	for (int cpu = 0; cpu < 4; cpu++) {
		dat_build_option(&w.b, 2, stats[cpu], strlen(stats[cpu]) + 1);
		idle_to(&w, cpu, 1000, 1 + cpu);
		if (cpu != 2)
			dat_build_missed(&w.b, cpu, cpu == 0 ? 5 : -1);
		to_idle(&w, cpu, 2000, 1 + cpu, 1);
	}
	dat_build_missed(&w.b, 3, -1);
	idle_to(&w, 3, 3000, 7);
	import(&w, NULL);
	check(&w, LOSSES, "0:1000-2000:5 1:1000-2000:10 2:1000-3000:4 "
	      "3:1000-2000:-1 3:2000-3000:-1");
	check(&w, REPAIRS, "lost_unplaced=6");
	check(&w, WINDOW, "1000-3000 1000-3000");
}

static void test_damaged_page(void **state)
{
	struct world w;
	uint8_t bad[4096];

	/* Three pages; the second one's commit is larger than a page. */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	idle_to(&w, 0, 1000, 1);
	dat_build_page(&w.b, 0);
	memset(bad, 0x7e, sizeof(bad));
	idle_to(&w, 0, 1100, 2);
	dat_build_page(&w.b, 0);
	memcpy(w.b.cpu[0].pages.at + 4096, bad, sizeof(bad));
	to_idle(&w, 0, 2000, 1, 1);
	import(&w, NULL);
	check(&w, LOSSES, "0:1000-2000:-1");
	check(&w, REPAIRS, "damaged_page=1");
	check(&w, "SELECT count(*) FROM event", "2");
	assert_non_null(strstr(w.notes, "CPU 0, page 1: commit "));
}

static void test_cut_file(void **state)
{
	const struct import_options o = { .partial = true };
	struct err err = { 0 };
	struct world w;
	char path[300];

	/* Cut in CPU 1's only page, before its second entry. */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 2 });
	idle_to(&w, 0, 1000, 1);
	to_idle(&w, 0, 5000, 1, 1);
	idle_to(&w, 1, 1200, 2);
	to_idle(&w, 1, 4000, 2, 1);
	dat_build_file(&w.b);
	snprintf(path, sizeof(path), "%s", folder_path(w.y->folder, "x.dat"));
	assert_int_equal(file_write(path, w.b.out.at, w.b.out.len - 4096 + 100), 0);
	dat_build_release(&w.b);
	assert_int_equal(import_file(path, &(struct import_options){ 0 }, w.y->s,
				     NULL, NULL, &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "the file is cut: data of CPU 1"));
	err = (struct err){ 0 };
	OK(import_file(path, &o, w.y->s, NULL, &w.totals, &err));
	remove(path);
	scratch_reopen(w.y, STORE_READ);
	check(&w, LOSSES, "1:1200-5000:-1");
	check(&w, WINDOW, "1000-5000 1000-1200");
	check(&w, "SELECT count(*) FROM event", "3");
	check(&w, REPAIRS, "damaged_data=1 damaged_page=1");
}

/* -- who is who -------------------------------------------------------------- */

static void test_reuse(void **state)
{
	struct world w;

	/* bug report 30: tid 11 dies, its number is forked again */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 2 });
	idle_to(&w, 0, 1000, 11);
	dat_build_exit(&w.b, 0, 1100, "w", 11, 1);
	to_idle(&w, 0, 1110, 11, 0x20);
	idle_to(&w, 1, 1900, 5);
	dat_build_fork(&w.b, 1, 2000, "sh", 5, "sh", 11);
	dat_build_wake(&w.b, 1, 2001, DAT_ID_WAKEUP_NEW, "sh", 11, 1, 5);
	dat_build_switch(&w.b, 1, 2100, "sh", 5, 1, "sh", 11);
	dat_build_switch(&w.b, 1, 2200, "sh", 11, 1, "swapper", 0);
	import(&w, NULL);
	check(&w, TASKS, "11:-1:w:1000-1110:2 5:-1:sh:1000--1:2 "
	      "11:-1:sh:2000--1:0");
	check(&w, "SELECT parent FROM task WHERE start_ns = 2000", "1");
	check(&w, REPAIRS, "");
}

static void test_reuse_unseen(void **state)
{
	struct world w;

	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 2 });
	/* bug report 45: an ended one runs again, without a fork */
	idle_to(&w, 0, 1000, 11);
	to_idle(&w, 0, 2000, 11, 0x10);
	idle_to(&w, 1, 3000, 11);
	to_idle(&w, 1, 4000, 11, 1);
	/* One that nobody saw end is forked: it ended where it was seen last. */
	idle_to(&w, 0, 5000, 12);
	to_idle(&w, 0, 6000, 12, 1);
	idle_to(&w, 1, 6500, 5);
	dat_build_fork(&w.b, 1, 9000000, "w", 5, "w", 12);
	/* Spoken of a moment after its end by another CPU, it is still the same. */
	idle_to(&w, 0, 9100000, 13);
	to_idle(&w, 0, 9200000, 13, 0x20);
	dat_build_wake(&w.b, 1, 9200500, DAT_ID_WAKING, "w", 13, 0, 5);
	import(&w, NULL);
	check(&w, LIST("tid || ':' || start_ns || '-' || end_ns",
		       "task ORDER BY id"),
	      "11:1000-2000 11:3000--1 12:1000-6000 5:1000--1 12:9000000--1 "
	      "13:1000-9200000");
	check(&w, REPAIRS, "exit_not_seen=1 fork_not_seen=1");
}

static void test_born_by_wakeup(void **state)
{
	struct world w;

	/* No fork was recorded: sched_wakeup_new tells birth and parent.  A
	 * child that another CPU shows a little before its fork is the same. */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 2 });
	idle_to(&w, 0, 1000, 5);
	dat_build_wake(&w.b, 0, 5000000, DAT_ID_WAKEUP_NEW, "w", 20, 1, 5);
	idle_to(&w, 1, 8000000, 30);
	dat_build_fork(&w.b, 0, 8000200, "w", 5, "w", 30);
	dat_build_wake(&w.b, 0, 8000300, DAT_ID_WAKEUP_NEW, "w", 30, 1, 5);
	import(&w, NULL);
	check(&w, LIST("tid || ':' || start_ns || ':' || flags || ':' || parent",
		       "task ORDER BY id"),
	      "5:1000:2:-1 20:5000000:0:0 30:8000000:0:0");
	check(&w, REPAIRS, "early_child=1");
}

static void test_thread_execs(void **state)
{
	struct world w;

	/* Thread 102 of process 100 execs: it goes on as 100. */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 2 });
	idle_to(&w, 0, 1000, 100);
	dat_build_fork(&w.b, 0, 1100, "java", 100, "java", 102);
	to_idle(&w, 0, 1200, 100, 1);
	idle_to(&w, 1, 1300, 102);
	dat_build_exec(&w.b, 1, 1400, "/bin/new", 100, 102);
	dat_build_switch(&w.b, 1, 1500, "new", 100, 1, "swapper", 0);
	import(&w, NULL);
	check(&w, LIST("tid || ':' || pid || ':' || start_ns || '-' || end_ns",
		       "task ORDER BY id"),
	      "100:-1:1000-1400 102:-1:1100-1400 100:100:1400--1");
	check(&w, "SELECT comm FROM task WHERE id = 2", "new");
}

static void test_minus_one(void **state)
{
	struct world w;

	/* An exiting task shows pid -1 (numatop); idle tasks are none. */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	idle_to(&w, 0, 1000, 11);
	dat_build_switch(&w.b, 0, 2000, "w", -1, 0x10, "swapper", 0);
	import(&w, NULL);
	check(&w, TASKS, "11:-1:w:1000-2000:2");
	check(&w, LIST("prev_pid", "sched_switch ORDER BY at"), "0 11");
	check(&w, REPAIRS, "pid_minus_one=1");
}

static void test_thread_groups(void **state)
{
	struct world w;

	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	idle_to(&w, 0, 1000, 100);
	dat_build_exec(&w.b, 0, 1100, "/bin/p", 100, 100);	/* a leader */
	dat_build_fork(&w.b, 0, 1200, "p", 100, "p", 101);	/* a thread */
	dat_build_fork(&w.b, 0, 1300, "p", 100, "p", 102);	/* a process */
	dat_build_fork(&w.b, 0, 1400, "p", 100, "p", 103);	/* not known */
	dat_build_switch(&w.b, 0, 1500, "p", 100, 1, "p", 101);
	dat_build_exit(&w.b, 0, 1600, "p", 101, 0);
	dat_build_switch(&w.b, 0, 1610, "p", 101, 0x10, "p", 102);
	dat_build_exit(&w.b, 0, 1700, "p", 102, 1);
	dat_build_switch(&w.b, 0, 1710, "p", 102, 0x20, "p", 103);
	/* sched_*_numa tells; 200's leader was never seen and is made. */
	dat_build_swap(&w.b, 0, 1800, 201, 200, 202, 202);
	import(&w, NULL);
	check(&w, LIST("tid || ':' || pid", "task ORDER BY id"),
	      "100:100 101:100 102:102 103:-1 201:200 202:202 200:200");
	assert_int_equal(w.totals.processes, 4);
}

static void test_kernel_threads(void **state)
{
	struct world w;

	/* kthreadd's children; 1 is TASK_F_KTHREAD */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	dat_build_switch(&w.b, 0, 1000, "swapper", 0, 0, "kthreadd", 2);
	dat_build_fork(&w.b, 0, 1100, "kthreadd", 2, "kthreadd", 50);
	import(&w, NULL);
	check(&w, "SELECT pid || ' ' || flags FROM task WHERE tid = 50", "50 1");
}

/* -- names ------------------------------------------------------------------- */

static void test_names(void **state)
{
	struct world w;

	begin(&w, state, &(struct dat_form){
		.version = 6, .nr_cpus = 1, .data_loc = true,
		.cmdlines = "11 last\n77 helper\n99 nobody\n78 <...>\n",
	});
	dat_build_switch(&w.b, 0, 1000, "swapper", 0, 0, "sh", 11);
	dat_build_fork(&w.b, 0, 1100, "sh", 11, "sh", 12);
	dat_build_switch(&w.b, 0, 1200, "sh", 11, 1, "sh", 12);
	/* Named by an exec, seen at the next switch; renamed by itself */
	dat_build_exec(&w.b, 0, 1300, "/bin/worker", 12, 12);
	dat_build_switch(&w.b, 0, 1400, "worker", 12, 1, "sh", 11);
	dat_build_switch(&w.b, 0, 1500, "sh", 11, 1, "worker-main", 12);
	/* Any bytes, no zero */
	dat_build_switch(&w.b, 0, 1600, "worker-main", 12, 1,
			 "a\xff'\n%s b12345678", 13);
	/* Never named by an event: the saved names are good enough. */
	dat_build_fault(&w.b, 0, 1700, 77, 0x1000);
	/* The last thing seen of 14 is its exec. */
	dat_build_switch(&w.b, 0, 1800, "swapper", 0, 0, "sh", 14);
	dat_build_exec(&w.b, 0, 1900, "/opt/final", 14, 14);
	import(&w, NULL);
	check(&w, LIST("tid || ':' || from_ns || '=' || comm",
		       "task_name WHERE tid <> 13 ORDER BY task, from_ns"),
	      "11:1000=sh 12:1100=sh 12:1300=worker 12:1500=worker-main "
	      "77:1000=helper 14:1000=sh 14:1900=final");
	check(&w, "SELECT hex(comm) FROM task WHERE tid = 13",
	      "61FF270A257320623132333435363738");
	check(&w, "SELECT comm FROM task WHERE tid = 14", "final");
	check(&w, "SELECT count(*) FROM task WHERE tid IN (99, 78)", "0");
}

/* -- what is not there --------------------------------------------------------- */

static void refuse(struct world *w, const struct import_options *o, int code,
		   const char *why)
{
	struct err err = { 0 };

	assert_int_equal(try_import(w, o, &err), code);
	if (!strstr(err.text, why))
		fail_msg("'%s' is not in: %s", why, err.text);
	assert_string_equal(w->notes, "");	/* one message is enough */
}

static void test_no_sched(void **state)
{
	const struct import_options none = { 0 };
	struct world w;

	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	for (int i = 0; i < 3; i++)
		dat_build_other(&w.b, 0, 1000 + i, DAT_ID_OTHER);
	dat_build_other(&w.b, 0, 2000, DAT_ID_UNKNOWN);
	dat_build_fault(&w.b, 0, 3000, 1, 0x1000);
	refuse(&w, &none, ERR_FORMAT,
	       "x.dat': has no sched events; it has: tick 3, event 999 1, "
	       "page_fault_user 1");
	begin(&w, state, &(struct dat_form){ .version = 7, .nr_cpus = 2 });
	refuse(&w, &none, ERR_FORMAT, "x.dat': has no events");
	/* bug report 49 */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	dat_build_migrate(&w.b, 0, 1000, "a", 11, 0, 2, 12);
	dat_build_migrate(&w.b, 0, 1100, "a", 11, 2, 0, 4);
	refuse(&w, &none, ERR_FORMAT, "has no sched_switch events");
	begin(&w, state, &(struct dat_form){
		.version = 6, .nr_cpus = 1, .no_switch_format = true });
	dat_build_migrate(&w.b, 0, 1000, "a", 11, 0, 2, 12);
	refuse(&w, &none, ERR_FORMAT, "it has: sched_migrate_task 1");
}

static void test_skipped(void **state)
{
	struct world w;

	begin(&w, state, &(struct dat_form){
		.version = 6, .nr_cpus = 2, .wide_header = true,
		.old_wakeup = true, .big_endian = true, .long_size = 4 });
	idle_to(&w, 0, 1000, 1);
	for (int i = 0; i < 5; i++)
		dat_build_other(&w.b, 1, 900 + i, i < 3 ? DAT_ID_OTHER :
							 DAT_ID_UNKNOWN);
	dat_build_wake(&w.b, 0, 1100, DAT_ID_WAKEUP, "v", 2, 0, 1);
	dat_build_pages(&w.b, 0, 1200, 1, 512, 5);
	dat_build_fault(&w.b, 0, 1300, 1, 0x12345000);
	import(&w, NULL);
	check(&w, LIST("name || '=' || events", "skipped ORDER BY name"),
	      "event 999=2 tick=3");
	check(&w, LIST("name || '=' || events",
		       "event_kind WHERE events > 0 ORDER BY name"),
	      "mm_migrate_pages=1 page_fault_user=1 sched_switch=1 sched_wakeup=1");
	check(&w, "SELECT target_cpu || ' ' || success FROM sched_wakeup", "-1 1");
	check(&w, "SELECT printf('%x', address) FROM page_fault_user", "12345000");
	check(&w, "SELECT succeeded FROM mm_migrate_pages", "512");
	check(&w, "SELECT has_faults FROM capture", "1");
	assert_int_equal(w.totals.skipped, 5);
}

/* -- settings ------------------------------------------------------------------ */

static void test_capture(void **state)
{
	static const char *const knobs[] = { "kernel.numa_balancing=1", "a=b=c" };
	const struct import_options o = { .knobs = { knobs, 2 } };
	struct world w;

	begin(&w, state, &(struct dat_form){
		.version = 7, .nr_cpus = 4, .uname = "Linux (none) 6.1.0-57 aarch64",
		.clock = "mono", .compression = "zstd", .pack = dat_pack });
	idle_to(&w, 1, 1000, 1);
	import(&w, &o);
	check(&w, "SELECT source || '|' || kernel || '|' || arch || '|' || clock "
	      "|| '|' || page_size || '|' || nr_cpus || '|' || topology_known "
	      "FROM capture", "trace.dat v7|6.1.0-57|aarch64|mono|4096|2|0");
	check(&w, LIST("name || '=' || value", "knob ORDER BY name"),
	      "a=b=c kernel.numa_balancing=1");
	check(&w, "SELECT count(*) FROM state_letter", "8");
	assert_non_null(strstr(w.notes, "one node assumed"));
}

static void test_time_options(void **state)
{
	/* offset 500; ticks * 3 >> 1 */
	static const uint8_t tsc[] = { 3, 0, 0, 0, 1, 0, 0, 0,
				       9, 9, 9, 9, 9, 9, 9, 9 };
	const struct import_options none = { 0 };
	struct world w;

	begin(&w, state, &(struct dat_form){
		.version = 7, .nr_cpus = 1, .clock = "x86-tsc" });
	dat_build_option(&w.b, 14, tsc, sizeof(tsc));
	dat_build_option(&w.b, 7, "500", 4);
	idle_to(&w, 0, 1000, 1);
	dat_build_missed(&w.b, 0, 3);
	to_idle(&w, 0, 2000, 1, 1);
	import(&w, NULL);
	check(&w, LIST("ts", "sched_switch ORDER BY at"), "2000 3500");
	check(&w, LOSSES, "0:2000-3500:3");
	/* Ticks of no known length are no time (bug report 15). */
	begin(&w, state, &(struct dat_form){
		.version = 6, .nr_cpus = 1, .clock = "counter" });
	idle_to(&w, 0, 1000, 1);
	refuse(&w, &none, ERR_FORMAT, "clock 'counter' does not count time");
}

static void test_stray_cpu(void **state)
{
	const struct import_options o = { .topology = "numa:2 core:2 pu:1" };
	struct world w;

	/* bug report 56: 250 ms on a node that is not one of the known */
	begin(&w, state, &(struct dat_form){ .version = 6, .nr_cpus = 8 });
	idle_to(&w, 7, 10000000000, 11);
	to_idle(&w, 7, 10250000000, 11, 1);
	import(&w, &o);
	check(&w, LIST("id || ':' || node", "cpu ORDER BY id"),
	      "0:0 1:0 2:1 3:1 7:2");
	check(&w, "SELECT mem_bytes FROM node WHERE id = 2", "0");
	check(&w, REPAIRS, "cpu_not_in_topology=1");
	assert_non_null(strstr(w.notes, "CPU 7 is not in the topology"));
}

static void test_buffers(void **state)
{
	struct err err = { 0 };
	struct world w;

	begin(&w, state, &(struct dat_form){
		.version = 6, .nr_cpus = 1, .instance = "foo" });
	idle_to(&w, 0, 1000, 1);
	assert_int_equal(try_import(&w, &(struct import_options){
			.buffer = "bar" }, &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "has no buffer 'bar', only '', 'foo'"));
	begin(&w, state, &(struct dat_form){
		.version = 6, .nr_cpus = 1, .instance = "foo" });
	idle_to(&w, 0, 1000, 1);
	err = (struct err){ 0 };
	assert_int_equal(try_import(&w, &(struct import_options){
			.buffer = "foo" }, &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "has no events"));
	begin(&w, state, &(struct dat_form){
		.version = 6, .nr_cpus = 1, .instance = "foo" });
	idle_to(&w, 0, 1000, 1);
	import(&w, NULL);
	check(&w, REPAIRS, "buffer_left_out=1");
	assert_non_null(strstr(w.notes, "further buffers of the file are left out"
			       " (--buffer NAME takes one): 'foo'"));
}

static void test_unknown_kinds(void **state)
{
	static const struct {
		const char *bytes, *why;
	} kinds[] = {
		{ "", "is empty" },
		{ "PERFILE2xxxxxxxx", "is cut off" },
		{ "SQLite format 3", "is an SQLite file" },
		{ "{\"traceEvents\":[]}", "is JSON, not a trace" },
	};
	struct scratch *y = *state;
	const struct import_options o = { 0 };
	char path[300];

	snprintf(path, sizeof(path), "%s", folder_path(y->folder, "x.any"));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct err err = { 0 };

		assert_int_equal(file_write(path, kinds[i].bytes,
					    strlen(kinds[i].bytes)), 0);
		assert_int_equal(import_file(path, &o, y->s, NULL, NULL, &err),
				 ERR_FORMAT);
		if (!strstr(err.text, kinds[i].why) || !strstr(err.text, path))
			fail_msg("'%s' is not in: %s", kinds[i].why, err.text);
	}
	remove(path);
	for (int i = 0; i < 2; i++) {
		struct err err = { 0 };

		assert_true(import_file(i ? y->folder : path, &o, y->s, NULL,
					NULL, &err) < 0);
		assert_non_null(strstr(err.text, i ? "is a folder, and not the spool"
					: "cannot open"));
	}
}

static int stop(void *ctx, double done)
{
	return done > 0.3;
}

static void test_stopped(void **state)
{
	const struct spool_watch watch = { .progress = stop };
	struct scratch *y = *state;
	struct err err = { 0 };
	struct dat_build b;
	char path[300];

	/* Several batches, stopped in the middle of them */
	snprintf(path, sizeof(path), "%s", folder_path(y->folder, "x.dat"));
	dat_build_init(&b, &(struct dat_form){ .version = 6, .nr_cpus = 1 });
	for (int i = 0; i < 50000; i++)
		dat_build_switch(&b, 0, 1000 + i, "a", 1 + i % 2, 0, "b",
				 2 - i % 2);
	dat_build_write(&b, path);
	dat_build_release(&b);
	assert_int_equal(import_file(path, &(struct import_options){ 0 }, y->s,
				     &watch, NULL, &err), ERR_STOPPED);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(test_order),
		SCRATCH_TEST(test_backward),
		SCRATCH_TEST(test_losses),
		SCRATCH_TEST(test_counted_losses),
		SCRATCH_TEST(test_damaged_page),
		SCRATCH_TEST(test_cut_file),
		SCRATCH_TEST(test_reuse),
		SCRATCH_TEST(test_reuse_unseen),
		SCRATCH_TEST(test_born_by_wakeup),
		SCRATCH_TEST(test_thread_execs),
		SCRATCH_TEST(test_minus_one),
		SCRATCH_TEST(test_thread_groups),
		SCRATCH_TEST(test_kernel_threads),
		SCRATCH_TEST(test_names),
		SCRATCH_TEST(test_no_sched),
		SCRATCH_TEST(test_skipped),
		SCRATCH_TEST(test_capture),
		SCRATCH_TEST(test_time_options),
		SCRATCH_TEST(test_stray_cpu),
		SCRATCH_TEST(test_buffers),
		SCRATCH_TEST(test_unknown_kinds),
		SCRATCH_TEST(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

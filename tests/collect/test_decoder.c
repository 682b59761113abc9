/* SPDX-License-Identifier: MIT */
/* Records by format texts as kernels of different ages have them. */
#include "collect/decoder.h"
#include "collect/format.h"
#include "model/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define INT(name, at) "\tfield:int " name ";\toffset:" at ";\tsize:4;\tsigned:1;\n"
#define COMM(name, at) \
	"\tfield:char " name "[16];\toffset:" at ";\tsize:16;\tsigned:0;\n"

#define SWITCH_FIELDS COMMON COMM("prev_comm", "8") INT("prev_pid", "24") \
	INT("prev_prio", "28") \
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n" \
	COMM("next_comm", "40") INT("next_pid", "56") INT("next_prio", "60") "\n"

/* Linux 4.4 */
static const char switch_old[] = "name: sched_switch\nID: 297\nformat:\n"
	SWITCH_FIELDS
	"print fmt: \"prev_comm=%s prev_state=%s%s ==> next_comm=%s\", "
	"REC->prev_comm, REC->prev_state & (2048-1) ? __print_flags(REC->"
	"prev_state & (2048-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" },"
	" { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, "
	"\"K\" }, { 256, \"W\" }, { 512, \"P\" }, { 1024, \"N\" }) : \"R\", "
	"REC->prev_state & 2048 ? \"+\" : \"\", REC->next_comm\n";

/* Since 4.14: the bit above all that are shown is the preempted one. */
static const char switch_new[] = "name: sched_switch\nID: 310\nformat:\n"
	SWITCH_FIELDS
	"print fmt: \"prev_state=%s%s\", (REC->prev_state & ((((0x00000000 | "
	"0x00000001 | 0x00000002 | 0x00000040) + 1) << 1) - 1)) ? __print_flags"
	"(REC->prev_state & ((((0x00000000 | 0x00000040) + 1) << 1) - 1), \"|\","
	" { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000010, \"X\" }, "
	"{ 0x00000020, \"Z\" }) : \"R\", REC->prev_state & (((0x00000000 | "
	"0x00000001 | 0x0000007e) + 1) << 1) ? \"+\" : \"\"\n";

struct bytes {
	uint8_t at[128];
	size_t len;
};

static void put(struct bytes *b, size_t at, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		b->at[at + (size_t)i] = (uint8_t)(v >> 8 * i);
	if (at + (size_t)size > b->len)
		b->len = at + (size_t)size;
}

static void head(struct bytes *b, int id, int flags, int pid)
{
	memset(b, 0, sizeof(*b));
	put(b, 0, (uint64_t)id, 2);
	put(b, 2, (uint64_t)flags, 1);
	put(b, 4, (uint64_t)pid, 4);
}

static struct decoder *with(const char *system, const char *text)
{
	struct decoder *d;
	struct err err = { 0 };

	assert_int_equal(decoder_new(&d, false, &err), 0);
	if (text && decoder_add_format(d, system, text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
	return d;
}

static int decode(struct decoder *d, const struct bytes *b, struct record *r)
{
	struct err err = { 0 };
	int got = decoder_decode(d, 3, 5000, b->at, b->len, r, &err);

	assert_true(got >= 0 || err.text[0]);
	return got;
}

static void switch_bytes(struct bytes *b, int id, int64_t state)
{
	head(b, id, 0, 11);
	/* All 16 bytes of a comm, none of them zero, one of them not ASCII */
	memcpy(b->at + 8, "pid=1 pid=2\n\xff""abc", 16);
	put(b, 24, 11, 4);
	put(b, 28, 120, 4);
	put(b, 32, (uint64_t)state, 8);
	memcpy(b->at + 40, "b", 2);
	put(b, 56, 4194303, 4);
	put(b, 60, 99, 4);
}

static void test_switch(void **state)
{
	struct decoder *d = with("sched", switch_old);
	struct record r;
	struct bytes b;

	switch_bytes(&b, 297, 1);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.what, RECORD_EVENT);
	assert_int_equal(r.event.kind, EVENT_SWITCH);
	assert_int_equal(r.event.ts, 5000);
	assert_int_equal(r.event.cpu, 3);
	assert_int_equal(r.event.tid, 11);
	assert_int_equal(r.event.sw.prev_tid, 11);
	assert_int_equal(r.event.sw.prev_prio, 120);
	assert_int_equal(r.event.sw.prev_state, 1);
	assert_int_equal(r.event.sw.state, STATE_SLEEPING);
	assert_int_equal(r.event.sw.next_tid, 4194303);
	assert_int_equal(r.event.sw.next_prio, 99);
	assert_int_equal(r.nr_names, 2);
	assert_int_equal(r.name[0].tid, 11);
	assert_int_equal(r.name[0].len, 16);
	assert_memory_equal(r.name[0].comm, "pid=1 pid=2\n\xff""abc", 16);
	assert_int_equal(r.name[1].tid, 4194303);
	assert_int_equal(r.name[1].len, 1);
	assert_true(decoder_has(d, EVENT_SWITCH));
	assert_false(decoder_has(d, EVENT_FORK));
	decoder_free(d);
}

static void test_states(void **state)
{
	static const struct {
		const char *format;
		int id;
		int64_t raw;
		enum task_state state;
	} cases[] = {
		{ switch_old, 297, 0, STATE_RUNNABLE },
		{ switch_old, 297, 2048, STATE_RUNNABLE },
		{ switch_old, 297, 2049, STATE_RUNNABLE },
		{ switch_old, 297, 64, STATE_DEAD },
		{ switch_old, 297, 32, STATE_DEAD },
		{ switch_old, 297, 512, STATE_PARKED },
		{ switch_old, 297, 1026, STATE_IDLE },
		{ switch_new, 310, 256, STATE_RUNNABLE },
		{ switch_new, 310, 32, STATE_DEAD },
		{ switch_new, 310, 2, STATE_DISK },
	};
	struct record r;
	struct bytes b;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decoder *d = with("sched", cases[i].format);

		switch_bytes(&b, cases[i].id, cases[i].raw);
		assert_int_equal(decode(d, &b, &r), 1);
		assert_int_equal(r.event.sw.state, cases[i].state);
		assert_int_equal(r.event.sw.prev_state, cases[i].raw);
		decoder_free(d);
	}
}

static void test_state_tables(void **state)
{
	struct decoder *d = with("sched", switch_old);
	const struct state_table *t = decoder_states(d);

	assert_int_equal(t->nr, 11);
	assert_int_equal(t->flag[4].bit, 16);
	assert_int_equal(t->flag[4].letter, 'Z');
	assert_int_equal(t->preempt_bit, 2048);
	decoder_free(d);
	/* 0x7f + 1 << 1 is 0x100 */
	d = with("sched", switch_new);
	t = decoder_states(d);
	assert_int_equal(t->nr, 4);
	assert_int_equal(t->flag[2].letter, 'X');
	assert_int_equal(t->preempt_bit, 0x100);
	decoder_free(d);
	/* A text without a table: mainline's. */
	d = with("sched", "name: sched_switch\nID: 5\nformat:\n" SWITCH_FIELDS
			  "print fmt: \"%d\", ((((REC->prev_state {{ ? \"+\"\n");
	assert_int_equal(decoder_states(d)->nr, state_table_default.nr);
	decoder_free(d);
}

static void test_context(void **state)
{
	/* common_flags of Linux: 4 need_resched, 8 hardirq, 0x10 softirq,
	 * 0x40 NMI, 1 irqs off */
	struct decoder *d = with("sched", switch_old);
	struct record r;
	struct bytes b;

	switch_bytes(&b, 297, 0);
	put(&b, 2, 0x1d, 1);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.event.flags, EVENT_F_NEED_RESCHED | EVENT_F_HARDIRQ |
					EVENT_F_SOFTIRQ);
	put(&b, 2, 0x41, 1);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.event.flags, EVENT_F_NMI);
	decoder_free(d);
}

static void test_wakeups(void **state)
{
	/* 2.6.32: `cpu` for `target_cpu`; later: success; newest: neither */
	static const char oldest[] = "name: sched_wakeup\nID: 60\nformat:\n"
		COMMON COMM("comm", "8") INT("pid", "24") INT("prio", "28")
		INT("success", "32") INT("cpu", "36") "\nprint fmt: \"\"\n";
	static const char bare[] = "name: sched_wakeup\nID: 60\nformat:\n"
		COMMON INT("pid", "8") "\nprint fmt: \"\"\n";
	struct decoder *d = with("sched", oldest);
	struct record r;
	struct bytes b;

	head(&b, 60, 0, 1);
	memcpy(b.at + 8, "<...>", 6);
	put(&b, 24, 7, 4);
	put(&b, 28, 110, 4);
	put(&b, 32, 0, 4);
	put(&b, 36, 2, 4);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.event.wake.tid, 7);
	assert_int_equal(r.event.wake.prio, 110);
	assert_int_equal(r.event.wake.success, 0);
	assert_int_equal(r.event.wake.target_cpu, 2);
	assert_int_equal(r.nr_names, 0);	/* "<...>" is none */
	decoder_free(d);

	d = with("sched", bare);
	head(&b, 60, 0, 1);
	put(&b, 8, 7, 4);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.event.wake.tid, 7);
	assert_int_equal(r.event.wake.prio, -1);
	assert_int_equal(r.event.wake.success, 1);
	assert_int_equal(r.event.wake.target_cpu, -1);
	decoder_free(d);
}

static void test_dynamic_names(void **state)
{
	/* Linux 6.16: names of migrate and fork are dynamic. */
	static const char text[] = "name: sched_migrate_task\nID: 309\nformat:\n"
		COMMON
		"\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
		INT("pid", "12") INT("prio", "16") INT("orig_cpu", "20")
		INT("dest_cpu", "24") "\nprint fmt: \"%s\", __get_str(comm)\n";
	struct decoder *d = with("sched", text);
	struct record r;
	struct bytes b;

	head(&b, 309, 0, 1);
	put(&b, 8, 5 << 16 | 28, 4);
	put(&b, 12, 7, 4);
	put(&b, 20, 1, 4);
	put(&b, 24, 2, 4);
	memcpy(b.at + 28, "abcd", 5);
	b.len = 36;
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.nr_names, 1);
	assert_int_equal(r.name[0].len, 4);
	assert_memory_equal(r.name[0].comm, "abcd", 4);
	assert_int_equal(r.event.migrate.dest_cpu, 2);
	/* Outside the record: no name, but the event is good. */
	put(&b, 8, UINT32_C(0xffff) << 16 | 28, 4);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.nr_names, 0);
	put(&b, 8, 5 << 16 | 0xffff, 4);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.nr_names, 0);
	decoder_free(d);
}

static void test_exec(void **state)
{
	static const char text[] = "name: sched_process_exec\nID: 303\nformat:\n"
		COMMON
		"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
		INT("pid", "12") "\nprint fmt: \"\"\n";
	static const char path[] = "/usr/lib/very-long-program-name";
	struct decoder *d = with("sched", text);
	struct record r;
	struct bytes b;

	head(&b, 303, 0, 7);
	put(&b, 8, sizeof(path) << 16 | 16, 4);
	put(&b, 12, 7, 4);
	memcpy(b.at + 16, path, sizeof(path));
	b.len = 16 + sizeof(path);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.event.exec.tid, 7);
	assert_int_equal(r.event.exec.old_tid, 7);	/* no field old_pid */
	assert_int_equal(r.nr_names, 1);
	assert_int_equal(r.name[0].len, 15);
	assert_memory_equal(r.name[0].comm, "very-long-progr", 15);
	decoder_free(d);
}

static void test_numa_and_pages(void **state)
{
	static const char move[] = "name: sched_move_numa\nID: 294\nformat:\n"
		COMMON INT("pid", "8") INT("tgid", "12") INT("ngid", "16")
		INT("src_cpu", "20") INT("src_nid", "24") INT("dst_cpu", "28")
		INT("dst_nid", "32") "\nprint fmt: \"\"\n";
	static const char pages[] = "name: mm_migrate_pages\nID: 681\nformat:\n"
		COMMON
		"\tfield:unsigned long succeeded;\toffset:8;\tsize:8;\tsigned:0;\n"
		INT("reason", "16") "\nprint fmt: \"%s\", __print_symbolic(REC->"
		"mode, {4, \"demotion\"}), __print_symbolic(REC->reason, {3, "
		"\"syscall_or_cpuset\"}, {5, \"numa_misplaced\"}, {8, "
		"\"demotion\"}, {9, \"damon\"})\n";
	struct decoder *d = with("sched", move);
	struct err err = { 0 };
	struct record r;
	struct bytes b;

	assert_int_equal(decoder_add_format(d, "migrate", pages, strlen(pages),
					    &err), 0);
	head(&b, 294, 0, 1);
	for (int i = 0; i < 7; i++)
		put(&b, 8 + (size_t)i * 4, 50 + (uint64_t)i, 4);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.event.numa.src_tid, 50);
	assert_int_equal(r.event.numa.src_tgid, 51);
	assert_int_equal(r.event.numa.dst_cpu, 55);
	assert_int_equal(r.event.numa.dst_nid, 56);
	assert_int_equal(r.event.numa.dst_tid, -1);
	head(&b, 681, 0, 1);
	put(&b, 8, UINT64_C(1) << 40, 8);
	put(&b, 16, 8, 4);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_true(r.event.pages.succeeded == INT64_C(1) << 40);
	assert_int_equal(r.event.pages.reason, REASON_DEMOTION);
	put(&b, 16, 9, 4);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.event.pages.reason, REASON_OTHER);
	put(&b, 16, 0xffffffff, 4);
	assert_int_equal(decode(d, &b, &r), 1);
	assert_int_equal(r.event.pages.reason, REASON_OTHER);
	decoder_free(d);
}

static int list_skipped(void *ctx, const char *name, int64_t count,
			struct err *err)
{
	char *text = ctx;
	size_t len = strlen(text);

	snprintf(text + len, 200 - len, "%s %lld;", name, (long long)count);
	return 0;
}

static void test_skipped(void **state)
{
	static const char tick[] = "name: tick\nID: 40\nformat:\n" COMMON
		"print fmt: \"(REC)->\"\n";
	/* A system of somebody else may have an event of our name. */
	static const char other[] = "name: sched_switch\nID: 41\nformat:\n\n";
	struct decoder *d = with("thermal", tick);
	struct err err = { 0 };
	char text[200] = "";
	struct record r;
	struct bytes b;

	assert_int_equal(decoder_add_format(d, "mine", other, strlen(other),
					    &err), 0);
	assert_false(decoder_has(d, EVENT_SWITCH));
	for (int i = 0; i < 3; i++) {
		head(&b, 40, 0, 1);
		assert_int_equal(decode(d, &b, &r), 0);
	}
	head(&b, 41, 0, 1);
	assert_int_equal(decode(d, &b, &r), 0);
	head(&b, 65535, 0, 1);
	assert_int_equal(decode(d, &b, &r), 0);
	assert_int_equal(decoder_each_skipped(d, list_skipped, text, &err), 0);
	assert_string_equal(text, "tick 3;sched_switch 1;event 65535 1;");
	decoder_free(d);
}

static void test_short_records(void **state)
{
	struct decoder *d = with("sched", switch_old);
	struct record r;
	struct bytes b;

	switch_bytes(&b, 297, 0);
	for (size_t len = 0; len < 64; len++) {
		b.len = len;
		assert_int_equal(decode(d, &b, &r), ERR_FORMAT);
	}
	b.len = 64;
	assert_int_equal(decode(d, &b, &r), 1);
	decoder_free(d);
}

static void refuse(const char *text, const char *why)
{
	struct decoder *d = with(NULL, NULL);
	struct err err = { 0 };

	assert_int_equal(decoder_add_format(d, "sched", text, strlen(text), &err),
			 ERR_FORMAT);
	assert_string_equal(err.text, why);
	decoder_free(d);
}

static void test_bad_formats(void **state)
{
	refuse("", "a format text of system 'sched' has no name and ID");
	refuse("name: a\n", "a format text of system 'sched' has no name and ID");
	refuse("name: a\nID: 65536\n", "event 'a': its ID is out of range");
	refuse("name: sched_switch\nID: 1\nformat:\n",
	       "event 'sched_switch': field 'common_type' is missing");
	refuse("name: sched_switch\nID: 1\nformat:\n" COMMON
	       INT("prev_pid", "8") INT("prev_state", "12"),
	       "event 'sched_switch': field 'next_pid' is missing");
	refuse("name: sched_process_exit\nID: 1\nformat:\n" COMMON
	       "\tfield:int pid[3];\toffset:8;\tsize:12;\tsigned:1;\n",
	       "event 'sched_process_exit': field 'pid' of 12 bytes is no number");
	refuse("name: sched_process_exit\nID: 1\nformat:\n" COMMON
	       "\tfield:int pid;\toffset:99999;\tsize:4;\tsigned:1;\n",
	       "event 'sched_process_exit': field 'pid' is missing");
}

static void test_expressions(void **state)
{
	static const struct {
		const char *text;
		uint64_t bit;
	} cases[] = {
		{ "1 + 2 * 3", 7 },	{ "(1|2|4)<<1", 14 },
		{ "0x10UL - 1", 15 },	{ "~0 & 0xff", 255 },
		{ "1 << 2 + 1", 8 },	{ "6 & 3 | 8", 10 },
		{ "1 << 99", 0 },	{ "SOME_ENUM", 0 },
		{ "(1", 0 },		{ "", 0 },
	};
	char text[9000];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct format f = { text, 0 };

		f.len = (size_t)snprintf(text, sizeof(text),
				"x\nprint fmt: \"\", REC->s & (%s) ? \"+\" : \"\"",
				cases[i].text);
		assert_true(format_sign_bit(&f, "s", "+") == cases[i].bit);
	}
	/* Nested deeper than any stack should go */
	strcpy(text, "\nprint fmt: REC->s & ");
	memset(text + strlen(text), '(', 8000);
	text[8900] = '\0';
	assert_true(format_sign_bit(&(struct format){ text, 8020 }, "s", "+") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_state_tables),
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_wakeups),
		cmocka_unit_test(test_dynamic_names),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_numa_and_pages),
		cmocka_unit_test(test_skipped),
		cmocka_unit_test(test_short_records),
		cmocka_unit_test(test_bad_formats),
		cmocka_unit_test(test_expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

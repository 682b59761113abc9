/* SPDX-License-Identifier: MIT */
#include "tests/support/dat_build_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lays out fields as the kernel's C compiler does. */
struct layout {
	char text[4096];
	size_t len, at;
	int long_size;
};

static void field(struct layout *l, const char *decl, size_t size, int is_signed)
{
	size_t align = size > 8 || strchr(decl, '[') ? 1 : size;

	if (strstr(decl, "__data_loc"))
		align = 4;
	while (l->at % align)
		l->at++;
	l->len += (size_t)snprintf(l->text + l->len, sizeof(l->text) - l->len,
			"\tfield:%s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n",
			decl, l->at, size, is_signed);
	l->at += size;
}

static void start_format(const struct dat_build *b, struct layout *l,
			 const char *name, int id)
{
	l->at = 0;
	l->long_size = b->form.long_size;
	l->len = (size_t)snprintf(l->text, sizeof(l->text),
				  "name: %s\nID: %d\nformat:\n", name, id);
	field(l, "unsigned short common_type", 2, 0);
	field(l, "unsigned char common_flags", 1, 0);
	field(l, "unsigned char common_preempt_count", 1, 0);
	field(l, "int common_pid", 4, 1);
	if (b->form.wide_header) {
		field(l, "unsigned char common_migrate_disable", 1, 0);
		field(l, "unsigned char common_preempt_lazy_count", 1, 0);
		l->at += 2;
	}
	l->text[l->len++] = '\n';
}

static void end_format(const struct dat_build *b, struct layout *l,
		       const char *print, struct dat_bytes *to)
{
	l->len += (size_t)snprintf(l->text + l->len, sizeof(l->text) - l->len,
				   "\nprint fmt: %s\n", print);
	dat_put_number(b, to, l->len, 8);
	dat_put(to, l->text, l->len);
}

static void comm_field(const struct dat_build *b, struct layout *l,
		       const char *name, bool may_be_loc)
{
	bool loc = may_be_loc && b->form.data_loc;
	char decl[64];

	snprintf(decl, sizeof(decl), loc ? "__data_loc char[] %s" : "char %s[16]",
		 name);
	field(l, decl, loc ? 4 : 16, 0);
}

static void switch_format(const struct dat_build *b, struct dat_bytes *to)
{
	struct layout l;

	start_format(b, &l, "sched_switch", DAT_ID_SWITCH);
	comm_field(b, &l, "prev_comm", false);
	field(&l, "pid_t prev_pid", 4, 1);
	field(&l, "int prev_prio", 4, 1);
	field(&l, "long prev_state", (size_t)l.long_size, 1);
	comm_field(b, &l, "next_comm", false);
	field(&l, "pid_t next_pid", 4, 1);
	field(&l, "int next_prio", 4, 1);
	end_format(b, &l, "\"%s%s\", (REC->prev_state & ((((0x00000000 | "
		"0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010"
		" | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags("
		"REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | "
		"0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040)"
		" + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, "
		"\"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "
		"{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, "
		"\"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & "
		"(((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | "
		"0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1)"
		" ? \"+\" : \"\"", to);
}

static void wake_format(const struct dat_build *b, const char *name, int id,
			struct dat_bytes *to)
{
	struct layout l;

	start_format(b, &l, name, id);
	comm_field(b, &l, "comm", false);
	field(&l, "pid_t pid", 4, 1);
	field(&l, "int prio", 4, 1);
	field(&l, b->form.old_wakeup ? "int success" : "int target_cpu", 4, 1);
	end_format(b, &l, "\"pid=%d\", REC->pid", to);
}

static void task_formats(const struct dat_build *b, struct dat_bytes *to)
{
	struct layout l;

	start_format(b, &l, "sched_migrate_task", DAT_ID_MIGRATE);
	comm_field(b, &l, "comm", true);
	field(&l, "pid_t pid", 4, 1);
	field(&l, "int prio", 4, 1);
	field(&l, "int orig_cpu", 4, 1);
	field(&l, "int dest_cpu", 4, 1);
	end_format(b, &l, "\"pid=%d\", REC->pid", to);
	start_format(b, &l, "sched_process_fork", DAT_ID_FORK);
	comm_field(b, &l, "parent_comm", true);
	field(&l, "pid_t parent_pid", 4, 1);
	comm_field(b, &l, "child_comm", true);
	field(&l, "pid_t child_pid", 4, 1);
	end_format(b, &l, "\"pid=%d\", REC->parent_pid", to);
	start_format(b, &l, "sched_process_exec", DAT_ID_EXEC);
	field(&l, "__data_loc char[] filename", 4, 0);
	field(&l, "pid_t pid", 4, 1);
	field(&l, "pid_t old_pid", 4, 1);
	end_format(b, &l, "\"pid=%d\", REC->pid", to);
	start_format(b, &l, "sched_process_exit", DAT_ID_EXIT);
	comm_field(b, &l, "comm", false);
	field(&l, "pid_t pid", 4, 1);
	field(&l, "int prio", 4, 1);
	field(&l, "bool group_dead", 1, 0);
	end_format(b, &l, "\"pid=%d\", REC->pid", to);
}

static void swap_format(const struct dat_build *b, struct dat_bytes *to)
{
	static const char *const names[] = {
		"pid_t src_pid", "pid_t src_tgid", "pid_t src_ngid",
		"int src_cpu", "int src_nid", "pid_t dst_pid",
		"pid_t dst_tgid", "pid_t dst_ngid", "int dst_cpu",
		"int dst_nid",
	};
	struct layout l;

	start_format(b, &l, "sched_swap_numa", DAT_ID_SWAP_NUMA);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		field(&l, names[i], 4, 1);
	end_format(b, &l, "\"%d\", REC->src_pid", to);
}

static void fault_format(const struct dat_build *b, struct dat_bytes *to)
{
	struct layout l;

	start_format(b, &l, "page_fault_user", DAT_ID_FAULT);
	field(&l, "unsigned long address", (size_t)l.long_size, 0);
	field(&l, "unsigned long ip", (size_t)l.long_size, 0);
	field(&l, "unsigned long error_code", (size_t)l.long_size, 0);
	end_format(b, &l, "\"%lx\", REC->address", to);
}

static void pages_format(const struct dat_build *b, struct dat_bytes *to)
{
	struct layout l;

	start_format(b, &l, "mm_migrate_pages", DAT_ID_PAGES);
	field(&l, "unsigned long succeeded", (size_t)l.long_size, 0);
	field(&l, "unsigned long failed", (size_t)l.long_size, 0);
	field(&l, "enum migrate_mode mode", 4, 0);
	field(&l, "int reason", 4, 1);
	end_format(b, &l, "\"%s\", __print_symbolic(REC->reason, "
		"{0, \"compaction\"}, {1, \"memory_failure\"}, "
		"{2, \"memory_hotplug\"}, {3, \"syscall_or_cpuset\"}, "
		"{4, \"mempolicy_mbind\"}, {5, \"numa_misplaced\"}, "
		"{6, \"contig_range\"}, {7, \"longterm_pin\"}, "
		"{8, \"demotion\"})", to);
}

static void other_format(const struct dat_build *b, struct dat_bytes *to)
{
	struct layout l;

	start_format(b, &l, "tick", DAT_ID_OTHER);
	field(&l, "int value", 4, 1);
	/* Not even libtraceevent could read this. */
	end_format(b, &l, "\"%d\", (((REC)->value ? {", to);
}

void dat_put_formats(const struct dat_build *b, struct dat_bytes *to)
{
	dat_put_number(b, to, 4, 4);
	dat_put_text(to, "sched");
	dat_put_number(b, to, b->form.no_switch_format ? 8 : 9, 4);
	if (!b->form.no_switch_format)
		switch_format(b, to);
	wake_format(b, "sched_waking", DAT_ID_WAKING, to);
	wake_format(b, "sched_wakeup", DAT_ID_WAKEUP, to);
	wake_format(b, "sched_wakeup_new", DAT_ID_WAKEUP_NEW, to);
	task_formats(b, to);
	swap_format(b, to);
	dat_put_text(to, "exceptions");
	dat_put_number(b, to, 1, 4);
	fault_format(b, to);
	dat_put_text(to, "migrate");
	dat_put_number(b, to, 1, 4);
	pages_format(b, to);
	dat_put_text(to, "thermal");
	dat_put_number(b, to, 1, 4);
	other_format(b, to);
}

void dat_put_headers(const struct dat_build *b, struct dat_bytes *to)
{
	size_t at = dat_head_len(b);
	char text[512];
	size_t len = (size_t)snprintf(text, sizeof(text),
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:1;\n",
		b->form.long_size, at, b->form.page_size - at);

	dat_put_text(to, "header_page");
	dat_put_number(b, to, len, 8);
	dat_put(to, text, len);
	dat_put_text(to, "header_event");
	dat_put_number(b, to, 5, 8);
	dat_put(to, "none\n", 5);
}

/* SPDX-License-Identifier: MIT */
#include "model/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *system, *name;
} kinds[EVENT_NR_KINDS] = {
	[EVENT_SWITCH] = { "sched", "sched_switch" },
	[EVENT_MIGRATE_TASK] = { "sched", "sched_migrate_task" },
	[EVENT_WAKING] = { "sched", "sched_waking" },
	[EVENT_WAKEUP] = { "sched", "sched_wakeup" },
	[EVENT_WAKEUP_NEW] = { "sched", "sched_wakeup_new" },
	[EVENT_FORK] = { "sched", "sched_process_fork" },
	[EVENT_EXEC] = { "sched", "sched_process_exec" },
	[EVENT_EXIT] = { "sched", "sched_process_exit" },
	[EVENT_MOVE_NUMA] = { "sched", "sched_move_numa" },
	[EVENT_SWAP_NUMA] = { "sched", "sched_swap_numa" },
	[EVENT_STICK_NUMA] = { "sched", "sched_stick_numa" },
	[EVENT_PAGE_FAULT_USER] = { "exceptions", "page_fault_user" },
	[EVENT_MIGRATE_PAGES] = { "migrate", "mm_migrate_pages" },
};

const struct state_table state_table_default = {
	.nr = 8,
	.flag = {
		{ 0x01, 'S' }, { 0x02, 'D' }, { 0x04, 'T' }, { 0x08, 't' },
		{ 0x10, 'X' }, { 0x20, 'Z' }, { 0x40, 'P' }, { 0x80, 'I' },
	},
	.preempt_bit = 0x100,
};

const char *event_kind_name(int kind)
{
	return kind >= 0 && kind < EVENT_NR_KINDS ? kinds[kind].name : NULL;
}

const char *event_kind_system(int kind)
{
	return kind >= 0 && kind < EVENT_NR_KINDS ? kinds[kind].system : NULL;
}

int event_kind_of(const char *name)
{
	for (int i = 0; i < EVENT_NR_KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return i;
	return -1;
}

enum task_state state_decode(const struct state_table *t, int raw)
{
	/* Letters in the order in which they decide where several are set;
	 * "D|N" is how kernels before 4.14 wrote what is now "I". */
	static const struct {
		char letter;
		enum task_state state;
	} rank[] = {
		{ 'X', STATE_DEAD }, { 'Z', STATE_DEAD }, { 'x', STATE_DEAD },
		{ 'I', STATE_IDLE }, { 'N', STATE_IDLE }, { 'D', STATE_DISK },
		{ 'T', STATE_STOPPED }, { 't', STATE_STOPPED },
		{ 'P', STATE_PARKED }, { 'S', STATE_SLEEPING },
	};
	uint32_t bits = (uint32_t)raw;

	/* A preempted task stays on the run queue whatever it had prepared. */
	if (!bits || bits & t->preempt_bit)
		return STATE_RUNNABLE;
	for (size_t i = 0; i < sizeof(rank) / sizeof(rank[0]); i++)
		for (int j = 0; j < t->nr; j++)
			if (bits & t->flag[j].bit &&
			    t->flag[j].letter == rank[i].letter)
				return rank[i].state;
	return STATE_OTHER;
}

const char *state_text(const struct state_table *t, int raw, char *buf, int size)
{
	uint32_t bits = (uint32_t)raw;
	bool preempted = bits & t->preempt_bit;
	int len = 0;

	if (size <= 0)
		return buf;
	buf[0] = '\0';
	bits &= ~t->preempt_bit;
	for (int i = 0; i < t->nr && len < size; i++) {
		if (!(bits & t->flag[i].bit))
			continue;
		bits &= ~t->flag[i].bit;
		len += snprintf(buf + len, (size_t)(size - len), "%s%c",
				len ? "|" : "", t->flag[i].letter);
	}
	if (bits && len < size)
		len += snprintf(buf + len, (size_t)(size - len), "%s0x%x",
				len ? "|" : "", bits);
	if (!len)
		len += snprintf(buf, (size_t)size, "R");
	if (preempted && len < size)
		snprintf(buf + len, (size_t)(size - len), "+");
	return buf;
}

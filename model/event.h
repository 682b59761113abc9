/* SPDX-License-Identifier: MIT */
/*
 * event: one recorded kernel event, decoded, fixed size, integers only.
 *
 * Names (comm, filename) are not part of an event: they go to the task and
 * name tables.  Field names are those of the kernel's own event formats
 * (/sys/kernel/tracing/events/.../format).  CPU and node numbers are the
 * kernel's, -1 for none.  A stream of events is ordered by (ts, cpu, position
 * in the CPU's buffer).
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stdint.h>

/* The order is part of the file format (schema/recorded.sql): append only. */
enum event_kind {
	EVENT_SWITCH,
	EVENT_MIGRATE_TASK,
	EVENT_WAKING,
	EVENT_WAKEUP,
	EVENT_WAKEUP_NEW,
	EVENT_FORK,
	EVENT_EXEC,
	EVENT_EXIT,
	EVENT_MOVE_NUMA,
	EVENT_SWAP_NUMA,
	EVENT_STICK_NUMA,
	EVENT_PAGE_FAULT_USER,
	EVENT_MIGRATE_PAGES,
	EVENT_NR_KINDS
};

/* The context in which an event was recorded (common_flags of the header). */
enum event_flag {
	EVENT_F_HARDIRQ = 1,
	EVENT_F_SOFTIRQ = 2,
	EVENT_F_NMI = 4,
	EVENT_F_NEED_RESCHED = 8,
};

/*
 * What a task is after a switch away from it, independent of kernel version.
 * The kernel's prev_state bits differ between versions; the letters come from
 * the print format of the file itself (struct state_table).
 */
enum task_state {
	STATE_RUNNABLE,		/* R, and R+ where it was preempted */
	STATE_SLEEPING,		/* S */
	STATE_DISK,		/* D, uninterruptible */
	STATE_STOPPED,		/* T, t */
	STATE_IDLE,		/* I, uninterruptible without load */
	STATE_PARKED,		/* P */
	STATE_DEAD,		/* X, Z, x: it never runs again */
	STATE_OTHER,		/* K, W and what later kernels bring: blocked */
};

/* Letters of the prev_state bits of one recording. */
struct state_table {
	int nr;
	struct {
		uint32_t bit;
		char letter;
	} flag[24];
	uint32_t preempt_bit;	/* shown as "+" by the kernel; 0 if none */
};

/* Why pages moved, independent of kernel version (migrate_reason). */
enum migrate_reason {
	REASON_OTHER,
	REASON_COMPACTION,
	REASON_SYSCALL,		/* move_pages, migrate_pages, cpuset */
	REASON_MEMPOLICY,	/* mbind */
	REASON_NUMA_MISPLACED,	/* NUMA balancing */
	REASON_DEMOTION,
};

struct event {
	int64_t ts;		/* ns of the trace's clock */
	int cpu;		/* where it was recorded */
	int tid;		/* common_pid: the task that was running */
	uint8_t kind;		/* enum event_kind */
	uint8_t flags;		/* enum event_flag */
	union {
		struct {
			int prev_tid, next_tid;
			int prev_prio, next_prio;	/* 0..139 */
			int prev_state;		/* raw, as the kernel wrote it */
			int state;		/* enum task_state */
		} sw;
		struct {
			int tid, prio, orig_cpu, dest_cpu;
		} migrate;
		struct {	/* waking, wakeup, wakeup_new */
			int tid, prio;
			int target_cpu;	/* of waking: where it ran last */
			int success;	/* kernels < 4.x; else 1 */
		} wake;
		struct {
			int parent_tid, child_tid;
		} fork;
		struct {
			int tid, old_tid;
		} exec;
		struct {
			int tid, prio;
		} exit;
		struct {	/* move_numa, swap_numa, stick_numa */
			int src_tid, src_tgid, src_ngid, src_cpu, src_nid;
			int dst_tid, dst_tgid, dst_ngid, dst_cpu, dst_nid;
		} numa;		/* dst_tid.. are -1 for move_numa */
		struct {
			uint64_t address, ip;
			int error_code;
		} fault;
		struct {
			int64_t succeeded, failed;
			int64_t thp_succeeded, thp_failed;
			int mode;
			int reason;	/* enum migrate_reason */
		} pages;
	};
};

/* "sched_switch" ...; NULL for a number that is none. */
const char *event_kind_name(int kind);

/* "sched", "exceptions", "migrate": the kernel's event system. */
const char *event_kind_system(int kind);

/* The kind of an event's name, -1 for one that homenode does not keep. */
int event_kind_of(const char *name);

/* Decodes a raw prev_state by a recording's letters. */
enum task_state state_decode(const struct state_table *t, int raw);

/* The letters a recording gives a raw prev_state, as the kernel prints them
 * ("S", "R+", "D|K"), into buf; returns buf. */
const char *state_text(const struct state_table *t, int raw, char *buf, int size);

/* The table of mainline since 4.14, for recordings that do not tell. */
extern const struct state_table state_table_default;

#endif

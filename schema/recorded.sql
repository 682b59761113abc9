-- SPDX-License-Identifier: MIT
--
-- recorded.sql: what was measured.  Written once, never rewritten; derived.sql
-- holds what is made from it.  Format 3 (PRAGMA user_version), application_id
-- 0x686e6f64 ("hnod").
--
-- Times are integer nanoseconds of the trace's clock (capture.clock).  CPU and
-- node numbers are the kernel's, -1 is none.  A task is (tid, start time), its
-- number is task.id.  64-bit addresses are stored as signed integers: those at
-- or above 2^63 come out negative; printf('%x', address) shows them as meant.
--
-- For reading, the views at the end have the kernel's names for events and
-- fields:
--	SELECT ts, cpu, prev_pid, prev_state_text, next_pid FROM sched_switch
--	WHERE at BETWEEN 0 AND 1000000;		-- the first millisecond, quick

-- The recording itself: one row.
CREATE TABLE capture(
	id INTEGER PRIMARY KEY CHECK (id = 1),
	origin_ns INTEGER NOT NULL,	-- time that event.at counts from
	source TEXT NOT NULL DEFAULT '',	-- live, trace.dat v7, ...
	kernel TEXT NOT NULL DEFAULT '',	-- release
	arch TEXT NOT NULL DEFAULT '',
	clock TEXT NOT NULL DEFAULT '',	-- mono, boot, local, ...
	tool TEXT NOT NULL DEFAULT '',	-- homenode 0.1.0
	command TEXT NOT NULL DEFAULT '',	-- line that was recorded
	page_size INTEGER NOT NULL DEFAULT 0,	-- bytes
	start_ns INTEGER NOT NULL DEFAULT 0,	-- first event
	end_ns INTEGER NOT NULL DEFAULT 0,	-- last event
	window_start_ns INTEGER NOT NULL DEFAULT 0,	-- complete on every CPU
	window_end_ns INTEGER NOT NULL DEFAULT 0,
	nr_cpus INTEGER NOT NULL DEFAULT 0,
	topology_known INTEGER NOT NULL DEFAULT 0,	-- 0: one node assumed
	has_faults INTEGER NOT NULL DEFAULT 0,	-- page_fault_user was recorded
	preempt_bit INTEGER NOT NULL DEFAULT 0	-- of prev_state, shown as +
);

-- Letters of the bits of prev_state, as this recording's kernel prints them.
CREATE TABLE state_letter(
	n INTEGER PRIMARY KEY,		-- order in the kernel's format text
	bit INTEGER NOT NULL,
	letter TEXT NOT NULL
);

-- Settings in force: kernel.numa_balancing, sched features, THP, ...
CREATE TABLE knob(
	name TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;

-- The machine.
CREATE TABLE node(
	id INTEGER PRIMARY KEY,		-- may have holes
	online INTEGER NOT NULL,
	mem_bytes INTEGER NOT NULL	-- 0: none, -1: unknown
);

CREATE TABLE distance(
	from_node INTEGER NOT NULL,
	to_node INTEGER NOT NULL,
	distance INTEGER NOT NULL,	-- SLIT: 10 is local
	PRIMARY KEY (from_node, to_node)
) WITHOUT ROWID;

CREATE TABLE cpu(
	id INTEGER PRIMARY KEY,
	online INTEGER NOT NULL,
	node INTEGER NOT NULL,
	package INTEGER NOT NULL,	-- package, die, cluster, llc and core:
	die INTEGER NOT NULL,		-- equal numbers share it, -1 unknown
	cluster INTEGER NOT NULL,
	llc INTEGER NOT NULL,
	core INTEGER NOT NULL,
	smt INTEGER NOT NULL		-- 0: first thread of its core
);

-- What homenode calibrate measured of this machine's memory: the time of a load
-- that waits for the one before it, by a CPU of one node on the memory of
-- another, alone or with co-runners on the same memory.
CREATE TABLE latency(
	cpu_node INTEGER NOT NULL,
	mem_node INTEGER NOT NULL,
	co_runners INTEGER NOT NULL,	-- 0: idle latency
	median_ps INTEGER NOT NULL,	-- picoseconds
	low_ps INTEGER NOT NULL,	-- quartiles
	high_ps INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	buffer_bytes INTEGER NOT NULL,	-- that the loads went over
	huge_bytes INTEGER NOT NULL,	-- of them on huge pages
	PRIMARY KEY (cpu_node, mem_node, co_runners)
) WITHOUT ROWID;

-- Who ran.  Idle tasks (tid 0) are none.
CREATE TABLE task(
	id INTEGER PRIMARY KEY,		-- 0, 1, 2, ...
	tid INTEGER NOT NULL,
	pid INTEGER NOT NULL,		-- thread group; -1 unknown
	parent INTEGER NOT NULL,	-- task.id of who forked it; -1
	start_ns INTEGER NOT NULL,	-- fork, or where the recording begins
	end_ns INTEGER NOT NULL,	-- last switch away; -1 alive at the end
	flags INTEGER NOT NULL,		-- 1 kernel thread, 2 alive before the
					-- recording, 4 homenode itself,
					-- 8 the command that was recorded
	nice INTEGER NOT NULL,		-- 127 unknown
	affinity TEXT NOT NULL,		-- 0-3,8; '' unknown or everywhere
	comm TEXT NOT NULL,		-- last known name, any bytes
	cgroup TEXT,
	nspid TEXT			-- pids by namespace, outer to inner
);
CREATE INDEX task_tid ON task(tid, start_ns);

-- Names hold from a time until the next row of the task.
CREATE TABLE name(
	task INTEGER NOT NULL,
	from_ns INTEGER NOT NULL,
	comm TEXT NOT NULL,
	PRIMARY KEY (task, from_ns)
) WITHOUT ROWID;

-- Kinds of events and how many there are.
CREATE TABLE event_kind(
	kind INTEGER PRIMARY KEY,
	system TEXT NOT NULL,
	name TEXT NOT NULL,
	events INTEGER NOT NULL
);

-- Events, small: nearly all are one row of integers that SQLite stores in 20
-- to 24 bytes.
--
-- at	Place in the stream: ns since capture.origin_ns, or one more than the
--	event before it, whichever is more.  So it is unique, orders the stream,
--	and a range of time is a range of the primary key.
-- what	kind + 32 * cpu + 2^21 * flags (1 hardirq, 2 softirq, 4 NMI, 8 need
--	resched) + 2^25 if all fields are in event_more
--	+ 2^26 * (at - (time - origin_ns)), 0 unless time stood or went back.
-- tid	The task that was running (common_pid).
-- a, b	By kind, where P(prio) is (prio - 120) & 255:
--	sched_switch		a next_pid; b state + 16 * P(prev_prio)
--				+ 2^12 * P(next_prio) + 2^20 * ((prev_state
--				- usual(state)) & 0x7fffffff); prev_pid is tid.
--				state: 0 R, 1 S, 2 D, 3 T, 4 I, 5 P, 6 Z,
--				7 other, 8 R with usual 0x100 (preempted),
--				9 X with 0x10; usual() of 0 to 7: 0, 1, 2, 4,
--				0x80, 0x40, 0x20, 0
--	sched_migrate_task	a pid; b P(prio) + 256 * orig_cpu
--				+ 2^24 * dest_cpu
--	sched_waking, _wakeup, _wakeup_new	a pid; b target_cpu
--				+ 2^16 * P(prio) + 2^24 if success is 0
--	sched_process_fork	a parent_pid; b child_pid
--	sched_process_exec	a pid; b old_pid
--	sched_process_exit	a pid; b prio - 120
--	page_fault_user		a address; b error_code + 256 * ip, or, for an
--				ip that comes often, -1 - (error_code
--				+ 256 * fault_site.id)
--	mm_migrate_pages	a succeeded; b reason + 16 * mode + 256 * failed
--				(reason: see event_more)
CREATE TABLE event(
	at INTEGER PRIMARY KEY,
	what INTEGER NOT NULL,
	tid INTEGER NOT NULL,
	a INTEGER NOT NULL,
	b INTEGER NOT NULL
);

-- Instructions that page faults come from again and again.
CREATE TABLE fault_site(
	id INTEGER PRIMARY KEY,		-- 0, 1, 2, ...
	ip INTEGER NOT NULL		-- address
);

-- Events with more in them than fits there.  v0 .. in the order of the fields:
--	sched_switch		prev_pid, next_pid, prev_prio, next_prio,
--				prev_state, state
--	sched_migrate_task	pid, prio, orig_cpu, dest_cpu
--	sched_waking ...	pid, prio, target_cpu, success
--	sched_process_fork	parent_pid, child_pid
--	sched_process_exec	pid, old_pid
--	sched_process_exit	pid, prio
--	sched_move_numa ...	src_pid, src_tgid, src_ngid, src_cpu, src_nid,
--				dst_pid, dst_tgid, dst_ngid, dst_cpu, dst_nid
--	page_fault_user		address, ip, error_code
--	mm_migrate_pages	succeeded, failed, thp_succeeded, thp_failed,
--				mode, reason (0 other, 1 compaction, 2 syscall,
--				3 mempolicy, 4 NUMA balancing, 5 demotion)
CREATE TABLE event_more(
	at INTEGER PRIMARY KEY,
	ts INTEGER NOT NULL,
	cpu INTEGER NOT NULL,
	flags INTEGER NOT NULL,
	v0 INTEGER NOT NULL,
	v1 INTEGER NOT NULL,
	v2 INTEGER NOT NULL,
	v3 INTEGER NOT NULL,
	v4 INTEGER NOT NULL,
	v5 INTEGER NOT NULL,
	v6 INTEGER NOT NULL,
	v7 INTEGER NOT NULL,
	v8 INTEGER NOT NULL,
	v9 INTEGER NOT NULL
);

-- Events that were seen and not kept.
CREATE TABLE skipped(
	name TEXT PRIMARY KEY,
	events INTEGER NOT NULL
) WITHOUT ROWID;

-- Where events of a CPU are missing.
CREATE TABLE loss(
	from_ns INTEGER NOT NULL,
	cpu INTEGER NOT NULL,
	to_ns INTEGER NOT NULL,
	events INTEGER NOT NULL,	-- -1: unknown
	PRIMARY KEY (from_ns, cpu, to_ns)
) WITHOUT ROWID;

-- What an importer had to mend or to remark.
CREATE TABLE repair(
	kind TEXT PRIMARY KEY,
	count INTEGER NOT NULL
) WITHOUT ROWID;

-- Memory areas of processes.
CREATE TABLE area(
	id INTEGER PRIMARY KEY,		-- 0, 1, 2, ...
	proc INTEGER NOT NULL,		-- task.id of the process's leader
	kind INTEGER NOT NULL,		-- 0 anon, 1 heap, 2 stack, 3 file,
					-- 4 shared, 5 inferred from faults
	start INTEGER NOT NULL,		-- address
	bytes INTEGER NOT NULL,		-- 0: unknown
	name TEXT NOT NULL
);

-- Pages of an area on a node when it was sampled: a row per node that holds
-- some, or one with node -1 and pages 0.
CREATE TABLE placement(
	ts INTEGER NOT NULL,
	area INTEGER NOT NULL,
	source TEXT NOT NULL,		-- m numa_maps; move_pages of all pages: e, of some: q
	node INTEGER NOT NULL,
	pages INTEGER NOT NULL,
	PRIMARY KEY (ts, area, source, node)
) WITHOUT ROWID;

-- ---------------------------------------------------------------------------
-- Views.  Columns that are not asked for cost nothing.

-- Names with the time in which they hold (to_ns NULL: to the end).
CREATE VIEW task_name AS
SELECT t.tid AS tid, t.pid AS pid, n.task AS task, n.comm AS comm,
	t.start_ns AS start_ns, n.from_ns AS from_ns,
	(SELECT min(l.from_ns) FROM name l
		WHERE l.task = n.task AND l.from_ns > n.from_ns) AS to_ns
FROM task t JOIN name n ON n.task = t.id;

-- All events, unpacked but not named.
CREATE VIEW event_all AS
SELECT e.at AS at,
	coalesce(m.ts, (SELECT origin_ns FROM capture) + e.at - (e.what >> 26))
		AS ts,
	coalesce(m.cpu, e.what >> 5 & 65535) AS cpu,
	e.what & 31 AS kind,
	coalesce(m.flags, e.what >> 21 & 15) AS flags,
	e.tid AS common_pid,
	e.a AS a, e.b AS b,
	m.v0 AS v0, m.v1 AS v1, m.v2 AS v2, m.v3 AS v3, m.v4 AS v4,
	m.v5 AS v5, m.v6 AS v6, m.v7 AS v7, m.v8 AS v8, m.v9 AS v9
FROM event e LEFT JOIN event_more m ON m.at = e.at AND e.what & 33554432;

-- All events with kernel's name and the name of the running task.
CREATE VIEW events AS
SELECT at, ts, cpu, k.system AS system, k.name AS name, common_pid,
	iif(common_pid = 0, 'swapper/' || cpu,
		(SELECT comm FROM task_name
		WHERE tid = common_pid AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1)) AS comm,
	flags
FROM event_all LEFT JOIN event_kind k USING (kind);

CREATE VIEW switch_unpacked AS
SELECT at, ts, cpu, flags, common_pid,
	coalesce(v0, common_pid) AS prev_pid,
	coalesce(v2, (b >> 4) + 120 & 255) AS prev_prio,
	coalesce(v4, (b >> 20) + CASE b & 15 WHEN 1 THEN 1 WHEN 2 THEN 2
		WHEN 3 THEN 4 WHEN 4 THEN 128 WHEN 5 THEN 64 WHEN 6 THEN 32
		WHEN 8 THEN 256 WHEN 9 THEN 16 ELSE 0 END & 0x7fffffff)
		AS prev_state,
	coalesce(v1, a) AS next_pid,
	coalesce(v3, (b >> 12) + 120 & 255) AS next_prio
FROM event_all WHERE kind = 0;

CREATE VIEW sched_switch AS
SELECT at, ts, cpu, common_pid,
	iif(prev_pid = 0, 'swapper/' || cpu, (SELECT comm FROM task_name
		WHERE tid = prev_pid AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1)) AS prev_comm,
	prev_pid, prev_prio, prev_state,
	coalesce((SELECT group_concat(letter, '|') FROM state_letter
		WHERE bit & prev_state), 'R')
	|| iif((SELECT preempt_bit FROM capture) & prev_state, '+', '')
		AS prev_state_text,
	iif(next_pid = 0, 'swapper/' || cpu, (SELECT comm FROM task_name
		WHERE tid = next_pid AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1)) AS next_comm,
	next_pid, next_prio, flags
FROM switch_unpacked;

CREATE VIEW sched_migrate_task AS
SELECT at, ts, cpu, common_pid,
	(SELECT comm FROM task_name
		WHERE tid = coalesce(v0, a) AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1) AS comm,
	coalesce(v0, a) AS pid,
	coalesce(v1, b + 120 & 255) AS prio,
	coalesce(v2, b >> 8 & 65535) AS orig_cpu,
	coalesce(v3, b >> 24) AS dest_cpu, flags
FROM event_all WHERE kind = 1;

CREATE VIEW wake_unpacked AS
SELECT at, ts, cpu, common_pid, kind,
	(SELECT comm FROM task_name
		WHERE tid = coalesce(v0, a) AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1) AS comm,
	coalesce(v0, a) AS pid,
	coalesce(v1, (b >> 16) + 120 & 255) AS prio,
	coalesce(v3, 1 - (b >> 24)) AS success,
	coalesce(v2, b & 65535) AS target_cpu, flags
FROM event_all WHERE kind BETWEEN 2 AND 4;

CREATE VIEW sched_waking AS
SELECT at, ts, cpu, common_pid, comm, pid, prio, success, target_cpu, flags
FROM wake_unpacked WHERE kind = 2;

CREATE VIEW sched_wakeup AS
SELECT at, ts, cpu, common_pid, comm, pid, prio, success, target_cpu, flags
FROM wake_unpacked WHERE kind = 3;

CREATE VIEW sched_wakeup_new AS
SELECT at, ts, cpu, common_pid, comm, pid, prio, success, target_cpu, flags
FROM wake_unpacked WHERE kind = 4;

CREATE VIEW sched_process_fork AS
SELECT at, ts, cpu, common_pid,
	(SELECT comm FROM task_name
		WHERE tid = coalesce(v0, a) AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1) AS parent_comm,
	coalesce(v0, a) AS parent_pid,
	(SELECT comm FROM task_name
		WHERE tid = coalesce(v1, b) AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1) AS child_comm,
	coalesce(v1, b) AS child_pid, flags
FROM event_all WHERE kind = 5;

CREATE VIEW sched_process_exec AS
SELECT at, ts, cpu, common_pid,
	(SELECT comm FROM task_name
		WHERE tid = coalesce(v0, a) AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1) AS comm,
	coalesce(v0, a) AS pid, coalesce(v1, b) AS old_pid, flags
FROM event_all WHERE kind = 6;

CREATE VIEW sched_process_exit AS
SELECT at, ts, cpu, common_pid,
	(SELECT comm FROM task_name
		WHERE tid = coalesce(v0, a) AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1) AS comm,
	coalesce(v0, a) AS pid, coalesce(v1, b + 120) AS prio, flags
FROM event_all WHERE kind = 7;

CREATE VIEW sched_move_numa AS
SELECT at, ts, cpu, common_pid,
	v0 AS pid, v1 AS tgid, v2 AS ngid, v3 AS src_cpu, v4 AS src_nid,
	v8 AS dst_cpu, v9 AS dst_nid, flags
FROM event_all WHERE kind = 8;

CREATE VIEW sched_swap_numa AS
SELECT at, ts, cpu, common_pid,
	v0 AS src_pid, v1 AS src_tgid, v2 AS src_ngid, v3 AS src_cpu,
	v4 AS src_nid, v5 AS dst_pid, v6 AS dst_tgid, v7 AS dst_ngid,
	v8 AS dst_cpu, v9 AS dst_nid, flags
FROM event_all WHERE kind = 9;

CREATE VIEW sched_stick_numa AS
SELECT at, ts, cpu, common_pid,
	v0 AS src_pid, v1 AS src_tgid, v2 AS src_ngid, v3 AS src_cpu,
	v4 AS src_nid, v5 AS dst_pid, v6 AS dst_tgid, v7 AS dst_ngid,
	v8 AS dst_cpu, v9 AS dst_nid, flags
FROM event_all WHERE kind = 10;

CREATE VIEW page_fault_user AS
SELECT at, ts, cpu, common_pid,
	(SELECT comm FROM task_name
		WHERE tid = common_pid AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1) AS comm,
	coalesce(v0, a) AS address,
	coalesce(v1, iif(b < 0, (SELECT ip FROM fault_site
		WHERE id = (-1 - b) >> 8), b >> 8)) AS ip,
	coalesce(v2, iif(b < 0, -1 - b, b) & 255) AS error_code, flags
FROM event_all WHERE kind = 11;

CREATE VIEW mm_migrate_pages AS
SELECT at, ts, cpu, common_pid,
	(SELECT comm FROM task_name
		WHERE tid = common_pid AND start_ns <= ts AND from_ns <= ts
		ORDER BY start_ns DESC, from_ns DESC LIMIT 1) AS comm,
	coalesce(v0, a) AS succeeded, coalesce(v1, b >> 8) AS failed,
	coalesce(v2, 0) AS thp_succeeded, coalesce(v3, 0) AS thp_failed,
	coalesce(v4, b >> 4 & 15) AS mode, coalesce(v5, b & 15) AS reason,
	flags
FROM event_all WHERE kind = 12;

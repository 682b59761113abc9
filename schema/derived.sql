-- SPDX-License-Identifier: MIT
--
-- derived.sql: what homenode made from recorded.sql.  Running this text drops
-- it all and leaves empty tables; homenode makes run 0 and the demand again
-- when they are next needed, replays have to be replayed.
--
-- Rows of a run have the key run * 2^32 + n, n counting from 0: one run is a
-- range of the key.  Times are ns since capture.origin_ns; the views at the end
-- give them in the trace's clock.

DROP VIEW IF EXISTS spans;
DROP VIEW IF EXISTS moves;
DROP VIEW IF EXISTS memory;
DROP TABLE IF EXISTS derived;
DROP TABLE IF EXISTS run;
DROP TABLE IF EXISTS run_count;
DROP TABLE IF EXISTS span;
DROP TABLE IF EXISTS span_block;
DROP TABLE IF EXISTS mem;
DROP TABLE IF EXISTS access;
DROP TABLE IF EXISTS move;
DROP TABLE IF EXISTS demand;
DROP TABLE IF EXISTS demand_task;
DROP TABLE IF EXISTS derived_area;
DROP TABLE IF EXISTS drawing;
DROP TABLE IF EXISTS drawing_track;
DROP TABLE IF EXISTS drawing_node;

-- What was made from what, by which version of homenode.
CREATE TABLE derived(
	key TEXT PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID;

-- One schedule each: what happened (0) or a replay.
CREATE TABLE run(
	id INTEGER PRIMARY KEY,
	policy TEXT NOT NULL,
	knobs TEXT NOT NULL,		-- JSON: every knob's value
	seed INTEGER NOT NULL,
	cost TEXT NOT NULL,		-- JSON: the cost model's numbers
	discipline TEXT NOT NULL,	-- queue_o1, ...; '' for run 0
	fidelity TEXT,			-- JSON
	engine INTEGER NOT NULL,	-- version of the engine; 0 for run 0
	topology TEXT,			-- model/topo_text.h; NULL: the
					-- machine that was recorded
	start_ns INTEGER NOT NULL,	-- of the trace's clock
	end_ns INTEGER NOT NULL
);

-- Numbers about a whole run: migrations, pages_moved, ...
CREATE TABLE run_count(
	run INTEGER NOT NULL,
	name TEXT NOT NULL,
	value INTEGER NOT NULL,
	PRIMARY KEY (run, name)
) WITHOUT ROWID;

-- Who ran where from when to when, in order of end.
--
-- what	state after it (0 R, 1 S, 2 D, 3 T, 4 I, 5 P, 6 dead, 7 other)
--	+ 8 * flags (1 ran before the window, 2 ran on after it, 4 touches lost
--	events, 8 repaired) + 256 * cpu
-- wait	ns from when it last became runnable to its start; NULL unknown
-- waker	task.id; NULL: none, an interrupt, or it was preempted before
CREATE TABLE span(
	id INTEGER PRIMARY KEY,
	task INTEGER NOT NULL,
	what INTEGER NOT NULL,
	end INTEGER NOT NULL,
	len INTEGER NOT NULL,
	wait INTEGER,
	waker INTEGER
);

-- For finding spans by time: over so many spans from id on, their first start
-- and last end.
CREATE TABLE span_block(
	id INTEGER PRIMARY KEY,
	spans INTEGER NOT NULL,
	first_start INTEGER NOT NULL,
	last_end INTEGER NOT NULL
);

-- Memory areas that only page faults tell of, numbered on from those of the
-- recording; the columns are those of table area.
CREATE TABLE derived_area(
	id INTEGER PRIMARY KEY,
	proc INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	start INTEGER NOT NULL,
	bytes INTEGER NOT NULL,
	name TEXT NOT NULL
);

-- From `at` on the area has so many pages on the node.
CREATE TABLE mem(
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	area INTEGER NOT NULL,
	node INTEGER NOT NULL,
	pages INTEGER NOT NULL
);

-- How often a task was seen to touch an area: the weights of its locality.
CREATE TABLE access(
	id INTEGER PRIMARY KEY,
	task INTEGER NOT NULL,
	area INTEGER NOT NULL,
	faults INTEGER NOT NULL
);

-- Decisions to move a task: why + 256 if it was refused.  0 placed at wake-up,
-- 1 at fork, 2 at exec, 3 pulled by a balancer, 4 set back to its home node,
-- 5 NUMA balancing, 6 affinity, 7 the recording says so.
CREATE TABLE move(
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	task INTEGER NOT NULL,
	from_cpu INTEGER NOT NULL,
	to_cpu INTEGER NOT NULL,
	why INTEGER NOT NULL
);

-- What each task wanted, free of where it ran.  Key task * 2^32 + n; ops are
-- coded as model/demand.h says.
CREATE TABLE demand(
	id INTEGER PRIMARY KEY,
	ops BLOB NOT NULL
);

CREATE TABLE demand_task(
	task INTEGER PRIMARY KEY,
	appears_ns INTEGER NOT NULL,
	forked INTEGER NOT NULL,	-- begins with its parent's FORK
	first_cpu INTEGER NOT NULL,	-- where it was first seen; -1
	stopper INTEGER NOT NULL	-- migration/N: only `recorded` runs it
);

-- What heatmaps are drawn from: the spans of a run by task and by CPU, with sums
-- over 256 of them, over 64 of those, and so on.  It says nothing that table span
-- does not: for reading, use that.  A run without a row in table drawing, or with
-- one of another version or number of spans, has none, and homenode makes it
-- when it next draws the run; all three tables may be emptied at any time.
CREATE TABLE drawing(
	run INTEGER PRIMARY KEY,
	version INTEGER NOT NULL,	-- TRACKS_VERSION, model/tracks.h
	spans INTEGER NOT NULL
);

-- Key run * 2^32 + task.id, or run * 2^32 + 2^31 + cpu; bytes are coded as
-- model/tracks_code.c says, in both tables; times in them are of the trace's
-- clock.
CREATE TABLE drawing_track(
	id INTEGER PRIMARY KEY,
	head BLOB NOT NULL
);

CREATE TABLE drawing_node(
	id INTEGER PRIMARY KEY,
	data BLOB NOT NULL
);

CREATE VIEW spans AS
SELECT s.id >> 32 AS run, s.task AS task, t.tid AS tid, t.pid AS pid,
	t.comm AS comm, s.what >> 8 AS cpu, c.node AS node,
	(SELECT origin_ns FROM capture) + s.end - s.len AS start_ns,
	(SELECT origin_ns FROM capture) + s.end AS end_ns,
	s.len AS len_ns, s.wait AS wait_ns, w.tid AS waker_tid,
	w.comm AS waker_comm, substr('RSDTIPX?', (s.what & 7) + 1, 1) AS state,
	s.what >> 3 & 31 AS flags
FROM span s LEFT JOIN task t ON t.id = s.task
	LEFT JOIN cpu c ON c.id = s.what >> 8
	LEFT JOIN task w ON w.id = s.waker;

CREATE VIEW moves AS
SELECT m.id >> 32 AS run, (SELECT origin_ns FROM capture) + m.at AS ts,
	m.task AS task, t.tid AS tid, t.comm AS comm,
	m.from_cpu AS from_cpu, f.node AS from_node,
	m.to_cpu AS to_cpu, d.node AS to_node,
	CASE m.why & 255 WHEN 0 THEN 'wake' WHEN 1 THEN 'fork'
		WHEN 2 THEN 'exec' WHEN 3 THEN 'balance' WHEN 4 THEN 'push'
		WHEN 5 THEN 'numa' WHEN 6 THEN 'affinity'
		WHEN 7 THEN 'recorded' END AS why,
	m.why >> 8 AS refused
FROM move m LEFT JOIN task t ON t.id = m.task
	LEFT JOIN cpu f ON f.id = m.from_cpu
	LEFT JOIN cpu d ON d.id = m.to_cpu;

CREATE VIEW memory AS
SELECT m.id >> 32 AS run, (SELECT origin_ns FROM capture) + m.at AS ts,
	m.area AS area, t.pid AS pid, t.comm AS comm,
	coalesce(a.name, d.name) AS name,
	m.node AS node, m.pages AS pages
FROM mem m LEFT JOIN area a ON a.id = m.area
	LEFT JOIN derived_area d ON d.id = m.area
	LEFT JOIN task t ON t.id = coalesce(a.proc, d.proc);

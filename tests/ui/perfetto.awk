# SPDX-License-Identifier: MIT
# step=events: from `protoc --decode_raw` of a Trace, one line an event:
#	TS switch CPU PREV STATE NEXT | TS waking CPU TID | TS free CPU TID
#	TS instant TRACK NAME | TS counter TRACK VALUE, and without a time
#	(0) thread TRACK TID, process TRACK PID, counters TRACK PARENT NAME
# step=tables: from these in order of time, what Perfetto's FtraceSchedEvent-
# Tracker, ThreadStateTracker and ProcessTracker make of them.
# Numbers of fields are those of protos/perfetto/trace/ in Perfetto's sources.

function text(s) {
	s = substr(s, 2, length(s) - 2)
	gsub(/ /, "_", s)
	return s
}

function event_done() {
	if (f["switch"])
		print f["ts"], "switch", cpu, f["switch.2"], f["switch.4"] + 0, f["switch.6"]
	else if (f["waking"])
		print f["ts"], "waking", cpu, f["waking.2"]
	else if (f["free"])
		print f["ts"], "free", cpu, f["free.2"]
	else
		print 0, "error", "an event of no known kind"
	delete f
}

function packet_done() {
	if ("9" in t && t["9"] == 3)
		print packet_ts, "instant", t["11"], text(t["23"])
	else if ("9" in t)
		print packet_ts, "counter", t["11"], t["30"] + 0
	if ("uuid" in t && "thread.2" in t)
		print 0, "thread", t["uuid"], t["thread.2"]
	else if ("uuid" in t && "process.1" in t)
		print 0, "process", t["uuid"], t["process.1"]
	else if ("uuid" in t)
		print 0, "counters", t["uuid"], t["parent"], text(t["name"])
	delete t
}

step == "events" && /\{$/ {
	path = path "/" $1
	if (path ~ /^\/1\/1\/2\/4$/)
		f["switch"] = 1
	if (path ~ /^\/1\/1\/2\/20$/)
		f["waking"] = 1
	if (path ~ /^\/1\/1\/2\/240$/)
		f["free"] = 1
	next
}

step == "events" && /\}$/ {
	if (path == "/1/1/2")
		event_done()
	if (path == "/1")
		packet_done()
	sub(/\/[^\/]*$/, "", path)
	next
}

step == "events" {
	key = $1
	sub(/:$/, "", key)
	value = $0
	sub(/^ *[0-9]+: /, "", value)
	if (path == "/1/1" && key == 1)
		cpu = value
	else if (path == "/1/1/2" && key == 1)
		f["ts"] = value
	else if (path == "/1/1/2/4")
		f["switch." key] = value
	else if (path == "/1/1/2/20")
		f["waking." key] = value
	else if (path == "/1/1/2/240")
		f["free." key] = value
	else if (path == "/1" && key == 8)
		packet_ts = value
	else if (path == "/1/11")
		t[key] = value
	else if (path == "/1/60")
		t[key == 1 ? "uuid" : key == 2 ? "name" : "parent"] = value
	else if (path == "/1/60/4")
		t["thread." key] = value
	else if (path == "/1/60/3")
		t["process." key] = value
}

# -- tables ------------------------------------------------------------------

BEGIN {
	letter[0] = "R"; letter[1] = "S"; letter[2] = "D"; letter[4] = "T"
	letter[16] = "X"; letter[512] = "P"; letter[1026] = "I"
}

# A thread is a number until it is free, then another one of that number.
function thread(tid) {
	return tid "." life[tid] + 0
}

function close_state(ts, u, tid) {
	if (u in state)
		sum[tid " " state[u]] += ts - since[u]
}

function open_state(ts, u, s) {
	if (s == "Running" && !(u in ran)) {
		split(u, part, ".")
		threads[part[1]]++
		ran[u] = 1
	}
	state[u] = s
	since[u] = ts
}

step == "tables" && $2 == "switch" {
	ts = $1; cpu = $3; prev = $4; next_tid = $6
	if (cpu in on && on[cpu] != prev)
		print "error: CPU " cpu " switches from " prev " which is not there"
	if (cpu in on && prev) {
		slices[cpu]++
		ns[cpu] += ts - start[cpu]
	}
	on[cpu] = next_tid
	start[cpu] = ts
	if (prev) {
		u = thread(prev)
		if (u in state && state[u] == "Running")
			close_state(ts, u, prev)
		else if (u in state)
			print "error: " prev " goes at " ts " but does not run"
		open_state(ts, u, letter[$5])
	}
	if (next_tid) {
		u = thread(next_tid)
		if (u in state && state[u] == "Running")
			print "error: " next_tid " comes at " ts " and runs already"
		close_state(ts, u, next_tid)
		open_state(ts, u, "Running")
	}
}

step == "tables" && $2 == "waking" {
	u = thread($4)
	if (u in state && (state[u] == "Running" || state[u] == "R"))
		next
	close_state($1, u, $4)
	open_state($1, u, "R")
}

step == "tables" && $2 == "free" { life[$4]++ }
step == "tables" && $2 == "thread" { tid_of[$3] = $4 }
step == "tables" && $2 == "process" { pid_of[$3] = $4 }
step == "tables" && $2 == "counters" {
	parent[$3] = $4
	node[$3] = $5
	sub(/pages_on_node_/, "", node[$3])
}
step == "tables" && $2 == "error" { print "error: " $0 }
step == "tables" && $2 == "instant" {
	split($4, part, "_")
	print "instant", $1, tid_of[$3], part[2], part[4]
}
step == "tables" && $2 == "counter" {
	if (last[$3] + 0 != $4)
		print "pages", $1, pid_of[parent[$3]], node[$3], $4
	last[$3] = $4
}

END {
	if (step != "tables")
		exit
	for (cpu in slices)
		printf "slices %d %d %.0f\n", cpu, slices[cpu], ns[cpu]
	for (tid in threads)
		print "threads", tid, threads[tid]
	for (k in sum)
		if (sum[k] || k ~ /Running/)
			printf "state %s %.0f\n", k, sum[k]
}

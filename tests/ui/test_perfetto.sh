#!/bin/sh
# SPDX-License-Identifier: MIT
# What Perfetto's trace processor makes of an export: protoc takes the protobuf
# apart without knowing its fields, perfetto.awk makes of its events the tables
# that Perfetto makes (sched slices, thread states, instants, counters), and
# these must be what homenode's own rows say, for a recorded and a replayed run.
# The JSON of the same run must have the same slices and instants.
hn=${HOMENODE:?}
data=$(pwd)/tests/data
awk=$(pwd)/tests/ui/perfetto.awk
for tool in protoc jq; do
	command -v $tool >/dev/null || {
		echo "no $tool"
		exit 77
	}
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0

"$hn" import -o a.homenode --topology "$data/numatest8-nb1-r4.topology.txt" \
	--numa-maps "$data/numatest8-nb1-r4.numa_maps.txt" \
	"$data/numatest8-nb1-r4.dat" >/dev/null 2>&1 || exit 1
"$hn" replay a.homenode -p o1 >/dev/null 2>&1 || exit 1

rows() {
	"$hn" sql "$db" --csv "$1" | tail -n +2 | tr -d '\r' | tr ',' ' '
}

# From when on a task was ready, and in what state it was before.
states="WITH s AS (SELECT task, tid, start_ns, end_ns, len_ns, state, node,
	start_ns - coalesce(wait_ns, 0) AS ready_ns,
	lag(state) OVER w AS was, lag(end_ns) OVER w AS was_ns,
	lag(node) OVER w AS was_node
	FROM spans WHERE run = RUN
	WINDOW w AS (PARTITION BY task ORDER BY end_ns, start_ns))"

expect() {
	rows "SELECT 'slices', cpu, count(*), sum(len_ns) FROM spans
		WHERE run = $1 GROUP BY cpu"
	rows "SELECT 'threads', tid, count(DISTINCT task) FROM spans
		WHERE run = $1 GROUP BY tid"
	rows "SELECT 'state', tid, 'Running', sum(len_ns) FROM spans
		WHERE run = $1 GROUP BY tid"
	rows "$(echo "$states" | sed "s/RUN/$1/")
		SELECT 'state', tid, 'R', sum(start_ns - CASE was WHEN 'R'
		THEN was_ns ELSE ready_ns END) AS ns FROM s GROUP BY tid
		HAVING ns > 0"
	rows "$(echo "$states" | sed "s/RUN/$1/")
		SELECT 'state', tid, replace(was, '?', 'D') AS letter,
		sum(ready_ns - was_ns) AS ns FROM s
		WHERE was <> 'R' AND was <> 'X' GROUP BY tid, letter
		HAVING ns > 0"
	rows "$(echo "$states" | sed "s/RUN/$1/")
		SELECT 'instant', start_ns, tid, was_node, node FROM s
		WHERE was_node <> node"
	rows "WITH m AS (SELECT (SELECT origin_ns FROM capture) + at AS ts,
		CASE WHEN t.pid < 0 THEN t.tid ELSE t.pid END AS pid, node,
		pages - lag(pages, 1, 0) OVER
		(PARTITION BY area, node ORDER BY m.id) AS more FROM mem m
		LEFT JOIN area a ON a.id = m.area
		LEFT JOIN derived_area d ON d.id = m.area
		JOIN task t ON t.id = coalesce(a.proc, d.proc)
		WHERE m.id >> 32 = $1),
		s AS (SELECT ts, pid, node, sum(more) AS more FROM m
		GROUP BY ts, pid, node)
		SELECT 'pages', ts, pid, node, sum(more) OVER
		(PARTITION BY pid, node ORDER BY ts) FROM s WHERE more <> 0"
}

# CPUs are threads of processes that are nodes, above all pids.
chrome() {
	"$hn" export "$db" "$1" --format chrome | jq -r '.traceEvents |
		([.[] | select(.ph == "X" and .pid >= 1073741824)] |
		group_by(.tid)[] | "slices \(.[0].tid) \(length) " +
		"\(map(.dur * 1000 | round) | add)"),
		(.[] | select(.ph == "i") | (.name | split(" ")) as $n |
		"instant \(.ts * 1000 | round) \(.tid) \($n[1]) \($n[3])")'
}

# compare DB RUN KIND...
compare() {
	db=$1 run=$2
	shift 2
	"$hn" export "$db" "$run" --format perfetto -o out.pb || bad=1
	protoc --decode_raw <out.pb | awk -f "$awk" -v step=events |
		sort -s -n -k1,1 | awk -f "$awk" -v step=tables >got
	expect "$run" >want
	for what; do
		grep "^$what" want | sort >want.$what
		grep "^$what" got | sort >got.$what
		cmp -s want.$what got.$what || {
			echo "$db run $run: $what differ:"
			diff want.$what got.$what | head -n 10
			bad=1
		}
		echo "$db run $run: $(wc -l <got.$what) rows of $what"
		[ -s want.$what ] || bad=1
	done
	grep '^error' got && bad=1
	chrome "$run" | sort >got
	sort want.slices want.instant | cmp -s - got || {
		echo "$db run $run: slices or instants of the JSON differ"
		bad=1
	}
}

compare a.homenode 0 slices threads state instant pages
compare a.homenode 1 slices threads state instant pages

# A number that two tasks have one after the other, and one that goes on.
cat >b.txt <<'END'
 sh-5 [000] 1.000000: sched_process_fork: comm=sh pid=5 child_comm=a child_pid=7
 sh-5 [000] 1.100000: sched_switch: prev_comm=sh prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=a next_pid=7 next_prio=120
 a-7 [000] 1.200000: sched_process_exit: comm=a pid=7 prio=120
 a-7 [000] 1.250000: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=Z ==> next_comm=sh next_pid=5 next_prio=120
 sh-5 [000] 1.300000: sched_process_fork: comm=sh pid=5 child_comm=b child_pid=7
 sh-5 [001] 1.350000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=7 next_prio=120
 b-7 [001] 1.400000: sched_switch: prev_comm=b prev_pid=7 prev_prio=120 prev_state=I ==> next_comm=swapper/1 next_pid=0 next_prio=120
 sh-5 [000] 1.500000: sched_switch: prev_comm=sh prev_pid=5 prev_prio=120 prev_state=P ==> next_comm=swapper/0 next_pid=0 next_prio=120
 b-7 [000] 1.600000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=7 next_prio=120
 b-7 [000] 1.700000: sched_switch: prev_comm=b prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=5 next_prio=120
 sh-5 [000] 1.800000: sched_switch: prev_comm=sh prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
"$hn" import -o b.homenode --topology 'numa:2 pu:1' b.txt >/dev/null || bad=1
"$hn" report b.homenode >/dev/null || bad=1
compare b.homenode 0 slices threads state instant
grep -qx 'threads 7 2' got.threads || {
	echo 'the two tasks 7 are one thread'
	bad=1
}
exit $bad

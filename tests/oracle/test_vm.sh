#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings of real kernels against what others say of them, for every
# tests/data/*.dat and ../shared/traces/vm/*.dat (or those named as arguments):
#
# - each task's time on each CPU equals a sum over the sched_switch lines of
#   `trace-cmd report`, to the microsecond;
# - the pages of each job's array at the end, rebuilt from faults and
#   migrations alone, differ by at most 6 in a recording from what the workload's
#   own query said (*.oracle.txt; pages marked for a hinting fault count there as
#   absent): only the last reading of *.numa_maps.txt is given, for the borders of
#   the array, since it takes two to correct anything; and with all readings by no
#   more than without, and from the readings by at most 1 in 500;
# - the node of most time is that of the oracle for jobs with over 60 % there;
# - replaying the recording as it was gives every span back, and every page at
#   the end.
#
# It prints what it measured for each; two are looked at at a time.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
homenode=${HOMENODE:-$root/homenode}
traces=$root/../shared/traces/vm
# Those in tests/data are copies of some of the others.
[ $# -gt 0 ] || set -- $(ls "$root"/tests/data/*.dat "$traces"/*.dat 2>/dev/null |
	awk -F/ '!seen[$NF]++')
[ $# -gt 0 ] || { echo "no recordings in tests/data or $traces"; exit 77; }
command -v trace-cmd >/dev/null || { echo "trace-cmd is missing"; exit 77; }
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT

fail() {
	echo "$name: $*"
	: >"$tmp/failed"
}

query() {
	"$homenode" sql --csv "${file:-$tmp/f}" "$1" | tr -d '\r' | tail -n +2 |
		tr ',' ' '
}

# tid, cpu and ns of both; beyond 1 us is a difference.
check_cpu_time() {
	trace-cmd report -t -l -R "$dat" 2>/dev/null |
		awk -f "$here/cpu_time.awk" | sort >"$tmp/want"
	query "SELECT tid, cpu, sum(len_ns) FROM spans WHERE run = 0
		GROUP BY tid, cpu" | sort >"$tmp/have"
	awk 'NR == FNR { want[$1 " " $2] = $3; next }
	{
		k = $1 " " $2; d = $3 - want[k]; delete want[k]
		if (d > 1000 || d < -1000) print "tid, cpu", k, "differ by", d, "ns"
	}
	END { for (k in want) if (want[k] > 1000) print "tid, cpu", k, "missing" }
	' "$tmp/want" "$tmp/have" >"$tmp/diff"
	[ -s "$tmp/want" ] || fail "no switches in trace-cmd report"
	[ ! -s "$tmp/diff" ] || fail "CPU time: $(head -n 3 "$tmp/diff")"
}

# pid and pages per node of each process's largest area at the end.  Run 0 has
# at most one change of an area on a node at a time.
final_pages() {
	query "SELECT pid, area, node, pages, max(ts) FROM memory WHERE run = 0
		GROUP BY area, node" |
	awk '{ n[$1 " " $2] += $4; at[$1 " " $2 " " $3] = $4 }
	END {
		for (k in n) {
			split(k, a, " ")
			if (n[k] > best[a[1]]) { best[a[1]] = n[k]; area[a[1]] = k }
		}
		for (p in area) {
			line = p
			for (i = 0; i < 4; i++) line = line " " at[area[p] " " i] + 0
			print line
		}
	}'
}

# Pages of all jobs that are elsewhere than the workload says.
wrong_pages() {
	final_pages >"$tmp/have"
	awk 'NR == FNR { for (i = 0; i < 4; i++) have[$1 " " i] = $(i + 2); next }
	/^pages end/ {
		pid = $6; sub(/:/, "", pid); diff = absent = 0
		for (i = 0; i < 4; i++) {
			split($(7 + i), w, "="); d = have[pid " " i] - w[2]
			diff += d < 0 ? -d : d
		}
		split($11, a, "="); absent = a[2]
		total += diff > absent ? diff - absent : 0
	}
	END { print total + 0 }' "$tmp/have" "$oracle"
}

check_pages() {
	awk 'NR == FNR { last[$2] = $1; next } $1 == last[$2]' "$maps" "$maps" \
		>"$tmp/borders"
	file=$tmp/alone
	import "$file" --numa-maps "$tmp/borders"
	"$homenode" report "$file" >/dev/null
	alone=$(wrong_pages)
	[ "$(query "SELECT value FROM run_count WHERE run = 0
		AND name = 'pages_corrected'")" = 0 ] ||
		fail "one reading corrected pages"
	file=
	pages=$(wrong_pages)
	[ "$alone" -le 6 ] || fail "$alone pages are elsewhere than the workload says"
	[ "$pages" -le "$alone" ] ||
		fail "with samples $pages pages are wrong, without $alone"
	samples=$(query "SELECT (SELECT value FROM run_count WHERE run = 0
			AND name = 'pages_compared') AS c,
		(SELECT value FROM run_count WHERE run = 0
			AND name = 'pages_differing') AS d")
	echo "$samples" | awk '{ exit !($1 > 0 && $2 * 500 <= $1) }' ||
		fail "samples see other pages: compared, differing: $samples"
}

# The first report makes run 0.
check_nodes() {
	"$homenode" report --csv "$tmp/f" | tr -d '\r' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	{ print $col["tid"], $col["most_node"] }' >"$tmp/have"
	[ -s "$tmp/have" ] || fail "no report"
	[ -e "$oracle" ] || return
	awk 'NR == FNR { most[$1] = $2; next }
	/^job/ {
		tid = $6; best = 0
		for (i = 1; i < 4; i++) if ($(8 + i) > $(8 + best)) best = i
		if ($(8 + best) > 60 && most[tid] != best)
			print "tid", tid, "node", most[tid], "not", best
	}' "$tmp/have" "$oracle" >"$tmp/diff"
	[ ! -s "$tmp/diff" ] || fail "node of most time: $(head -n 3 "$tmp/diff")"
}

# Spans of run 0 and of its replay, in order of task and time.
check_replay() {
	"$homenode" replay --cost flat -p recorded "$tmp/f" \
		>"$tmp/log" 2>&1 ||
		{ fail "replay failed: $(cat "$tmp/log")"; return; }
	for run in 0 1; do
		query "SELECT task, start_ns, end_ns, cpu FROM spans
			WHERE run = $run ORDER BY task, start_ns, end_ns" \
			>"$tmp/run$run"
	done
	[ -s "$tmp/run0" ] || fail "no spans"
	cmp -s "$tmp/run0" "$tmp/run1" ||
		fail "the replay differs: $(diff "$tmp/run0" "$tmp/run1" | head -n 3)"
	grep -q "pages lie in the end where they lay" "$tmp/log" ||
		fail "nothing is said of the pages: $(cat "$tmp/log")"
}

import() { # FILE OPTION...
	out=$1
	shift
	"$homenode" import "$@" --topology "numa:4 core:2 pu:1" \
		--knob "kernel.numa_balancing=$balancing" -o "$out" "$dat" \
		>"$tmp/log" 2>&1 || fail "import failed: $(cat "$tmp/log")"
}

look_at() {
	dat=$1
	name=$(basename "$dat" .dat)
	oracle=${dat%.dat}.oracle.txt
	maps=${dat%.dat}.numa_maps.txt
	case $name in
	*nb0*) balancing=0 ;;
	*) balancing=1 ;;
	esac
	set --
	[ ! -e "$maps" ] || set -- --numa-maps "$maps"
	file=
	import "$tmp/f" "$@"
	[ -e "$tmp/f" ] || return
	alone=none pages=0 samples=none
	check_nodes
	check_cpu_time
	[ ! -e "$oracle" ] || [ ! -e "$maps" ] || check_pages
	check_replay
	echo "$name: $(wc -l <"$tmp/run0") spans, $alone pages differ from the workload's, with samples $pages, compared and differing in samples: $samples"
}

# Says what came of a recording.
finish() {
	wait "$2"
	cat "$1/out"
	[ ! -e "$1/failed" ] && [ -s "$1/out" ] || failed=1
	rm -rf "$1"
}

failed=0 before= number=0
for dat; do
	tmp=$top/$number number=$((number + 1))
	mkdir "$tmp" || exit 1
	look_at "$dat" >"$tmp/out" 2>&1 &
	[ -z "$before" ] || finish $before
	before="$tmp $!"
done
finish $before
exit $failed

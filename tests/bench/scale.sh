#!/bin/bash
# SPDX-License-Identifier: MIT
# scale.sh: imports of a trace of EVENTS events (20 M) in each format, made long
# by expand.c, beside what reads the same file elsewhere.  The trace.dat are a
# guest's (tests/data), the perf.data is of hackbench on this machine.
set -u
here=$(cd "$(dirname "$0")" && pwd)
hn=${HOMENODE:?}
events=${EVENTS:-20000000}
work=$(mktemp -d "${TMPDIR:-/tmp}/homenode-scale.XXXXXX")
trap 'rm -rf "$work"' EXIT
cc -O2 -D_GNU_SOURCE -o "$work/timed" "$here/timed.c" || exit 1
cc -O2 -D_GNU_SOURCE -o "$work/expand" "$here/expand.c" || exit 1

row() { printf '%-46s %14s   %s\n' "$1" "$2" "${3:-}"; }

calc() { awk "BEGIN { printf \"$1\", $2 }"; }

# Sets wall, cpu (s), rss (KiB); what is printed is thrown away.
timed() {
	"$work/timed" "$@" 3>"$work/t" >/dev/null 2>"$work/errors" || {
		echo "failed: $*" >&2
		tail -n 3 "$work/errors" >&2
		return 1
	}
	read -r wall cpu rss _ <"$work/t"
}

nr_events() {
	"$hn" info "$1" --json | jq .events
}

# How many events a base has.
count() {
	"$hn" import -f -o "$work/base.homenode" "$1" >/dev/null 2>&1 &&
		nr_events "$work/base.homenode"
}

# import NAME FILE
import() {
	rm -f "$work/x.homenode"
	timed "$hn" import -o "$work/x.homenode" "$2" || return
	n=$(nr_events "$work/x.homenode")
	row "$1: events imported" "$n" "file $(calc %.0f "$(stat -c %s "$2")/1e6") MB"
	row "$1: M events/s (wall)" "$(calc %.2f "$n/$wall/1e6")" "aim: >= 1"
	row "$1: CPU us per event" "$(calc %.3f "$cpu*1e6/$n")"
	row "$1: peak memory MiB" "$(calc %.1f "$rss/1024")" "aim: <= 64"
	row "$1: bytes per event on disk" \
		"$(calc %.1f "$(stat -c %s "$work/x.homenode")/$n")" "aim: <= 24"
}

# peer FILE COMMAND...
peer() {
	local file=$1
	shift
	timed "$@" -i "$file" && row "  $*, CPU us per event" \
		"$(calc %.3f "$cpu*1e6/$n")"
}

echo "== trace.dat of version 6 and 7"
trace-cmd convert -i "$here/../data/numatest8-nb1-r4.dat" -o "$work/base.dat" \
	--file-version 6 --compression none >/dev/null 2>&1
if base=$(count "$work/base.dat"); then
	"$work/expand" "$((events / base + 1))" "$work/base.dat" "$work/6.dat"
	import "trace.dat v6" "$work/6.dat"
	peer "$work/6.dat" trace-cmd report
	trace-cmd convert -i "$work/6.dat" -o "$work/7.dat" --file-version 7 \
		--compression zstd >/dev/null 2>&1
	rm "$work/6.dat"
	import "trace.dat v7, zstd" "$work/7.dat"
	rm "$work/7.dat"

	echo
	echo "== text, as trace-cmd prints it, of a tenth of the events"
	"$work/expand" "$((events / 10 / base + 1))" "$work/base.dat" \
		"$work/6.dat"
	trace-cmd report -i "$work/6.dat" 2>/dev/null >"$work/x.txt"
	import text "$work/x.txt"
	lines=$(wc -l <"$work/x.txt")
	row "text: k lines/s (wall)" "$(calc %.0f "$lines/$wall/1e3")" \
		"aim: >= 400"
	row "text: k lines/s of CPU time" "$(calc %.0f "$lines/$cpu/1e3")"
	rm -f "$work/6.dat" "$work/x.txt"
else
	echo "skipped: no trace-cmd"
fi

echo
echo "== perf.data"
list=
for e in switch waking wakeup wakeup_new migrate_task process_fork \
	process_exec process_exit; do
	list="$list -e sched:sched_$e"
done
if perf record -q -a -m 1024 $list -o "$work/base.perf" -- \
	hackbench -g 4 -l 2500 >/dev/null 2>"$work/errors" &&
	base=$(count "$work/base.perf"); then
	"$work/expand" "$((events / base + 1))" "$work/base.perf" "$work/x.perf"
	import perf.data "$work/x.perf"
	peer "$work/x.perf" perf sched timehist
	peer "$work/x.perf" perf sched timehist -s
	peer "$work/x.perf" perf sched latency
else
	echo "skipped: perf cannot record here: $(tail -n 1 "$work/errors")"
fi

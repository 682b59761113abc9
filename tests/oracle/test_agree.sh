#!/bin/sh
# SPDX-License-Identifier: MIT
# Each format's importer against another reader of the same file, event by event:
# every sched_switch, sched_waking, sched_wakeup and sched_migrate_task with its
# time (to the ns, or the text's own resolution), CPU, pids, priorities, CPUs
# named and the names of tasks that a switch tells.
#
#	trace.dat	trace-cmd report -R
#	perf.data	perf script: one recorded here as a file, one in a pipe, one
#			compressed, and one of KDAB's
#	text		the lines themselves; what trace-cmd report prints of a
#			trace.dat, and perf script of the perf.data, imported as text
hn=${HOMENODE:?}
root=$(cd "$(dirname "$0")/../.." && pwd)
public=$root/../shared/traces/public
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
command -v trace-cmd >/dev/null || { echo "skipped: no trace-cmd"; exit 77; }
bad=0

cat >lines.awk <<'END'
# Lines of any tool in the kernel's own form, with field=value.
function value(key, end,  at, rest) {
	at = index($0, key "=")
	if (!at)
		return ""
	rest = substr($0, at + length(key) + 1)
	if (end)
		return substr(rest, 1, index(rest, end) - 1)
	sub(/[^-0-9].*/, "", rest)
	return rest + 0
}

match($0, /\[[0-9]+\]/) {
	cpu = substr($0, RSTART + 1, RLENGTH - 2) + 0
}

match($0, /[0-9]+\.[0-9]+: +(sched:)?sched_(switch|waking|wakeup|migrate_task):/) {
	head = substr($0, RSTART, RLENGTH)
	time = head
	sub(/:.*/, "", time)
	split(time, part, ".")
	ts = (part[1] + 0 ? part[1] + 0 : "") substr(part[2] "000000000", 1, 9)
	name = head
	sub(/:$/, "", name)
	sub(/.*sched_/, "", name)
	if (name == "switch")
		print name, ts, cpu, value("prev_comm", " prev_pid="),
			value("prev_pid"), value("prev_prio"),
			value("next_comm", " next_pid="), value("next_pid"),
			value("next_prio")
	else if (name == "migrate_task")
		print name, ts, cpu, value(" pid"), value("prio"),
			value("orig_cpu"), value("dest_cpu")
	else
		print name, ts, cpu, value(" pid"), value("prio"), value("target_cpu")
}
END

rows() {
	{
		echo "SELECT 'switch', ts, cpu, prev_comm, prev_pid, prev_prio,
			next_comm, next_pid, next_prio FROM sched_switch;"
		echo "SELECT 'migrate_task', ts, cpu, pid, prio, orig_cpu,
			dest_cpu FROM sched_migrate_task;"
		for e in waking wakeup; do
			echo "SELECT '$e', ts, cpu, pid, prio, target_cpu
				FROM sched_$e;"
		done
	} >rows.sql
	sqlite3 -separator ' ' -readonly x.hn <rows.sql
}

# agree NAME FILE LEAST-EVENTS: want has what the other reader says.
agree() {
	"$hn" import -f -o x.hn "$2" >out 2>err || {
		echo "$1: $(cat err)"
		bad=1
		return
	}
	rows | sort >got
	sort want >want.sorted
	n=$(wc -l <got)
	echo "$1: $n events agree with another reader"
	[ "$n" -ge "$3" ] || { echo "$1: few events"; bad=1; }
	cmp -s got want.sorted || {
		echo "$1 differs:"
		diff want.sorted got | head -n 10
		bad=1
	}
}

dat() {
	[ -r "$1" ] || return
	trace-cmd report -t -R -i "$1" 2>/dev/null | awk -f lines.awk >want
	agree "${1##*/}" "$1" "$2"
}

perf_data() {
	perf script --ns -i "$1" 2>/dev/null | awk -f lines.awk >want
	agree "${1##*/}" "$1" "$2"
}

text() {
	[ -r "$1" ] || return
	awk -f lines.awk "$1" >want
	agree "${1##*/}" "$1" "$2"
}

for f in "$root"/tests/data/*.dat; do
	dat "$f" 40000
done
dat "$public/dat/recon_schedviz_partA.dat" 12986
dat "$public/dat/lisa_sched_load_trace.dat" 427
dat "$public/dat/trappy_raw_trace.dat" 755

trace-cmd report -t -R -i "$root/tests/data/numatest8-nb0-r1.dat" \
	2>/dev/null >report.txt
text report.txt 40000
text "$public/txt/tcinc_ftrace_syscalls.txt" 123
text "$public/txt/tcinc_trace-android-sched.txt" 139
text "$public/txt/catapult_atrace_data" 116

if perf record -q -a -m 1024 -o p.data -e sched:sched_switch \
	-e sched:sched_waking -e sched:sched_wakeup \
	-e sched:sched_migrate_task -- sh -c 'ls / | cat | wc -l' \
	>/dev/null 2>&1; then
	perf_data p.data 10
	perf record -q -a -m 1024 -o - -e sched:sched_switch \
		-e sched:sched_waking -- sh -c 'ls / | cat | wc -l' \
		>pipe.data 2>/dev/null
	perf_data pipe.data 10
	perf record -q -a -m 1024 -z -o z.data -e sched:sched_switch \
		-e sched:sched_waking -- sh -c 'ls / | cat | wc -l' \
		>/dev/null 2>&1
	perf_data z.data 10
	perf script --ns -i p.data 2>/dev/null >script.txt
	text script.txt 10
fi
[ ! -r "$public/perf/kdab_parallel_static_gcc.perf.data.zstd" ] ||
	perf_data "$public/perf/kdab_parallel_static_gcc.perf.data.zstd" 9
exit $bad

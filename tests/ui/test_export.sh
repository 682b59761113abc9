#!/bin/sh
# SPDX-License-Identifier: MIT
# A real recording exported as text and imported again has the same rows; every
# form can be written of a recorded and of a replayed run.
hn=${HOMENODE:?}
data=$(pwd)/tests/data
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
fail() {
	echo "$*"
	bad=1
}

"$hn" import -o a.homenode --topology 'numa:4 core:2 pu:1' \
	"$data/numatest8-nb0-r1.dat" >/dev/null 2>&1 || fail import
"$hn" export a.homenode --format text -o a.txt || fail "export as text"
"$hn" import -o b.homenode --topology 'numa:4 core:2 pu:1' a.txt >/dev/null ||
	fail "import of the text"
for h in a b; do
	"$hn" report $h.homenode >/dev/null || fail report
	for v in sched_switch sched_waking sched_wakeup sched_wakeup_new \
		sched_migrate_task sched_process_fork sched_process_exec \
		sched_process_exit page_fault_user mm_migrate_pages loss \
		task_name spans moves; do
		echo "$v"
		"$hn" sql $h.homenode --csv "SELECT * FROM $v"
	done >$h.rows
done
cmp a.rows b.rows || fail "rows differ after export and import"
[ "$(wc -l <a.rows)" -gt 100000 ] || fail "few rows were compared"

"$hn" replay a.homenode -p o1 >/dev/null 2>&1 || fail replay
for run in recorded o1; do
	for f in chrome perfetto csv json; do
		"$hn" export a.homenode $run --format $f >out 2>err ||
			fail "$run as $f: $(cat err)"
		[ -s out ] || fail "$run as $f is empty"
	done
done
"$hn" export a.homenode o1 --format text >out 2>err && fail "o1 as text"
grep -q 'text is made of recorded events' err || fail "no reason: $(cat err)"
"$hn" export a.homenode --format xml >out 2>err
[ $? -eq 2 ] || fail "--format xml"
for t in spans moves residency; do
	"$hn" export a.homenode -F csv -t $t | awk -F, '
		NR == 1 {n = NF}
		NF != n {exit 1}
		END {exit NR < 10}' || fail "csv of $t"
done
exit $bad

#!/bin/sh
# SPDX-License-Identifier: MIT
# image and heatmap on what the user cannot mean, and on titles of any bytes.
. "$(dirname "$0")/../support/strict.sh"

refused() { # text arguments: both commands say so, with status 2
	text=$1
	shift
	for cmd in "heatmap" "image -o x.png"; do
		status=0
		"$HOMENODE" $cmd "$@" > out 2>&1 || status=$?
		[ $status -eq 2 ] || { cat out; fail "$cmd $*: status $status"; }
		has out "$text"
	done
}

# Task 42 is on CPU 0 for half a second.
cat > one.txt <<'END_OF_TRACE'
          <idle>-0     [000] d..2.   100.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=job next_pid=42 next_prio=120
             job-42    [000] d..2.   100.500000: sched_switch: prev_comm=job prev_pid=42 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END_OF_TRACE
"$HOMENODE" import one.txt -o one.hn --topology "numa:1 pu:1" \
	--knob "kernel.numa_balancing=$(printf '1\033')" > /dev/null

refused "'-1' is less than 1" one.hn --top -1
refused "'0' is less than 1" one.hn --top 0
refused "1 to 100000" one.hn --top 100001

# Every kind of rows with every mode: has its meaning, or says which have.
for rows in tasks processes cpus nodes memory; do
	for mode in node locality wait load; do
		case $rows-$mode in
		memory-node)
			status=0
			"$HOMENODE" heatmap one.hn -r memory > out 2>&1 ||
				status=$?
			[ $status -eq 1 ] || fail "memory: status $status"
			has out "nothing is known of memory areas"
			;;
		memory-*)
			refused "--rows memory has: node" \
				one.hn -r memory -m $mode
			;;
		tasks-load | processes-load)
			refused "--rows $rows has: node, locality, wait, diff" \
				one.hn -r $rows -m load
			;;
		*)
			"$HOMENODE" heatmap one.hn -r $rows -m $mode > out
			has out recorded
			;;
		esac
	done
done
for rows in tasks processes cpus nodes; do
	"$HOMENODE" heatmap one.hn 0 0 -r $rows -m diff > out
	has out "minus recorded"
done
refused "--rows memory has: node" one.hn 0 0 --diff -r memory

# CPUs come in the machine's order; who is chosen is shown on them.
for rows in cpus nodes; do
	refused "--sort is of tasks" one.hn -r $rows --sort name
	for args in "--comm j*" "--pid 42"; do
		"$HOMENODE" heatmap one.hn -r $rows $args > out
		has out "500 ms on CPU"
	done
	for args in "--comm nobody" "--pid 43" "--cgroup x"; do
		status=0
		"$HOMENODE" heatmap one.hn -r $rows $args > out 2>&1 ||
			status=$?
		[ $status -eq 1 ] || fail "$args: status $status"
		has out "nothing passes --comm, --pid and --cgroup"
	done
done

for width in 0 -1 39 2001; do
	status=0
	"$HOMENODE" heatmap one.hn -w $width > out 2>&1 || status=$?
	[ $status -eq 2 ] || fail "-w $width: status $status"
done

# Any bytes in a title, and in what a file says, shown as those of a task's name
# are.
title=$(printf 'a\377b\033[31mc\302\265')
"$HOMENODE" heatmap one.hn -w 200 --title "$title" > out
has out 'numa_balancing=1\x1b'
has out 'a\xffb\x1b[31mc'
if grep -q "$(printf '\033')" out; then
	fail "an escape is shown"
fi
"$HOMENODE" image one.hn -o title.svg --title "$title" 2> out
[ ! -s out ] || { cat out; fail "pango was given what is no text"; }

# Two replays of one policy on two machines are told apart.
"$HOMENODE" replay one.hn -p o1 --topology "numa:1 pu:1" > /dev/null
"$HOMENODE" replay one.hn -p o1 --topology "numa:2 pu:1" > /dev/null
refused "1 (o1,seed=1 " one.hn 1 2
has out "on 1 node, 1 CPU) and 2 (o1,seed=1 "
has out "on 2 nodes, 2 CPUs) ran on different machines"

# A limit on files, a full disk, a place that is none: one message, no part of a
# file, what was there stays.
mkdir place
for name in x.png x.svg x.pdf; do
	echo before > place/$name
	status=0
	(ulimit -f 1; exec "$HOMENODE" image one.hn -f -o place/$name) \
		> out 2>&1 || status=$?
	[ $status -eq 1 ] || { cat out; fail "$name: status $status"; }
	has out "cannot write 'place/$name': File too large"
	has place/$name before
	rm place/$name
done
[ -z "$(ls -A place)" ] || { ls -A place; fail "files are left"; }
for args in "image one.hn -o no/x.png" "export one.hn -F csv -o no/x.csv" \
	"image one.hn -f -o place"/../place/.png/x.png; do
	status=0
	"$HOMENODE" $args > out 2>&1 || status=$?
	[ $status -eq 1 ] || { cat out; fail "$args: status $status"; }
	has out "No such file or directory"
done
status=0
"$HOMENODE" export one.hn -F csv -o /dev/full > out 2>&1 || status=$?
[ $status -eq 1 ] || fail "/dev/full: status $status"
has out "No space left on device"
"$HOMENODE" export one.hn -F csv -o /dev/stdout > out
has out job

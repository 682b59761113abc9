#!/bin/sh
# SPDX-License-Identifier: MIT
# 1024 CPUs on nodes 0 and 255, 300,000 tasks, three days: task i runs from i *
# 0.864 s on for 1 ms on CPU i % 1024, the lower half of which are node 0's.
# 300,000 = 292 * 1024 + 992: 292 * 512 + 512 = 150,016 tasks run on node 0 and
# 292 * 512 + 480 = 149,984 on node 255.
hn=${HOMENODE:?}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0

awk 'BEGIN {
	print "available: 2 nodes (0,255)"
	for (n = 0; n < 2; n++) {
		printf "node %d cpus:", n * 255
		for (c = 0; c < 512; c++)
			printf " %d", n * 512 + c
		printf "\nnode %d size: 1000 MB\n", n * 255
	}
	print "node distances:\nnode   0 255"
	print "  0:  10  40\n255:  40  10"
}' >topo.txt
awk 'BEGIN {
	for (i = 0; i < 300000; i++) {
		us = i * 864000
		pid = i + 100
		cpu = i % 1024
		printf "<idle>-0 [%03d] %d.%06d: sched_switch: prev_comm=swapper/%d prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=t next_pid=%d next_prio=120\n", cpu, us / 1000000, us % 1000000, cpu, pid
		us += 1000
		printf "t-%d [%03d] %d.%06d: sched_switch: prev_comm=t prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=swapper/%d next_pid=0 next_prio=120\n", pid, cpu, us / 1000000, us % 1000000, pid, cpu
	}
}' >x.txt

is() {
	[ "$1" = "$2" ] || {
		echo "$1, not $2"
		bad=1
	}
}

"$hn" import -o x.hn --topology topo.txt x.txt >out 2>err || cat out err
"$hn" info x.hn --json >info
is "$(jq -c '[.events, .tasks, .cpus, .lost, (.nodes | map(.id))]' info)" \
	'[600000,300000,1024,0,[0,255]]'
# the last one ends 1 ms after 299,999 * 0.864 s
is "$(jq '.end_ns - .start_ns' info)" 259199137000000
"$hn" report x.hn --json >report
is "$(jq -c '(.tasks | length) as $n | .total | [$n, .cpu_ns, .node_ns["0"],
	.node_ns["255"], .migrations]' report)" \
	'[300000,300000000000,150016000000,149984000000,0]'
is "$("$hn" sql x.hn --csv 'SELECT max(cpu), max(node), min(len_ns),
	max(len_ns), count(*) FROM spans' | tail -n 1 | tr -d '\r')" \
	1023,255,1000000,1000000,300000
"$hn" heatmap x.hn -w 100 >out || bad=1
"$hn" export x.hn --format perfetto -o x.pb || bad=1
[ -s x.pb ] || bad=1
exit $bad

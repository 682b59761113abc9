#!/bin/bash
# SPDX-License-Identifier: MIT
#
# record.sh - `homenode record` in an emulated 4-node guest, against what the
# recorded workload says of itself (workload.c): where each thread ran in its
# window, and where every page of its array was.
#
# Arguments are passed on to boot (--kernel, --verbose, ...), variables: see
# common.sh.  Exit status 77: no guest can be booted here.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

# Three processes of one thread and one of two, so that not every CPU is busy:
# the emulated ones share two.  Started on one node, balancing spreads them, and
# their pages after them.  Bound while they touch their pages first: a task that
# is moved to another node between the event of a fault and its end gets the page
# there, which no event tells (seen once in some 80,000 touches on a busy host).
cat >"$tmp/job.sh" <<'SCRIPT'
echo "balancing=$(cat /proc/sys/kernel/numa_balancing)"
mkdir /tmp/acct
mount -t cgroup -o cpuacct cpuacct /tmp/acct || exit 1
before=$(cat /sys/kernel/tracing/trace_clock /sys/kernel/tracing/set_event)
homenode record -o /tmp/x.homenode --sample-budget 50 --sample-interval 300ms \
	-- sh -c '
	workload --procs 3 --threads 1 --mem 16 --seconds 8 --start-node 1 \
		--rest 4 --cpuacct /tmp/acct &
	workload --procs 1 --threads 2 --mem 16 --seconds 8 --start-node 2 \
		--rest 4 --cpuacct /tmp/acct
	wait
	exit 5' >/share/witness 2>/share/log
echo "status=$?"
echo "instances=$(ls /sys/kernel/tracing/instances | wc -l)"
after=$(cat /sys/kernel/tracing/trace_clock /sys/kernel/tracing/set_event)
[ "$before" = "$after" ] && echo "tracefs=same"
cp /tmp/x.homenode /share/

# CPU 3 was offline from the start; CPU 5 goes, and comes back.
cpus=/sys/devices/system/cpu
homenode record -o /tmp/hot.homenode -- sh -c "
	echo 1 >$cpus/cpu3/online
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		sleep 0.1
		taskset 8 true
	done
	taskset 20 true
	echo 0 >$cpus/cpu5/online
	cut -d' ' -f1 /proc/uptime >/share/down
	sleep 1
	cut -d' ' -f1 /proc/uptime >/share/up
	echo 1 >$cpus/cpu5/online
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		taskset 20 true
		sleep 0.1
	done" 2>/share/hot.log
echo "hot_status=$?"
cp /tmp/hot.homenode /share/
SCRIPT

guest --offline 3 "$@"
check "NUMA balancing is on" "$(value balancing)" 1
check "the command's status is passed on" "$(value status)" 5
check "no instance is left" "$(value instances)" 0
check "the guest's tracing is as it was" "$(value tracefs)" same
[ $bad = 0 ] || { cat "$tmp/log"; exit 1; }

x=$tmp/x.homenode
check "nothing is lost" "$(sql "$x" 'SELECT count(*) FROM loss')" 0
check "nodes" "$(sql "$x" 'SELECT group_concat(id) FROM node' | tr -d '"')" \
	0,1,2,3
check "CPU 3 is offline" "$(sql "$x" 'SELECT online FROM cpu WHERE id = 3')" 0
check "CPU 3 is on node 1" "$(sql "$x" 'SELECT node FROM cpu WHERE id = 3')" 1
"$hn" report "$x" >/dev/null || exit 1

# A thread's time on each node, in per cent of its window: how far homenode is
# from what the kernel charged to the thread, and how far the witness's own looks
# at its CPU are beyond what they cannot know (workload.c), at most.  It must be
# within 1.5 points, and what may be charged at the edges of the window (up to 2 ms,
# unless the emulated CPU stands still each time).
residency() {	# LINE
	local tid from to
	tid=$(field tid "$1") from=$(field from_ns "$1") to=$(field to_ns "$1")
	"$hn" report "$x" --csv --from "@${from}ns" --to "@${to}ns" | awk -F, \
		-v tid="$tid" -v cpu="$(field cpu_ns "$1")" \
		-v looked="$(field node_ns "$1")" \
		-v charged="$(field charged_ns "$1")" \
		-v unsure="$(field unsure_ns "$1")" \
		-v edge="$(field edge_ns "$1")" '
		function read_list(list, into,   n, part, i, kv) {
			n = split(list, part, ",")
			for (i = 1; i <= n; i++) {
				split(part[i], kv, ":")
				into[kv[1]] = kv[2]
			}
		}
		function abs(x) { return x < 0 ? -x : x }
		NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i }
		NR > 1 && $col["tid"] == tid {
			found = 1
			read_list(looked, seen)
			read_list(charged, said)
			for (i = 0; i < 4; i++)
				sum += said[i]
			for (i = 0; i < 4; i++) {
				d = abs($col["node" i "_ns"] / $col["cpu_ns"] \
					- said[i] / sum)
				worst = d > worst ? d : worst
				d = abs(seen[i] - said[i]) - unsure
				apart = d > apart ? d : apart
			}
		}
		END {
			worst *= 100
			apart *= 100 / cpu
			edge *= 100 / cpu
			printf "%s %.2f %.2f %.2f %.2f\n", found && sum && \
				worst <= 1.5 + edge && apart <= 1.5 + edge ? \
				"yes" : "no", worst, apart, 100 * unsure / cpu,
				edge
		}'
}

# Pages that homenode and the witness have on different nodes.  The area is the
# array, exactly.  The process rests for four seconds after it asked: of a page
# whose fault was under way when its thread was moved to another node only samples
# at rest tell where it came to lie.  (On a busy host each takes so long that there
# is one in a second at times, of which two are needed.)
pages() {	# LINE
	local pid addr bytes ns
	pid=$(field pid "$1") addr=$(field addr "$1") ns=$(field ns "$1")
	bytes=$(field bytes "$1")
	sql "$x" "SELECT node, pages, max(ts) FROM memory WHERE run = 0 AND
		area = (SELECT a.id FROM area a JOIN task t ON t.id = a.proc
			WHERE t.tid = $pid AND a.start = $((addr)) AND
			a.bytes = $bytes) AND ts <= $ns + 4000000000 GROUP BY node" | awk -F, \
		-v said="$(field pages "$1")" '
		{ here[$1] = $2 }
		END {
			n = split(said, part, ",")
			for (i = 1; i <= n; i++) {
				split(part[i], kv, ":")
				here[kv[1]] -= kv[2]
			}
			for (i in here)
				wrong += here[i] < 0 ? -here[i] : here[i]
			print int((wrong + 1) / 2)
		}'
}

threads=0 arrays=0
while read -r line; do
	case $line in
	"witness thread "*)
		threads=$((threads + 1))
		read -r ok worst apart unsure edge <<<"$(residency "$line")"
		echo "        thread $(field tid "$line"): off by $worst points;" \
			"looks: unsure of $unsure, $apart beyond that;" \
			"edges $edge"
		check "thread $(field tid "$line") by node" "$ok" yes ;;
	"witness array "*)
		arrays=$((arrays + 1))
		wrong=$(pages "$line")
		echo "        $(field pid "$line") at its $(field at "$line"):" \
			"pages $(field pages "$line"), wrong $wrong"
		check "pages of $(field pid "$line") at its $(field at "$line")" \
			"$wrong, absent $(field absent "$line")" "0, absent 0" ;;
	esac
done <"$tmp/witness"
check "threads and arrays of the witness" "$threads $arrays" "5 8"

hot=$tmp/hot.homenode
check "hotplug: status" "$(value hot_status)" 0
check "hotplug: CPU 3 came online" \
	"$(sql "$hot" 'SELECT online FROM cpu WHERE id = 3')" 1
check "hotplug: its events are there" "$(sql "$hot" \
	'SELECT count(*) > 10 FROM sched_switch WHERE cpu = 3')" 1
# The guest's uptime is CLOCK_BOOTTIME, which in a guest that never slept is
# CLOCK_MONOTONIC; it has hundredths.
count5() {	# CONDITION
	sql "$hot" "SELECT count(*) > 5 FROM sched_switch WHERE cpu = 5 AND $1"
}
check "hotplug: CPU 5 was recorded before" \
	"$(count5 "ts < $(cat "$tmp/down") * 1e9")" 1
check "hotplug: and nothing of it while it was offline" \
	"$(sql "$hot" "SELECT count(*) FROM event_all WHERE cpu = 5 AND
	ts BETWEEN ($(cat "$tmp/down") + 0.01) * 1e9 AND
	$(cat "$tmp/up") * 1e9")" 0
check "hotplug: and when it was back" \
	"$(count5 "ts > $(cat "$tmp/up") * 1e9")" 1
check "hotplug: nothing is lost" "$(sql "$hot" 'SELECT count(*) FROM loss')" 0

finish

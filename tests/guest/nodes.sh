#!/bin/bash
# SPDX-License-Identifier: MIT
#
# nodes.sh - record and calibrate on a guest with a node without memory (2), one
# without CPUs (3) and an offline CPU (3, of node 1).
#
# Arguments are passed on to boot; variables and exit status: see record.sh.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

cat >"$tmp/job.sh" <<'SCRIPT'
homenode record -q -o /tmp/x.homenode --sample-budget 50 \
	--sample-interval 300ms -- taskset 10 numactl --membind=3 \
	workload --mem 8 --seconds 3 --rest 3 >/share/witness
echo "status=$?"
homenode calibrate -b 4M -n 5 -o /tmp/x.homenode --json >/share/all.json \
	2>/share/all.log
echo "calibrate=$?"
# In a cpuset of CPUs 0-1 and the memory of node 0.
mkdir /tmp/cpuset
mount -t cgroup -o cpuset cpuset /tmp/cpuset
mkdir /tmp/cpuset/some
echo 0-1 >/tmp/cpuset/some/cpuset.cpus
echo 0 >/tmp/cpuset/some/cpuset.mems
sh -c 'echo $$ >/tmp/cpuset/some/tasks
	exec homenode calibrate -b 4M -n 5 --json' >/share/some.json \
	2>/share/some.log
echo "in_cpuset=$?"
cp /tmp/x.homenode /share/
SCRIPT

guest --nodes 2 --cpu-only 1 --memory-only 1 --cpus 2 --mem 1152 \
	--dist "0,1=21 0,2=31 1,2=31 0,3=17 1,3=28 2,3=40" --offline 3 \
	--with numactl "$@"
x=$tmp/x.homenode
check "record: status" "$(value status)" 0
check "the nodes" "$(sql "$x" 'SELECT id, mem_bytes > 0, (SELECT count(*) FROM
	cpu WHERE node = n.id) FROM node n ORDER BY id' | tr '\n' ' ')" \
	"0,1,2 1,1,2 2,0,2 3,1,0 "
check "distances from the node without CPUs" "$(sql "$x" 'SELECT
	group_concat(distance) FROM (SELECT distance FROM distance
	WHERE from_node = 3 ORDER BY to_node)' | tr -d '"')" 17,28,40,10
"$hn" report "$x" >/dev/null
thread=$(grep 'witness thread' "$tmp/witness")
array=$(grep 'at=end' "$tmp/witness")
tid=$(field tid "$thread")
check "the witness ran on node 2 and had its pages on node 3" \
	"$(field most_node "$thread") $(field pages "$array")" "2 3:2048"
check "so says the report" "$("$hn" report --json "$x" | jq -c ".tasks[] |
	select(.tid == $tid) | .most_node")" 2
# Its faults do not tell of numactl's policy, its samples do, of which two at rest
# are needed.
check "so do its pages in the end" "$(sql "$x" "SELECT m.node, m.pages
	FROM (SELECT area, node, pages, max(ts) FROM memory WHERE run = 0
		GROUP BY area, node) m
	JOIN area a ON a.id = m.area JOIN task t ON t.id = a.proc
	WHERE t.tid = $tid AND a.bytes = 8388608 AND m.pages > 0")" 3,2048
check "and the report" "$("$hn" report --json "$x" | jq -c ".tasks[] |
	select(.tid == $tid) | .mem_pages[\"3\"] >= 2048")" true
check "calibrate: status" "$(value calibrate)" 0
check "calibrate: from each node with CPUs to each with memory" \
	"$(jq -c '[.latency[] | select(.co_runners == 0) |
	[.cpu_node, .mem_node]] | sort' "$tmp/all.json")" \
	'[[0,0],[0,1],[0,3],[1,0],[1,1],[1,3],[2,0],[2,1],[2,3]]'
check "calibrate: times are positive, medians between quartiles" \
	"$(jq '[.latency[] | .low_ps > 100 and .low_ps <= .median_ps and
	.median_ps <= .high_ps] | all' "$tmp/all.json")" true
check "calibrate: the file has them" "$(sql "$x" 'SELECT count(*) FROM latency')" \
	"$(jq '.latency | length' "$tmp/all.json")"
check "in a cpuset: status" "$(value in_cpuset)" 0
check "in a cpuset: only node 0" "$(jq -c '[.latency[] |
	[.cpu_node, .mem_node]] | unique' "$tmp/some.json")" '[[0,0]]'
check "in a cpuset: the reasons are said" "$(grep -cE \
	'node [13]: its memory is not in this cpuset|node [12]: none of its CPUs' \
	"$tmp/some.log")" 4
sed 's/^/        /' "$tmp/all.log"
finish

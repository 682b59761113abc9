#!/bin/sh
# SPDX-License-Identifier: MIT
# homenode calibrate measures this machine, stores it, and replay uses it.
hn=${HOMENODE:?}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
fail() {
	echo "$*"
	bad=1
}
# Wants this failure: STATUS PATTERN COMMAND...
fails() {
	want=$1 pattern=$2
	shift 2
	"$@" >out 2>&1
	[ $? = "$want" ] && grep -q "$pattern" out ||
		fail "$*: wanted status $want and '$pattern', got: $(cat out)"
}
sql() {
	"$hn" sql --csv "$1" "$2" | tr -d '\r' | tail -n +2
}

"$hn" calibrate -b 4M -n 3 --json -o host.homenode >host.json 2>err ||
	fail "calibrate: $(cat err)"
jq -e '(.latency | length) > 0 and (.latency | all(.low_ps > 100 and
	.low_ps <= .median_ps and .median_ps <= .high_ps and .samples == 3 and
	.buffer_bytes == 4194304)) and .cost.contention >= 0 and
	(.cost.remote[0] | length) >= 1' host.json >/dev/null ||
	fail "json: $(cat host.json)"
[ "$(sql host.homenode 'SELECT count(*), sum(median_ps) FROM latency')" = \
	"$(jq -r '[(.latency | length), ([.latency[].median_ps] | add)] |
	map(tostring) | join(",")' host.json)" ] || fail "the file differs"
"$hn" info host.homenode | grep -q '^source *calibrate' || fail "info"
# Again into the same file: replaced.
rows=$(sql host.homenode 'SELECT count(*) FROM latency')
"$hn" calibrate -b 4M -n 1 -o host.homenode --csv >host.csv 2>/dev/null ||
	fail "calibrate into its own file"
[ "$(sql host.homenode 'SELECT count(*), max(samples) FROM latency')" = \
	"$rows,1" ] || fail "not replaced"
[ "$(wc -l <host.csv)" = $((rows + 1)) ] || fail "csv: $(cat host.csv)"

# Work on a machine of one node: contention of this host, told from the default.
"$hn" synth numa_test 2 --topology "numa:1 core:4 pu:1" -o one.homenode \
	>/dev/null 2>&1 || fail synth
fails 1 "nothing was measured in 'one.homenode'" \
	"$hn" replay one.homenode -p stay --cost calibrated
# The node that this host and a machine of one node have in common is 0.
sqlite3 host.homenode 'DELETE FROM latency WHERE cpu_node > 0 OR mem_node > 0;
	INSERT OR REPLACE INTO latency VALUES (0,0,0, 100000,100000,100000, 1,9,0),
	(0,0,1, 125000,125000,125000, 1,9,0);
	DELETE FROM latency WHERE co_runners > 1'
"$hn" replay one.homenode -p stay --cost calibrated:host.homenode,smt=1.25 \
	>out 2>err || fail "replay: $(cat err)"
[ "$(sql one.homenode "SELECT cost ->> 'contention', cost ->> 'smt' FROM run
	WHERE policy = 'stay'")" = 0.25,1.25 ] || fail "its cost is not used"
! grep -q SLIT err || fail "distances on one node: $(cat err)"

# Without it, distances are only ranks; said where there are several nodes.
"$hn" synth numa_test 2 --topology "numa:2 core:2 pu:1" -o two.homenode \
	>/dev/null 2>&1 || fail synth
"$hn" replay two.homenode -p stay >out 2>err || fail replay
grep -q 'SLIT distances.*only ranks' err || fail "no remark: $(cat err)"
for cost in flat remote=1.2 azusa; do
	"$hn" replay two.homenode -p stay --cost $cost >out 2>err || fail replay
	! grep -q SLIT err || fail "$cost: $(cat err)"
done
"$hn" replay two.homenode -p stay --cost calibrated:host.homenode >out 2>err ||
	fail "replay with pairs missing: $(cat err)"
grep -q '^3 pairs of nodes not measured' err || fail "missing: $(cat err)"

fails 2 'was recorded on a machine of other nodes or CPUs' \
	"$hn" calibrate -b 4M -n 1 -o two.homenode
fails 1 'no-such-file' "$hn" replay two.homenode -p stay \
	--cost calibrated:no-such-file
fails 2 "unknown cost 'calibratedly'" "$hn" replay two.homenode -p stay \
	--cost calibratedly
fails 2 'samples: from 1' "$hn" calibrate -n 0
fails 2 'buffer: from 4M' "$hn" calibrate -b 1K
fails 2 'a file goes with -o' "$hn" calibrate host.homenode
exit $bad

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# live.sh - what `homenode record` must bear on a NUMA host, in one guest of four
# nodes: pages that move, hinting faults, buffers that are too small, kill -9 at
# any moment, a full disk, a user's own tracing, other recorders, pid namespaces.
# Each part is a script in the guest (part_*) and what is checked of what it
# brings back (check_*).
#
# PARTS names some of them; arguments are passed on to boot; other variables and
# exit status: see record.sh.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
parts=${PARTS:-follow faults small kill full user namespace}

# Things that the parts share.
cat >"$tmp/common" <<'SCRIPT'
tracing=/sys/kernel/tracing
# Some thousand events in a second, of short processes on all CPUs.
stir() {
	while :; do
		usleep 2000
		true | true
	done
}
instances() {
	ls $tracing/instances | wc -l
}
# Waits until a recorder traces.
begun() {	# PID
	until grep -q 1 $tracing/instances/homenode-$1-*/tracing_on 2>/dev/null; do
		usleep 50000
	done
}
SCRIPT

# --- follow: NUMA balancing moves an array from node 0 to where its task is,
# node 2; faults are not recorded, so the timeline comes from samples.
cat >"$tmp/part_follow" <<'SCRIPT'
homenode record -q -o /tmp/follow.homenode --no-faults --sample-interval 200ms \
	--sample-budget 50 -- taskset 30 workload --mem 8 --start-node 0 \
	--seconds 10 --watch 100 >/share/follow.witness
cp /tmp/follow.homenode /share/
SCRIPT

# Every count that the witness had at one time must be in the first sample after
# it, and must not be in one that ended before it: pages on node 2 only become
# more.  All samples are of numa_maps, which sees marked pages too.
check_follow() {
	local f=$tmp/follow.homenode array area
	array=$(grep 'at=start' "$tmp/follow.witness")
	area=$(sql "$f" "SELECT a.id FROM area a JOIN task t ON t.id = a.proc
		WHERE t.tid = $(field pid "$array") AND
		a.start = $(($(field addr "$array")))")
	check "follow: an area is the array" "$(sql "$f" "SELECT bytes FROM area
		WHERE id = $area")" $((8 << 20))
	{
		sql "$f" "SELECT 'sample', ts, sum(pages * (node = 2)), sum(pages)
			FROM placement WHERE area = $area AND source = 'm'
			GROUP BY ts ORDER BY ts"
		sed -nE 's/.*at=(start|now|end) ns=([0-9]+) .* pages=([^ ]*) .*/\2 \3/p' \
			"$tmp/follow.witness" | while read -r ns pages; do
			echo "witness,$ns,$(grep -oE '(^|,)2:[0-9]+' <<<"$pages" |
				cut -d: -f2),$(grep -oE '(^|,)0:[0-9]+' <<<"$pages" |
				cut -d: -f2)"
		done
	} | tr -d '"' | sort -t, -k2,2n | awk -F, '
		$1 == "witness" {
			n++
			if (before && nr > 1 && two[nr - 1] > 2048 - $4)
				early++
			most = $3 + 0
			want = most
			waits = 1
			before = 1
			if (most > 0 && most < 2048)
				between++
		}
		$1 == "sample" {
			nr++
			two[nr] = $3
			if (waits && $3 < want)
				late++
			if (waits)
				compared++
			waits = 0
		}
		END {
			printf "looks=%d\nsamples=%d\nmoved=%d\nlate=%d\nearly=%d\ncompared=%d\n",
				n, nr, most, late, early, compared
		}' >"$tmp/followed"
	tr '\n' ' ' <"$tmp/followed"; echo
	follow() {
		sed -n "s/^$1=//p" "$tmp/followed"
	}
	check "follow: the witness saw pages move to node 2" \
		"$(($(follow moved) > 500))" 1
	check "follow: it was compared three times at least" \
		"$(($(follow compared) > 2))" 1
	check "follow: no sample is behind the witness before it" \
		"$(follow late)" 0
	check "follow: none is ahead of the witness after it" "$(follow early)" 0
}

# --- faults: two threads, each in its own half of the array.
cat >"$tmp/part_faults" <<'SCRIPT'
homenode record -q -o /tmp/faults.homenode --sample-budget 50 -- workload \
	--threads 2 --parts --mem 8 --seconds 8 --start-node 1 >/share/faults.witness
cp /tmp/faults.homenode /share/
SCRIPT

# How many faults each thread had, getrusage(2) knows; where, its half tells.
# Faults of the kernel itself (it reads and writes user memory) are in the former
# only: a few.
check_faults() {
	local f=$tmp/faults.homenode line tid from to start half seen said inside
	"$hn" report "$f" >/dev/null
	line=$(grep 'at=start' "$tmp/faults.witness")
	start=$(($(field addr "$line")))
	half=$(($(field bytes "$line") / 2))
	while read -r line; do
		tid=$(field tid "$line") from=$(field from_ns "$line")
		to=$(field to_ns "$line") said=$(field faults "$line")
		seen=$(sql "$f" "SELECT count(*) FROM page_fault_user WHERE
			common_pid = $tid AND ts BETWEEN $from AND $to")
		check "faults: thread $tid had $said, recorded $seen" \
			"$((seen > 100 && seen <= said && said - seen < 20))" 1
		inside=$((start + $(field thread "$line") * half))
		check "faults: those in the array are in its own half" \
			"$(sql "$f" "SELECT count(*) FROM page_fault_user WHERE
			common_pid = $tid AND ts BETWEEN $from AND $to AND
			address BETWEEN $start AND $((start + 2 * half - 1)) AND
			address NOT BETWEEN $inside AND $((inside + half - 1))")" 0
		check "faults: and are counted for the array, by thread" \
			"$(sql "$f" "SELECT sum(x.faults) FROM access x
			JOIN area a ON a.id = x.area JOIN task t ON t.id = x.task
			WHERE t.tid = $tid AND a.start = $start AND x.id >> 32 = 0")" \
			"$(sql "$f" "SELECT count(*) FROM page_fault_user WHERE
			common_pid = $tid AND
			address BETWEEN $start AND $((start + 2 * half - 1))")"
	done < <(grep 'witness thread' "$tmp/faults.witness")
}

# --- small: buffers of 8 KiB that nobody reads for a while, and another recorder
# with large ones at the same time, which counts what there was.
cat >"$tmp/part_small" <<'SCRIPT'
cat >/tmp/small.sh <<'EOF'
. /share/common
for i in 1 2 3 4 5 6 7 8; do stir & done
homenode record -b 8K --no-memory --no-faults --spool-only -o /tmp/small \
	-d 300s &
pid=$!
begun $pid
kill -STOP $pid
until grep -q '^overrun: .*[1-9]' $tracing/instances/homenode-$pid-*/per_cpu/cpu0/stats
do
	usleep 200000
done
kill -CONT $pid
usleep 500000
kill -INT $pid
wait $pid
for i in $(jobs -p); do kill $i; done
EOF
homenode record -q -b 8M --no-memory --no-faults --spool-only -o /tmp/large \
	-- sh /tmp/small.sh
cp -r /tmp/small.spool /tmp/large.spool /share/
SCRIPT

# Per CPU, what the small one recorded and lost between its first and last event
# there is what the large one has (recorded or lost) in that time, and, among what
# was lost, a task_newtask for each fork, which is no event of the file.  What was
# lost before the first event is not between them; on the CPU where the capture
# begins, that loss has no length, at the first event.  Both note the same event
# at slightly different times, so a few at either edge may differ.
check_small() {
	local f=$tmp/small.homenode g=$tmp/large.homenode cpu from to a b lost holes
	local inside
	"$hn" import "$tmp/small.spool" -o "$f" 2>"$tmp/small.log" >&2
	"$hn" import "$tmp/large.spool" -o "$g" >"$tmp/large.log" 2>&1
	lost=$(sql "$f" 'SELECT sum(events) FROM loss')
	check "small: events were lost, and each is counted" \
		"$(sql "$f" 'SELECT sum(events) > 0, min(events) > 0 FROM loss')" 1,1
	check "small: info says so" "$("$hn" info --json "$f" | jq .lost)" "$lost"
	while IFS=, read -r cpu from to; do
		check "small: CPU $cpu: as many were lost as the kernel says" \
			"$(sql "$f" "SELECT coalesce(sum(events), 0) FROM loss
			WHERE cpu = $cpu")" "$(awk -F"\t" -v cpu="$cpu" '
			$1 == "cpu" && $2 == cpu { print $5 + $6 + $7 }' \
			"$tmp/small.spool/tail")"
		inside="cpu = $cpu AND from_ns >= $from AND to_ns > $from AND
			to_ns <= $to"
		a=$(sql "$f" "SELECT (SELECT count(*) FROM event_all WHERE cpu = $cpu)
			+ (SELECT coalesce(sum(events), 0) FROM loss WHERE $inside)")
		holes=$(sql "$f" "SELECT coalesce(group_concat('ts BETWEEN ' ||
			from_ns || ' AND ' || to_ns, ' OR '), '0') FROM loss
			WHERE $inside" | tr -d '"')
		b=$(sql "$g" "SELECT (SELECT count(*) FROM event_all WHERE cpu = $cpu
			AND ts BETWEEN $from - 1000 AND $to + 1000)
			+ (SELECT count(*) FROM sched_process_fork
			WHERE cpu = $cpu AND ($holes))
			+ (SELECT coalesce(sum(events), 0) FROM loss WHERE $inside)")
		check "small: CPU $cpu: recorded and lost $a, there were $b" \
			"$((a - b >= -4 && a - b <= 4))" 1
	done < <(sql "$f" "SELECT cpu, min(ts), max(ts) FROM event_all GROUP BY cpu")
}

# --- kill: ten recorders are killed while one records everything.
cat >"$tmp/part_kill" <<'SCRIPT'
cat >/tmp/kill.sh <<'EOF'
. /share/common
for i in 1 2 3 4; do stir & done
i=0
while [ $i -lt 10 ]; do
	homenode record -q --no-memory --no-faults --spool-only \
		-o /tmp/k$i -d 300s 2>/tmp/k$i.log &
	pid=$!
	# Three at any moment from their start, the others while they record.
	[ $i -lt 3 ] || begun $pid
	usleep $(($(head -c 2 /dev/urandom | od -An -tu2) * 60))
	kill -9 $pid
	wait $pid 2>/dev/null
	i=$((i + 1))
done
echo "kill_before=$(instances)"
homenode record --no-memory --no-faults -o /tmp/after.homenode -- true \
	2>/share/kill.log
echo "kill_after=$(instances)"
for i in $(jobs -p); do kill $i; done
EOF
homenode record -q -b 8M --no-memory --no-faults --spool-only -o /tmp/all \
	-- sh /tmp/kill.sh
cp -r /tmp/k*.spool /tmp/all.spool /share/
SCRIPT

# All of a CPU between the first and the last event that a killed one has of it
# is there.  One that was killed before it first emptied the buffers had written
# no event, and importing says so.
check_kill() {
	local g=$tmp/all.homenode spool f readable=0 early=0 events=0
	local cpu from to a b
	"$hn" import "$tmp/all.spool" -o "$g" >"$tmp/import.log" 2>&1
	check "kill: the last one's instance was left" "$(value kill_before)" 2
	check "kill: the next start removed it" "$(value kill_after)" 1
	check "kill: and said so" \
		"$(grep -c 'removed 1 tracing instance' "$tmp/kill.log")" 1
	check "kill: the one that recorded all lost nothing" \
		"$(sql "$g" 'SELECT count(*) FROM loss')" 0
	for spool in "$tmp"/k*.spool; do
		f=$spool.homenode
		if ! "$hn" import "$spool" -o "$f" >"$tmp/import.log" 2>&1; then
			grep -q 'has no events' "$tmp/import.log" &&
				early=$((early + 1)) || cat "$tmp/import.log"
			continue
		fi
		readable=$((readable + 1))
		while IFS=, read -r cpu from to a; do
			b=$(sql "$g" "SELECT count(*) FROM event_all WHERE
				cpu = $cpu AND ts BETWEEN $from - 1000 AND $to + 1000")
			events=$((events + a))
			[ $((a - b)) -ge -4 ] && [ $((a - b)) -le 4 ] ||
				check "kill: $(basename "$spool"), CPU $cpu" "$a" "$b"
		done < <(sql "$f" "SELECT cpu, min(ts), max(ts), count(*)
			FROM event_all GROUP BY cpu")
	done
	check "kill: each spool can be read, or has nothing yet" \
		"$((readable + early))" "$(ls -d "$tmp"/k*.spool | wc -l)"
	check "kill: $readable had written events, three at least" \
		"$((readable >= 3))" 1
	check "kill: $events events were compared" "$((events > 1000))" 1
}

# --- full: a disk of 250 KiB.
cat >"$tmp/part_full" <<'SCRIPT'
mkdir /tmp/disk
mount -t tmpfs -o size=250k disk /tmp/disk
for i in 1 2 3 4 5 6 7 8; do stir & done
homenode record -o /tmp/disk/x.homenode --no-memory --no-faults -d 60s \
	2>/share/full.log
echo "full_status=$?"
for i in $(jobs -p); do kill $i; done
echo "full_instances=$(instances)"
cp -r /tmp/disk/x.homenode.spool /share/full.spool
umount /tmp/disk
SCRIPT

check_full() {
	check "full: it fails" "$(value full_status)" 1
	check "full: and says why, and where what was recorded is" \
		"$(grep -c 'No space left on device.*kept in' "$tmp/full.log")" 1
	check "full: no instance is left" "$(value full_instances)" 0
	"$hn" import "$tmp/full.spool" -o "$tmp/full.homenode" >/dev/null 2>&1
	check "full: it can be read elsewhere" $? 0
	check "full: with what had been written" "$(sql "$tmp/full.homenode" \
		'SELECT count(*) > 200 FROM event')" 1
}

# --- user: somebody else traces, with settings of his own, before, during and
# after two recordings at the same time.
cat >"$tmp/part_user" <<'SCRIPT'
settings() {
	cat $tracing/trace_clock $tracing/buffer_size_kb $tracing/set_event \
		$tracing/current_tracer $tracing/tracing_on \
		$tracing/trace_options $tracing/tracing_cpumask
}
entries() {
	cat $tracing/per_cpu/cpu*/stats | awk '
		/^entries|^overrun|^read/ { n += $NF }
		END { print n }'
}
echo global >$tracing/trace_clock
echo 777 >$tracing/buffer_size_kb
echo sched:sched_wakeup >$tracing/set_event
echo norecord-cmd >$tracing/trace_options
before=$(settings) had=$(entries)
homenode record -q -o /tmp/one.homenode -- sh -c '
	homenode record -q -o /tmp/two.homenode -- sh -c "
		usleep 300000; true; usleep 300000"'
echo "user_status=$?"
[ "$before" = "$(settings)" ] && echo "user_settings=same"
[ "$(entries)" -gt "$had" ] && echo "user_trace=goes on"
echo "user_instances=$(instances)"
echo >$tracing/set_event
cp /tmp/one.homenode /tmp/two.homenode /share/
SCRIPT

check_user() {
	check "user: status" "$(value user_status)" 0
	check "user: clock, buffers, events, options are as they were" \
		"$(value user_settings)" same
	check "user: his trace went on" "$(value user_trace)" "goes on"
	check "user: no instance is left" "$(value user_instances)" 0
	for f in one two; do
		check "user: recorder $f has events and lost none" "$(sql \
			"$tmp/$f.homenode" "SELECT (SELECT count(*) > 100 FROM
			event), (SELECT count(*) FROM loss)")" 1,0
	done
}

# --- namespace: a workload in a pid namespace of its own.
cat >"$tmp/part_namespace" <<'SCRIPT'
homenode record -q -o /tmp/ns.homenode --sample-budget 50 -- unshare -p -f sh -c '
	usleep 300000
	workload --mem 8 --seconds 2 --rest 1 >/share/ns.witness
	true'
cp /tmp/ns.homenode /share/
SCRIPT

check_namespace() {
	local f=$tmp/ns.homenode inner
	"$hn" report "$f" >/dev/null
	inner=$(field pid "$(grep 'witness thread' "$tmp/ns.witness")")
	check "namespace: the workload has a small pid in it" \
		"$((inner > 0 && inner < 20))" 1
	check "namespace: one task has this pid, and another one outside" \
		"$(sql "$f" "SELECT count(*), min(tid = pid) FROM task WHERE
		comm = 'workload' AND nspid = tid || ' $inner' AND tid > $inner")" 1,1
	check "namespace: it is the one that ran" "$(sql "$f" "SELECT sum(len_ns) >
		100000000 FROM spans WHERE run = 0 AND tid = (SELECT tid FROM task
		WHERE nspid LIKE '% $inner' AND comm = 'workload')")" 1
	check "namespace: its memory is known" "$(sql "$f" "SELECT count(*) > 0
		FROM area a JOIN task t ON t.id = a.proc WHERE
		t.nspid LIKE '% $inner' AND a.bytes = 8388608")" 1
}

{
	echo '. /share/common'
	for part in $parts; do
		echo "echo \"begin $part \$(cut -d' ' -f1 /proc/uptime)\""
		cat "$tmp/part_$part"
	done
} >"$tmp/job.sh"
limit=900
guest --mem 1536 "$@"
grep '^begin' "$tmp/out"
for part in $parts; do
	check_$part
done
finish

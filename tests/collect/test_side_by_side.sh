#!/bin/sh
# SPDX-License-Identifier: MIT
# The same moment recorded by homenode record and by perf has the same switches
# on each CPU in the same order, and importing perf's file gives what perf script
# reads in it, to the nanosecond.  Needs tracefs, root and perf.
#
# The two stamp an event one after the other and may be interrupted in between,
# so times of the one are not those of the other: what homenode has of a CPU but
# for its edges must stand in one piece in what perf has, which is longer.
hn=${HOMENODE:?}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

[ "$(id -u)" = 0 ] || { echo "skipped: not root"; exit 77; }
command -v perf >/dev/null 2>&1 || { echo "skipped: no perf"; exit 77; }
perf record -q -a -m 4M -k mono -o p.data -e sched:sched_switch -- true \
	>out 2>&1 ||
	{ echo "skipped: perf cannot record: $(tail -n 1 out)"; exit 77; }
"$hn" record -q --no-memory --no-faults -o a.hn -- true >out 2>&1 ||
	{ echo "skipped: homenode cannot record: $(tail -n 1 out)"; exit 77; }

fail() { echo "$*"; exit 1; }

cat >load.sh <<'END'
i=0
while [ $i -lt 60 ]; do
	echo $i | cat | tr 0-9 a-j >x
	i=$((i + 1))
done
END
perf record -q -a -m 4M -k mono -o p.data -e sched:sched_switch -- \
	"$hn" record -q --no-memory --no-faults -o a.hn --force -- sh load.sh \
	>out 2>&1 || fail "recording: $(cat out)"
"$hn" import -o p.hn p.data >out 2>&1 || fail "import: $(cat out)"

# CPU, time, from, to of every switch, in order of time on each CPU.
switches() { # FILE
	"$hn" sql "$1" "SELECT cpu || ' ' || ts || ' ' || prev_pid || ' ' ||
		next_pid AS line FROM sched_switch ORDER BY cpu, at" --csv | tr -d '\r' |
		sed 1d
}
switches a.hn >ours
switches p.hn >theirs
[ "$(wc -l <ours)" -gt 200 ] || fail "only $(wc -l <ours) switches recorded"
for f in a p; do
	lost=$("$hn" info $f.hn --json | jq .loss_intervals)
	[ "$lost" = 0 ] || fail "$f.hn: $lost losses in a small recording"
done

# perf script's own reading of perf's file.
perf script -i p.data --ns -F cpu,time,event,trace 2>/dev/null | sed -n \
	's/^ *\[0*\([0-9][0-9]*\)\] *\([0-9]*\)\.\([0-9]*\): *sched:sched_switch: .*prev_pid=\([0-9]*\) prev_prio.* next_pid=\([0-9]*\) next_prio.*/\1 \2\3 \4 \5/p' |
	sort -s -k 1,1n -k 2,2n >script
sort -s -k 1,1n -k 2,2n theirs >imported
cmp -s script imported ||
	fail "perf script and import differ: $(diff script imported | head -4)"

# Edges: what one of the two may have begun or ended in between, 2 ms.
awk '
	FILENAME == "ours" {
		if (n[$1]++ == 0)
			first[$1] = $2
		last[$1] = $2
		cpu[n_ours] = $1; at[n_ours] = $2; pair[n_ours++] = $3 ">" $4
		next
	}
	{ their[$1] = their[$1] " " $3 ">" $4 }
	END {
		for (i = 0; i < n_ours; i++)
			if (at[i] > first[cpu[i]] + 2e6 &&
			    at[i] < last[cpu[i]] - 2e6) {
				our[cpu[i]] = our[cpu[i]] " " pair[i]
				nr[cpu[i]]++
			}
		for (c in our) {
			if (!index(their[c] " ", our[c] " ")) {
				print "CPU " c ": perf has not the same " \
					nr[c] " switches in this order"
				bad = 1
			}
			all += nr[c]
		}
		if (all < 150) {
			print "only " all " switches to compare"
			bad = 1
		}
		exit bad
	}' ours theirs || exit 1

#!/bin/bash
# SPDX-License-Identifier: MIT
# What recording costs: hackbench alone, under homenode record and under perf
# record of the same events, in turn, medians.  Called by `make bench`
# (HOMENODE: the program).  Never fails on a time; 1 where nothing can be
# recorded.
#
#	ROUNDS=7 BENCH_LOOPS=20000 BENCH_GROUPS=4 HOMENODE=./homenode \
#		tests/bench/record.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
hn=${HOMENODE:?}
rounds=${ROUNDS:-5} loops=${BENCH_LOOPS:-2000} groups=${BENCH_GROUPS:-4}
work=$(mktemp -d "${TMPDIR:-/tmp}/homenode-record.XXXXXX")
trap 'rm -rf "$work"' EXIT
cc -O2 -D_GNU_SOURCE -o "$work/timed" "$here/timed.c" || exit 1
events=sched:sched_switch,sched:sched_migrate_task,sched:sched_waking
events+=,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_process_fork
events+=,sched:sched_process_exec,sched:sched_process_exit
for e in sched:sched_move_numa sched:sched_swap_numa sched:sched_stick_numa \
	migrate:mm_migrate_pages; do
	[ -d "/sys/kernel/tracing/events/${e/://}" ] && events+=,$e
done

load=(hackbench -g "$groups" -l "$loops")

# Appends "TIME CPU" of one run: the seconds that hackbench says it took, and
# the CPU seconds of everything together, the recorder's included.
run() { # kind
	case $1 in
	alone) set -- alone "${load[@]}" ;;
	recorded | sampled)
		rm -rf "$work/r.spool"
		set -- "$1" "$hn" record -q --no-faults --spool-only \
			$([ "$1" = recorded ] && echo --no-memory) \
			-o "$work/r" -- "${load[@]}" ;;
	perf)
		set -- perf perf record -q -a -B -N -o "$work/perf.data" \
			-e "$events" -- "${load[@]}" ;;
	esac
	kind=$1
	shift
	"$work/timed" "$@" 3>"$work/t" >"$work/out" 2>"$work/errors" || {
		tail -n 1 "$work/errors" >&2
		return 1
	}
	read -r _ cpu _ <"$work/t"
	echo "$(sed -n 's/^Time: //p' "$work/out") $cpu" >>"$work/$kind"
}

median() { # kind column
	awk -v c="$2" '{ print $c }' "$work/$1" | sort -n |
		awk '{ v[NR] = $1 }
			END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

kinds="alone recorded sampled"
command -v perf >/dev/null 2>&1 && kinds+=" perf"
for ((i = 0; i < rounds; i++)); do
	for k in $kinds; do
		run "$k" || exit 1
	done
done

printf '%s, %d rounds in turn, medians; /alone: ratio to hackbench alone\n' \
	"${load[*]}" "$rounds"
printf '%-42s %8s %8s %8s %8s\n' "" "wall s" "/alone" "CPU s" "/alone"
row() { # kind label
	printf '%-42s %8.2f %8.3f %8.2f %8.3f\n' "$2" "$(median "$1" 1)" \
		"$(awk "BEGIN { print $(median "$1" 1) / $(median alone 1) }")" \
		"$(median "$1" 2)" \
		"$(awk "BEGIN { print $(median "$1" 2) / $(median alone 2) }")"
}
row alone "hackbench alone"
row recorded "homenode record --no-memory"
row sampled "homenode record (samples of memory too)"
if [ -s "$work/perf" ]; then
	row perf "perf record -a, the same events"
	# CPU seconds more than alone in the same round: quartiles.
	over() { # kind
		paste -d ' ' "$work/$1" "$work/alone" |
			awk '{ print $2 - $4 }' | sort -n | awk '{ v[NR] = $1 }
				function at(q, i) {
					i = 1 + q * (NR - 1)
					f = i - int(i)
					i = int(i)
					return v[i] * (1 - f) + v[i + 1] * f
				}
				END { print at(.5), at(.25), at(.75) }'
	}
	read -r ours low high <<<"$(over recorded)"
	printf 'CPU s more than alone, homenode: %.3f (quartiles %.3f, %.3f)\n' \
		"$ours" "$low" "$high"
	read -r theirs low high <<<"$(over perf)"
	printf 'CPU s more than alone, perf:     %.3f (quartiles %.3f, %.3f)\n' \
		"$theirs" "$low" "$high"
	printf 'overhead, homenode / perf (CPU): %.2f   aim: < 1\n' \
		"$(awk "BEGIN { print $ours / $theirs }")"
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line as a whole: help, usage errors (exit 2), input errors (exit
# 1, one line, nothing written), output that cannot be written.
. "$(dirname "$0")/support/expect.sh"

expect 0 '' "$hn" --version
grep -qE '^homenode [0-9]+\.[0-9]+\.[0-9]+$' "$dir/out" || fail "--version"
expect 2 '^usage: homenode COMMAND' "$hn"
expect 2 "^homenode: no command 'frobnicate'" "$hn" frobnicate
expect 2 "^homenode: no command 'x'" "$hn" help x

for c in record import info report policies replay fidelity compare image export \
	tui sql; do
	expect 0 '' "$hn" help $c
	grep -q "^usage: homenode $c" "$dir/out" || fail "help $c shows no usage"
	awk 'length > 80 {exit 1}' "$dir/out" || fail "help $c is wider than 80"
	expect 0 '' "$hn" $c --help
	expect 2 "^homenode: unknown option '--nonsense'" "$hn" $c --nonsense
	case $c in
	record | policies) ;;
	*) expect 2 '^usage:' "$hn" $c ;;
	esac
done

# What is no homenode file is one error that names the file, and exit 1.
: >"$dir/empty"
echo 'this is not a database, but long enough to have a header of one, is it?' \
	>"$dir/text"
for c in info report "replay -p o1" "compare recorded 0" image \
	"export --format csv" tui sql; do
	for f in empty text none .; do
		set -- $c
		cmd=$1
		shift
		case $cmd in
		image) set -- -o "$dir/x.png" ;;
		tui) set -- --script /dev/null ;;
		esac
		case $c in
		compare*) expect 1 "^homenode: '$dir/$f'" "$hn" compare "$dir/$f" recorded 1 ;;
		*) expect 1 "^homenode: '$dir/$f'" "$hn" $cmd "$dir/$f" "$@" ;;
		esac
		[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "not one line: $cmd $f"
	done
done
[ ! -e "$dir/x.png" ] || fail "a picture of nothing was written"

# sql derives what happened first: a span ends at each switch away from a task
# (18442 lines of `trace-cmd report` have a prev_pid other than 0), and two run
# on at the end.
cp "$(dirname "$0")/data/numatest8-nb0-r1.dat" "$dir/t.dat"
expect 0 "" "$hn" import "$dir/t.dat" -o "$dir/t.homenode"
expect 0 "" "$hn" sql "$dir/t.homenode" --csv "SELECT count(*) FROM spans"
[ "$(tail -n 1 "$dir/out" | tr -d "\r")" = 18444 ] || fail "not 18444 spans"
expect 0 "" "$hn" sql "$dir/t.homenode" .tables
grep -q "^sched_switch  *view" "$dir/out" || fail ".tables names no view"
expect 2 "reading only" "$hn" sql "$dir/t.homenode" "DELETE FROM event"

# Groups of tasks are not there in a replay: said where the kernel had them.
for on in 0 1; do
	expect 0 "" "$hn" import -f "$dir/t.dat" -o "$dir/g.homenode" \
		--topology "numa:4 core:2 pu:1" \
		--knob kernel.sched_autogroup_enabled=$on
	expect 0 "" "$hn" replay "$dir/g.homenode" -p recorded
	grep -q sched_autogroup "$dir/err" && fail "recorded warns of groups"
	expect 0 "" "$hn" replay "$dir/g.homenode" -p fair
	[ "$(grep -c sched_autogroup "$dir/err")" -eq $on ] || fail "autogroup $on"
done

# A full device under stdout is an error, not a silent success.
if [ -w /dev/full ]; then
	"$hn" help record >/dev/full 2>"$dir/err"
	[ $? -eq 1 ] || fail "help to /dev/full"
fi
exit $bad

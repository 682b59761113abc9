#!/bin/sh
# SPDX-License-Identifier: MIT
# A task whose name would set the terminal's title and colour: whatever shows it
# on a terminal shows it escaped; files and pipes get its bytes.
hn=${HOMENODE:?}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
command -v script >/dev/null || { echo "skipped: no script"; exit 77; }
bad=0

esc=$(printf '\033') bel=$(printf '\007')
evil="$esc[7m$esc]0;x$bel"
switch() {
	printf ' x-%s [000] %s: sched_switch: prev_comm=%s prev_pid=%s prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%s next_prio=120\n' \
		"$3" "$1" "$2" "$3" "$4" "$5"
}
{
	switch 1.0 swapper/0 0 "$evil" 11
	switch 1.1 "$evil" 11 b 12
	switch 1.2 b 12 "$evil" 11
	switch 1.3 "$evil" 11 swapper/0 0
} >t.txt
"$hn" import -o a.hn --topology 'numa:2 pu:1' t.txt >/dev/null || exit 1
"$hn" replay a.hn -p o1 >/dev/null 2>&1 || exit 1

# How many times a terminal would be told something by the name.
seen() {
	grep -cF -e "$esc[7m" -e "$esc]0" "$1"
}

# terminal LEAST COMMAND...: run with a terminal for all that it prints; the
# name is shown, escaped, in at least so many lines.
terminal() {
	least=$1
	shift
	for word; do
		printf "'%s' " "$word"
	done >command
	script -qec "sh ./command" screen </dev/null >/dev/null 2>&1
	[ "$(seen screen)" -eq 0 ] || {
		echo "reaches the terminal: homenode $*" | cat -v
		bad=1
	}
	[ "$(grep -cF '\x1b' screen)" -ge "$least" ] || {
		echo "does not show the name: homenode $*" | cat -v
		cat -v screen
		bad=1
	}
}

terminal 1 "$hn" report a.hn
terminal 1 "$hn" report a.hn --csv
terminal 0 "$hn" report a.hn --json
terminal 0 "$hn" report a.hn --comm "$evil-none"
terminal 1 "$hn" heatmap a.hn
terminal 1 "$hn" compare a.hn recorded o1 -n 0
terminal 1 "$hn" compare a.hn recorded o1 -n 0 --csv
terminal 1 "$hn" sql a.hn 'SELECT comm FROM task'
terminal 1 "$hn" sql a.hn --csv 'SELECT comm FROM task'
terminal 0 "$hn" sql a.hn --json 'SELECT comm FROM task'
terminal 1 "$hn" sql a.hn "SELECT \"$evil"
terminal 1 "$hn" info "$evil"
terminal 0 "$hn" info a.hn
printf 'no trace\n' >"$evil.dat"
terminal 1 "$hn" import -f -o x.hn "$evil.dat"
terminal 1 "$hn" import -f -o "$evil.hn" t.txt
terminal 1 "$hn" replay a.hn -p "$evil"
terminal 1 "$hn" "$evil"
terminal 1 "$hn" export a.hn --format "$evil"
terminal 1 "$hn" export a.hn --format csv
terminal 1 "$hn" export a.hn --format text
terminal 0 "$hn" export a.hn --format json
terminal 0 "$hn" export a.hn --format chrome
terminal 0 "$hn" tui a.hn --script /dev/null
echo "save-screen s.txt" >keys
"$hn" tui a.hn --script keys >/dev/null 2>&1
grep -qF '\x1b' s.txt || { echo "the TUI does not show it"; bad=1; }
[ "$(seen s.txt)" -eq 0 ] || { echo "the TUI shows it raw"; bad=1; }

"$hn" sql a.hn --csv 'SELECT comm FROM task' >out
[ "$(seen out)" -ge 1 ] || { echo "sql --csv changes a name for a pipe"; bad=1; }
"$hn" report a.hn --csv | cat >out
[ "$(seen out)" -ge 1 ] || { echo "report --csv changes a name"; bad=1; }
"$hn" export a.hn --format text >out
[ "$(seen out)" -ge 1 ] || { echo "export changes a name"; bad=1; }
exit $bad

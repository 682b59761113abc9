#!/bin/sh
# SPDX-License-Identifier: MIT
# The terminal program on what is smallest and oddest: one CPU, one node, a node
# without CPUs, nothing known of memory, a run without length, and what the user
# cannot mean.
. "$(dirname "$0")/../support/strict.sh"

play() { # size file: the script is on stdin
	cat > keys
	"$HOMENODE" tui --script keys --ascii --size "$1" "$2" ||
		fail "tui $2: status $?"
}

refused() { # status text arguments
	want=$1 text=$2
	shift 2
	status=0
	"$HOMENODE" tui "$@" > out 2>&1 || status=$?
	[ $status -eq "$want" ] || { cat out; fail "$*: status $status"; }
	has out "$text"
}

# Task 42 is on CPU 0 for half a second.
cat > one.txt <<'END'
          <idle>-0     [000] d..2.   100.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=job next_pid=42 next_prio=120
             job-42    [000] d..2.   100.500000: sched_switch: prev_comm=job prev_pid=42 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
head -n 1 one.txt > single.txt
"$HOMENODE" import one.txt -o one.hn --topology "numa:1 pu:1" > /dev/null
"$HOMENODE" import one.txt -o empty-node.hn --topology "numa:2 pu:2" \
	--memory-node 2=1G > /dev/null
"$HOMENODE" import single.txt -o single.hn > /dev/null 2>&1

for size in 80x24 40x10 200x60; do
	for file in one.hn empty-node.hn single.hn; do
		# every view, as far in and as far out as there is
		play $size $file <<'END'
key 1 2 3 4 5 6 7 8 2 Enter Enter Enter
key + + + + + + + + + + + + + + + + + + + + + + + + + + + + + + + +
key 3 4 5 6 7 8 2 Left Left Right > < n N . , v Right z i i o a t T S m m m
key f - - 4 5 6 7 8 ?
END
	done
done

play 80x24 one.hn <<'END'
save-screen tasks
key n
save-screen moves
key 4
save-screen cpus
key 6
save-screen memory
key 7
save-screen compare
key r
save-screen runs
key 2 g
type 9s
key Enter
save-screen beyond
key g
type soon
key Enter
save-screen no-time
key g
type @100.25s
key Enter
save-screen clock
key /
type nobody
key Enter
save-screen nobody
key / Esc w ^U
type /nonexistent/x.png
key Enter
save-screen unwritable
END
has tasks "job 42"
has tasks "memory unknown"
has tasks "pages: not known"
has moves "no further node migration of this task"
has cpus "cpu 0"
has memory "nothing is known of memory"
has compare "nothing to compare"
has runs "this file has one run"
has beyond "the run is 500 ms long"
has no-time "soon"
has clock "250 ms +"
has nobody "nothing has this in its name"
has unwritable "/nonexistent/x.png"

play 80x24 empty-node.hn <<'END'
save-screen tasks
key 5
save-screen nodes
END
has tasks "node 2 (no cpu)"
has nodes "node 1"
if grep -q "^ *node 2 " nodes; then
	fail "a node without CPUs has a row"
fi

play 80x24 single.hn <<'END'
save-screen tasks
END
has tasks "0 on CPU"

touch keys
refused 1 "there is 0 (recorded" one.hn nosuch --script keys
refused 2 "at most two runs" one.hn 0 0 0 --script keys
refused 2 "a file is missing" --script keys
refused 1 "nofile.hn" nofile.hn --script keys
refused 1 "not a homenode file" one.txt --script keys
refused 2 "there are: light, dark" one.hn --theme blue --script keys
refused 2 "none, 8, 256 or rgb" one.hn --colours 3 --script keys
for size in 80 80x 0x0 39x10 40x9 2001x10 40x2001 80x24x; do
	refused 2 "COLUMNSxLINES is wanted, 40x10 to 2000x2000" \
		one.hn --size $size --script keys
done
"$HOMENODE" tui one.hn --size 40x10 --script keys
mkdir keys.d
refused 1 "cannot read 'keys.d'" one.hn --script keys.d
refused 1 "nokeys" one.hn --script nokeys
refused 2 "terminal" one.hn < /dev/null

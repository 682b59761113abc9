#!/bin/sh
# SPDX-License-Identifier: MIT
# homenode import as people meet it: what it writes, and that a bad input or an
# output that cannot be written is one message, exit 1 and no file.
hn=${HOMENODE:?}
data=$(cd "$(dirname "$0")/../data" && pwd) || exit 1
dat=$data/numatest8-nb0-r1.dat
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
[ -r "$dat" ] || { echo "skipped: no $dat"; exit 77; }

fail() {
	echo "$*"
	head -c 2000 out err
	bad=1
}

# run STATUS COMMAND...
run() {
	want=$1
	shift
	"$@" >out 2>err </dev/null
	status=$?
	[ $status -eq "$want" ] || fail "exit $status, not $want: $*"
}

# refused PATTERN ARGUMENTS...: exit 1, one line that has the pattern, no file
refused() {
	pattern=$1
	shift
	run 1 "$hn" import "$@"
	grep -qE -- "$pattern" err || fail "no '$pattern' from: $*"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one line from: $*"
	[ ! -s out ] || fail "output in spite of an error: $*"
	[ -z "$(find . -name '*homenode*' -type f)" ] || fail "a file is left: $*"
}

refused "cannot open 'none.dat'" none.dat
refused "'.' is a folder, and not the spool" .
mkdir threads
printf 'PERFILE2xxxxxxxxxx' >threads/data
refused "'threads' is a folder of perf record --threads" threads
rm -r threads
: >empty.dat
refused "'empty.dat' is empty" empty.dat
printf 'PERFILE2 and more' >perf.data
refused "is cut off" perf.data
for n in 12 100 3000 500000 905000 1200000 1498200; do
	head -c $n "$dat" >cut.dat
	refused "'cut.dat': " cut.dat
done
head -c 1400000 "$dat" >cut.dat
refused "it is cut, and what tells whose" --partial cut.dat
refused "cannot|No such" -o nowhere/x.homenode "$dat"

# Good ones.  Without -o the name goes to the current folder.
run 0 "$hn" import "$dat"
[ -s numatest8-nb0-r1.homenode ] || fail "no numatest8-nb0-r1.homenode"
grep -q '^numatest8-nb0-r1.homenode: 89430 events' out || fail "summary"
grep -q 'one node assumed' err || fail "nothing said of the topology"
[ "$(stat -c %a numatest8-nb0-r1.homenode)" = 600 ] || fail "mode"
sum=$(cksum <numatest8-nb0-r1.homenode)
run 1 "$hn" import "$dat"
grep -q "numatest8-nb0-r1.homenode': exists" err || fail "says not that it exists"
[ "$sum" = "$(cksum <numatest8-nb0-r1.homenode)" ] || fail "the file was changed"
head -c 3000 "$dat" >cut.dat
run 1 "$hn" import --force -o numatest8-nb0-r1.homenode cut.dat
[ "$sum" = "$(cksum <numatest8-nb0-r1.homenode)" ] || fail "an error changed it"

run 0 "$hn" import --force --json --topology 'numa:4 l3:1 core:2 pu:1' \
	--distance '0,3=31' --numa-maps "${dat%.dat}.numa_maps.txt" \
	-k kernel.numa_balancing=0 -o numatest8-nb0-r1.homenode "$dat"
[ ! -s err ] || fail "remarks in spite of a topology"
for want in '"events":89430' '"sched_switch":18847' '"lost":0' '"cpus":8' \
	'"repairs":{}' '"output":"numatest8-nb0-r1.homenode"'; do
	grep -qF "$want" out || fail "no $want"
done
run 0 "$hn" sql numatest8-nb0-r1.homenode "SELECT count(*) || ' ' || (SELECT \
	value FROM knob) || ' ' || (SELECT distance FROM distance WHERE \
	from_node = 3 AND to_node = 0) AS x FROM node"
grep -q '4 0 31' out || fail "settings"

# Two imports of one file are the same, byte by byte.
run 0 "$hn" import -o a.homenode "$dat"
run 0 "$hn" import -o b.homenode "$dat"
cmp a.homenode b.homenode || fail "two imports differ"

run 2 "$hn" import
run 2 "$hn" import a b
run 2 "$hn" import --topology numa:x "$dat" -o x.homenode
run 2 "$hn" import --distance 10 "$dat" -o x.homenode
run 2 "$hn" import --knob novalue "$dat" -o x.homenode
run 2 "$hn" import --buffer nobody "$dat" -o x.homenode
[ ! -e x.homenode ] || fail "a usage error left a file"
exit $bad

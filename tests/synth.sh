#!/bin/sh
# SPDX-License-Identifier: MIT
# Generated work is an ordinary file for every command, but has no recorded run.
set -u
H=${HOMENODE:-./homenode}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

fail() {
	echo "$1"
	cat out
	failed=1
}

# good WORDS COMMAND...: succeeds and says so
good() {
	want=$1
	shift
	"$H" "$@" >out 2>&1 || fail "homenode $*: failed"
	[ -z "$want" ] || grep -q -e "$want" out || fail "homenode $*: does not say '$want'"
}

# bad STATUS WORDS COMMAND...: fails with one message
bad() {
	status=$1 want=$2
	shift 2
	"$H" "$@" >out 2>&1
	got=$?
	[ $got -eq "$status" ] || fail "homenode $*: status $got, not $status"
	[ -z "$want" ] || grep -q -e "$want" out || fail "homenode $*: does not say '$want'"
}

good 'kernbench' synth
good 'hackbench_at' synth numa_test
bad 2 'no workload' synth nothing -o f
bad 2 'it has: jobs' synth numa_test,job=1 -o f
bad 2 '-o F' synth numa_test 4
[ ! -e f ] || fail 'a file was left behind'
good '16 CPUs' synth numa_test,alone=200ms,touch=20ms,hackbench_loops=1 4 -o f
cp f first
bad 1 'exists' synth numa_test 4 -o f
cmp f first || fail 'a refused synth changed the file'

# Before a replay there is nothing to see, and the files says so.
good 'source.*synth numa_test jobs=4' info f
bad 1 'no recorded run' report f
bad 1 'no recorded run' image f -o x.png
bad 1 'no recorded run' tui f --script /dev/null
bad 1 'no recorded run' compare f 1 2
bad 2 'was generated' replay f -p recorded

good 'node-affine' replay f -p o1 -p node-affine --cost azusa --seeds 2
good 'randupdt' report f o1,seed=1
good 'all tasks' compare f o1 node-affine
good '' tui f --script /dev/null
# The cost of another replay must not make the work anew.
good 'o1' replay f -p o1 --cost remote=2
good 'randupdt' report f 1 --json
[ "$("$H" sql f 'SELECT count(*) FROM demand_task')" != 0 ] ||
	fail 'the work is gone'

# Weights of accesses: each thread of numa02 uses its own part only.
good '25 tasks' synth numa02,passes=2 -o g
[ "$("$H" sql g 'SELECT count(*) FROM access' | tail -1 | tr -d " ")" = 24 ] ||
	fail 'numa02 has no 24 weights'
good 'o1' replay g -p o1

# Rules of bind from a file.
printf '# jobs\ncomm=numa02 nodes=1 mem=0,1\t# all\n' >rules
good 'bind' replay g -p bind,file=rules
[ "$("$H" sql g "SELECT count(*) FROM spans WHERE node = 0 AND run =
	(SELECT id FROM run WHERE policy = 'bind')" | tail -1 | tr -d ' ')" = 0 ] ||
	fail 'bind did not bind'
bad 1 'cannot open' replay g -p bind,file=none

# Machines by name.
good '24 CPUs' synth numa01,passes=1 -o h --topology westmere
good '48 CPUs' synth hackbench,loops=1 1 -o i --topology kunpeng920

# Published tables beside simulated ones; a table's knobs and columns can be
# replaced.
small='-n 2 -w files=20'
good 'gain' reproduce kernbench $small
good '"table":"kernbench","row":"build","column":"with","figure":"E"' \
	reproduce kernbench $small --json
good '"mean_error":{"kernbench":{"TU":' reproduce kernbench $small --json
cp out first
good '' reproduce kernbench $small --json -j 3
cmp out first || fail 'reproduce depends on --jobs'
good '"figure":"gain","published":[0-9.]*,"simulated":0,' \
	reproduce kernbench $small --json -p with=o1,hz=1000
bad 2 'there are: numa_test, cluster' reproduce nothing
bad 2 'a column of another' reproduce kernbench -p G=o1
bad 2 'from 2 to' reproduce kernbench -n 1
exit $failed

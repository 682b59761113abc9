#!/bin/sh
# SPDX-License-Identifier: MIT
# Plug-ins from the user's side: the installed headers, the template, objects
# that are none, and policies that crash in one replay of several.
. "$(dirname "$0")/support/expect.sh"
top=$(cd "$(dirname "$0")/.." && pwd)
so=$(dirname "$(readlink -f "$hn")")/tests/plugin
# A crash is to be one, not a report of the sanitizer.
export ASAN_OPTIONS=handle_segv=0:handle_abort=0:handle_sigbus=0

# Each header compiles alone where it is installed, in both compilers, and
# nothing of the source is needed.
make -s -C "$top" install-headers PREFIX="$dir/inst" >/dev/null || exit 1
export PKG_CONFIG_PATH="$dir/inst/share/pkgconfig"
flags="-std=c11 -pedantic -Wall -Wextra -Werror $(pkg-config --cflags homenode)"
cd "$dir" || exit 1
for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	for h in $(cd inst/include/homenode && find . -name '*.h'); do
		echo "#include <${h#./}>" >one.c
		expect 0 '' $cc $flags -c -o one.o one.c
	done
done

# The command that the template states builds it as it is, and it works.
expect 0 '' "$hn" policies --template
cp out mine.c
sed -n 's/^ \*	\(cc .*\)/\1/p' mine.c >build.sh
[ "$(wc -l <build.sh)" -eq 1 ] || fail "not one command in the template"
expect 0 '' sh -e build.sh
expect 0 '' gcc $flags -Wno-unused-parameter -shared -fPIC -o strict.so mine.c
expand mine.c | awk 'length > 80 {print; exit 1}' >out ||
	fail "the template is wider than 80"
expect 0 '' "$hn" policies ./mine.so
grep -q '^far  *3  *tasks' out || fail "no knob 'far'"
expect 0 '' "$hn" synth numa_test,hackbench=0 2 -o w.hn
expect 0 '' "$hn" replay w.hn -p ./mine.so,far=2 -p stay --json
expect 0 '' "$hn" sql w.hn --csv "SELECT policy, json_extract(knobs, '\$.plugin'),
	length(json_extract(knobs, '\$.plugin_hash')), json_extract(knobs, '\$.far')
	FROM run WHERE id = 1"
grep -q '^mine,mine.so,16,2' out || fail "the run does not name its plug-in"
expect 0 '' "$hn" info w.hn
expect 0 '' "$hn" compare w.hn mine stay

# Another build under the same name is another run, the same one is not.
expect 0 'was in the file already' "$hn" replay w.hn -p ./mine.so,far=2
sed 's/idle CPUs pull in/idle ones pull in/' mine.c >other.c
cmp -s mine.c other.c && fail "the template has changed: mend this test"
mv mine.so first.so
sed 's/mine\.c/other.c/' build.sh >other.sh
expect 0 '' sh -e other.sh
expect 0 '' "$hn" replay w.hn -p ./mine.so,far=2
grep -q 'in the file already' err && fail "another build passed for the same"

# What the queue's defaults are is known, the plug-in's own not.
expect 0 '' "$hn" compare w.hn 1 2
grep -q max_timeslice out && fail "defaults of the queue are shown"

# No plug-in: one line that names the file, exit 1, nothing added.
head -c 3000 mine.so >cut.so
head -c 700 mine.so >headers.so
echo 'int main(void) { return 0; }' >text.so
: >empty.so
mkfifo pipe.so
before=$("$hn" sql w.hn --csv "SELECT count(*) FROM run")
for f in cut headers text; do
	expect 1 "^homenode: plug-in './$f.so': " "$hn" replay w.hn -p "./$f.so"
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $f.so"
done
while read -r f words; do
	expect 1 "^homenode: plug-in '$f': .*$words" \
		"$hn" replay w.hn -p idlest -p "$f"
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $f"
done <<END
./empty.so is empty
./pipe.so is no regular file
./ is a directory
./none.so No such file
./mine.so/ Not a directory
$so/nowhere.so loading it died of signal 11
$so/start_abort.so loading it died of signal 6
$so/old_abi.so version 1
END
expect 2 "no policy 'mine.so'.*has a slash" "$hn" replay w.hn -p mine.so
expect 2 "no knob 'near'; it has: far" "$hn" replay w.hn -p ./mine.so,near=1
[ "$("$hn" sql w.hn --csv "SELECT count(*) FROM run")" = "$before" ] ||
	fail "a run was added"

# It crashes in its own replays only.
while read -r how words; do
	expect 1 "^homenode: plug-in '$so/crash.so' $words 2\$" "$hn" replay w.hn \
		--again -p idlest -p "$so/crash.so,how=$how" -p o1 --seeds 2 --jobs 2
	[ "$(grep -c "^homenode:" err)" -eq 2 ] ||
		fail "not one line for each seed: $how"
	grep -q '^idlest  *2 ' out || fail "idlest lost its runs: $how"
	grep -q '^o1  *2 ' out || fail "o1 lost its runs: $how"
	expect 0 '' "$hn" sql w.hn --csv "SELECT
		(SELECT count(*) FROM run WHERE policy = 'crash'),
		(SELECT count(*) FROM run WHERE policy IN ('idlest', 'o1')),
		(SELECT count(*) FROM run_count
			WHERE run NOT IN (SELECT id FROM run))"
	grep -q '^0,4,0' out || fail "half a run is left, or one is lost: $how"
done <<'END'
segv died of signal 11 .* in seed
abort died of signal 6 .* in seed
exit ended its replay in seed
END
expect 1 "init\(\) gave 17" "$hn" replay w.hn -p "$so/crash.so,how=init"
expect 0 '' "$hn" replay w.hn -p "$so/crash.so"

# One that never comes back ends by ^C, and with its parent: who has the pipe
# open is still there.
while read -r sig status options; do
	{
		env --default-signal=INT timeout $options -s "$sig" 1 "$hn" \
			replay w.hn -p "$so/crash.so,how=loop" --seeds 2 --jobs 2
		echo $? >status
	} 2>&1 </dev/null | timeout 20 cat >out || fail "it goes on after $sig"
	[ "$(cat status)" -eq "$status" ] || fail "exit $(cat status) after $sig"
done <<'END'
INT 124
TERM 124 --foreground
KILL 137 --foreground
END

# As a system of a published table; what crashes ends the table.
expect 0 '' "$hn" policies ./mine.so
kernbench='reproduce kernbench -n 2 -w files=20'
expect 0 '' "$hn" $kernbench --json -p with=idlest
cp out idlest.json
expect 0 '' "$hn" $kernbench --json -p with=./mine.so,far=2
cp out mine.json
cmp -s mine.json idlest.json && fail "the plug-in was not asked"
expect 0 '' "$hn" $kernbench --json -p with=./mine.so,far=2 --jobs 2
cmp -s mine.json out || fail "reproduce with a plug-in depends on --jobs"
expect 0 '' "$hn" reproduce numa_test -n 2 -w alone=1s,hackbench=1 \
	-p A=./mine.so
expect 1 "plug-in '$so/crash.so' died of signal 11 .* in seed [12]\$" \
	"$hn" $kernbench -p "with=$so/crash.so,how=segv"
expect 1 "plug-in '$so/crash.so' ended its replay in seed [12]\$" \
	"$hn" $kernbench -p "without=$so/crash.so,how=exit"
expect 1 "^homenode: plug-in './text.so': " "$hn" $kernbench -p with=./text.so
expect 2 "no knob 'near'; it has: far" "$hn" $kernbench -p with=./mine.so,near=1

# Everything is refused and nobody minds; the user is told.
expect 0 'nonsense.so: [1-9][0-9]* decisions about tasks and [1-9]' \
	"$hn" replay w.hn -p "$so/nonsense.so"
exit $bad

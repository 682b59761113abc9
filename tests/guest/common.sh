# SPDX-License-Identifier: MIT
#
# common.sh - what the tests in emulated guests share; they source it
#
# HOMENODE is the program (default: the one in the source's top folder); KEEP
# names a folder to keep everything in after a failure.  In $tmp, which the
# guest sees as /share, are homenode and workload.

set -u -o pipefail

hn=${HOMENODE:-$here/../../homenode}
tmp=$(mktemp -d) || exit 1
failed=1	# until the end is reached
trap 'leave' EXIT

leave() {
	[ $failed = 0 ] || [ -z "${KEEP:-}" ] || cp -r "$tmp" "$KEEP"
	rm -rf "$tmp"
}

bad=0
check() {	# WHAT GOT WANTED
	if [ "$2" = "$3" ]; then
		echo "ok      $1"
	else
		echo "not ok  $1: got '$2', wanted '$3'"
		bad=1
	fi
}

value() {	# NAME, of the lines "NAME=VALUE" that the guest wrote
	sed -n "s/^$1=//p" "$tmp/out"
}

field() {	# NAME LINE: of a line of the witness
	sed -E "s/.* $1=([^ ]*).*/\1/" <<<"$2"
}

sql() {		# FILE QUERY: rows without the head, which is one line
	"$hn" sql --csv "$1" "${2//[$'\n\t']/ }" | tr -d '\r' | tail -n +2
}

# Runs $tmp/job.sh in a guest; its output goes to $tmp/out.  Exits with 77 if no
# guest can be booted here.  A guest that takes far longer than its job is started
# again, once: where no newer QEMU can be had one in ten hangs (emulator.sh).
guest() {	# boot's OPTION...
	local status=124 attempt
	for attempt in 1 2; do
		"$here/boot" --share "$tmp" --with "$tmp/homenode" \
			--with "$tmp/workload" --timeout "${limit:-240}" "$@" \
			job.sh >"$tmp/out" 2>"$tmp/err"
		status=$?
		[ $status = 124 ] || break
		echo "attempt $attempt of 2: $(tail -n 1 "$tmp/err")"
	done
	if [ $status = 125 ]; then
		tail -n 2 "$tmp/err"
		echo "skipped: no guest can be booted here"
		exit 77
	fi
	[ $status = 0 ] ||
		{ cat "$tmp/out" "$tmp/err"; tail "$tmp/console.log"; }
	check "the guest ran the job" $status 0
}

finish() {
	failed=$bad
	exit "$bad"
}

cp "$hn" "$tmp/homenode" || exit 1
hn=$tmp/homenode	# the very one that records, should it be built anew
cc -O2 -std=c11 -pthread -o "$tmp/workload" "$here/workload.c" \
	"$here/charge.c" || exit 1

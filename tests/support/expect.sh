# SPDX-License-Identifier: MIT
# For scripts that try commands and then exit $bad: $hn is the program, $dir a
# folder of their own; out and err in it are what the last command wrote.
hn=${HOMENODE:?the program to test}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

fail() {
	echo "$*"
	cat "$dir/out" "$dir/err"
	bad=1
}

# expect STATUS PATTERN COMMAND...: what it exits with, a line of its stderr
expect() {
	want=$1 pattern=$2
	shift 2
	"$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	[ $status -eq "$want" ] || fail "exit $status, not $want: $*"
	[ -z "$pattern" ] || grep -qE -- "$pattern" "$dir/err" ||
		fail "no '$pattern' from: $*"
}

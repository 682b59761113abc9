# SPDX-License-Identifier: MIT
# For scripts that end at their first failure: they stand in a folder of their
# own, which goes with them.
set -eu
: "${HOMENODE:?the program to test}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "$*"
	exit 1
}

has() { # file text
	grep -qF -- "$2" "$1" || { cat "$1"; fail "$1: no '$2'"; }
}

cd "$tmp"

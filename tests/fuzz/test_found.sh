#!/bin/sh
# SPDX-License-Identifier: MIT
# What fuzzing has found (tests/fuzz/found/TARGET-WHAT) must not come back: each
# is read by its target, built with the libraries of this build.
build=$(dirname "$(readlink -f "${HOMENODE:?}")")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
case $build in
*-san*) san="-fsanitize=address,undefined -fno-sanitize-recover=all" ;;
*) san= ;;
esac
case $build in
*-clang*) cc=clang ;;
*) cc=gcc ;;
esac
libs="$build/libcollect.a $build/libcore.a
	$(pkg-config --libs libtracefs libtraceevent hwloc libzstd zlib sqlite3) -ldl -lm"
for f in tests/fuzz/found/*; do
	t=${f##*/}
	t=${t%%-*}
	[ -x "$dir/$t" ] ||
		$cc -std=c11 -D_GNU_SOURCE -I. -g -O1 -pthread $san -o "$dir/$t" \
			"tests/fuzz/fuzz_$t.c" tests/fuzz/fuzz.c \
			tests/fuzz/replay.c tests/support/folder.c $libs || exit 1
	timeout 20 "$dir/$t" "$f" || {
		echo "$f: exit $?"
		exit 1
	}
done

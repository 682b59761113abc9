#!/bin/sh
# SPDX-License-Identifier: MIT
# homenode import on a full disk: one message, exit 1, nothing left.  Needs to
# mount a small tmpfs.
hn=${HOMENODE:?}
dat=$(cd "$(dirname "$0")/../data" && pwd)/numatest8-nb0-r1.dat
dir=$(mktemp -d) || exit 1
trap 'umount "$dir/small" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" && mkdir small || exit 1
[ -r "$dat" ] || { echo "skipped: no $dat"; exit 77; }
mount -t tmpfs -o size=600k none small 2>/dev/null ||
	{ echo "skipped: cannot mount a tmpfs"; exit 77; }
"$hn" import -o small/x.homenode "$dat" >out 2>err
status=$?
[ $status -eq 1 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
	grep -q 'No space left' err && [ -z "$(ls -A small)" ] && exit 0
echo "exit $status, left: $(ls -A small)"
cat out err
exit 1

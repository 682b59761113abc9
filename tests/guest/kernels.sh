#!/bin/bash
# SPDX-License-Identifier: MIT
#
# kernels.sh - record.sh on newer kernels than its own: 6.12 and whatever Debian's
# unstable has (7.x), since formats of events drift.
#
# KERNELS names others, as boot's --kernel takes them.  Exit status: see
# record.sh.

here=$(cd "$(dirname "$0")" && pwd)
status=0
for kernel in ${KERNELS:-linux-image-amd64/trixie linux-image-amd64/sid}; do
	echo "kernel $kernel"
	"$here/record.sh" --kernel "$kernel" "$@" || status=$?
	[ $status = 0 ] || break
done
exit $status

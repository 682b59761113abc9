#!/bin/sh
# SPDX-License-Identifier: MIT
# homenode(1) is valid and has every command.
command -v man >/dev/null && command -v groff >/dev/null || {
	echo "skipped: man or groff is missing"
	exit 77
}
page=$(mktemp) || exit 1
trap 'rm -f "$page"' EXIT
"${HOMENODE:?}" help --man >"$page" || exit 1
warnings=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" 2>&1 >/dev/null)
[ -z "$warnings" ] || { echo "$warnings"; exit 1; }
for c in record import info report policies replay fidelity compare image tui sql; do
	grep -q "^\.SS $c\$" "$page" || { echo "no $c"; exit 1; }
done

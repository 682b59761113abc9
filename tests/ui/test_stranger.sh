#!/bin/sh
# SPDX-License-Identifier: MIT
# A database from a stranger does nothing but what its rows say: triggers do not
# fire, a view cannot take a table's place, and none may call a function that
# does more than compute.
hn=${HOMENODE:?}
bug=$(pwd)/tests/data/bug_inputs/30_pid_reuse.txt
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
command -v sqlite3 >/dev/null || { echo "skipped: no sqlite3"; exit 77; }
bad=0

"$hn" import -o good.hn "$bug" >/dev/null 2>&1 || exit 1

# make FILE SQL
make() {
	cp good.hn "$1" && sqlite3 "$1" "$2" || exit 1
}

# refused PATTERN COMMAND...
refused() {
	pattern=$1
	shift
	"$hn" "$@" >out 2>err && { echo "takes it: $*"; bad=1; }
	grep -q "$pattern" err || {
		echo "$*: no '$pattern'"
		cat err
		bad=1
	}
}

make trigger.hn 'CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM event;
	END'
"$hn" replay trigger.hn -p o1 >out 2>&1 || { cat out; bad=1; }
[ "$(sqlite3 trigger.hn 'SELECT count(*) FROM run')" -ge 2 ] || {
	echo "nothing was added"
	bad=1
}
[ "$(sqlite3 trigger.hn 'SELECT count(*) FROM event')" = 7 ] || {
	echo "the trigger fired"
	bad=1
}

make table.hn "ALTER TABLE knob RENAME TO k; CREATE VIEW knob AS
	SELECT 'a' AS name, 'b' AS value"
refused "damaged: there is no table knob" info table.hn

make view.hn "DROP VIEW spans; CREATE VIEW spans AS
	SELECT load_extension('./evil.so') AS tid"
refused "unsafe use of load_extension" sql view.hn 'SELECT * FROM spans'
refused "not authorized" sql good.hn "SELECT load_extension('./evil.so')"
exit $bad

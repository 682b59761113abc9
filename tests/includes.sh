#!/bin/sh
# SPDX-License-Identifier: MIT
# The include table of the design, checked by the #include lines: which folder
# may include which, and which folder is the only door to an outside library.
# model/ and replay/ are pure: they touch no files, clocks or environment and
# print nothing.
cd "$(dirname "$0")/.." || exit 1
awk '
BEGIN {
	may["model"] = "model"
	may["schema"] = "model schema gen"
	may["replay"] = "model replay"
	may["collect"] = "schema model collect"
	# A plug-in is a file: dlopen() reads it, and its hash is taken.
	reader = "replay/plugin_hash.c"
	may["ui"] = "model schema replay collect ui gen"
	door["^sqlite3\\.h"] = "schema"
	door["^dlfcn\\.h"] = "replay"
	door["tracefs|traceevent|event-parse|kbuffer|hwloc|zstd|zlib"] = "collect"
	door["ncurses|curses|cairo|pango"] = "ui"
	impure = "(^|[^a-z_>.])(fopen|open|v?printf|puts|clock_gettime|" \
		"gettimeofday|time|getenv|rand|random|exit|abort)\\(|(^|[^a-z_])std(out|err)([^a-z_]|$)"
}
FNR == 1 { folder = FILENAME; sub(/\/.*/, "", folder) }
match($0, /^#[ \t]*include "[^"]*"/) {
	inc = $0; gsub(/^[^"]*"|".*$/, "", inc)
	to = inc; sub(/\/.*/, "", to)
	if (index(" " may[folder] " ", " " to " ") == 0)
		complain("includes \"" inc "\": " folder "/ may include " may[folder])
	else if (inc ~ /_local\.h$/ && to != folder)
		complain("includes \"" inc "\", a header of " to "/ only")
}
match($0, /^#[ \t]*include <[^>]*>/) {
	inc = $0; gsub(/^[^<]*<|>.*$/, "", inc)
	for (d in door)
		if (inc ~ d && door[d] != folder)
			complain("includes <" inc ">: only " door[d] "/ may")
}
{ code = $0; gsub(/"[^"]*"/, "", code) }
(folder == "model" || folder == "replay") && code ~ impure && FILENAME != reader &&
		!/^[ \t]*\/?\*/ {
	complain("is to be pure: " $0)
}
function complain(text) { print FILENAME ":" FNR ": " text; bad = 1 }
END { exit bad }' model/*.[ch] schema/*.[ch] replay/*.[ch] collect/*.[ch] ui/*.[ch]

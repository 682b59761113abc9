# SPDX-License-Identifier: MIT
# Each task's time on each CPU from `trace-cmd report -t -l -R`, by nothing but
# the sched_switch lines: "tid cpu ns", sorted by nobody.  Who runs on a CPU
# when the recording begins is its first switch's prev_pid; who runs when it
# ends is its last switch's next_pid.
function value(key,	at, rest) {
	at = index($0, " " key "=")
	rest = substr($0, at + length(key) + 2)
	sub(/[^0-9-].*/, "", rest)
	return rest + 0
}
# Numbers of ns since the first second stay below 2^53.
match($0, / +[0-9]+-0x[0-9a-f]+ +[0-9]+\.[0-9]+: /) {
	head = substr($0, RSTART, RLENGTH)
	split(head, part, /[ -]+/)
	cpu = part[2]
	split(part[4], time, /[.:]/)
	if (!base)
		base = time[1]
	now = (time[1] - base) * 1e9 + time[2]
	if (!seen++)
		start = now
	if (now > end)
		end = now
	if ($0 !~ /: sched_switch: /)
		next
	prev = value("prev_pid")
	from = cpu in since ? since[cpu] : start
	if (prev)
		ns[prev " " cpu] += now - from
	since[cpu] = now
	running[cpu] = value("next_pid")
}
END {
	for (cpu in running)
		if (running[cpu])
			ns[running[cpu] " " cpu] += end - since[cpu]
	for (k in ns)
		printf "%s %.0f\n", k, ns[k]
}

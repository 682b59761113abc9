# SPDX-License-Identifier: MIT
#
# emulator.sh - which QEMU boot starts; boot sources it
#
# QEMU before 8.1 translates guest code without holding its page: where another
# emulated CPU changes the code meanwhile, what was there before is what runs from
# then on.  The kernel changes its code whenever tracing begins or ends, first to a
# breakpoint; with a stale one all CPUs run into it again and again ("hang": seen
# in one of ten guests).  So where the installed QEMU is older, Debian's backport
# of a newer one is unpacked in the cache, not installed, as kernels are; it finds
# its modules and firmware beside itself and uses the installed libraries.  If it
# cannot be had, the installed one must do.

# Where the whole of it is, below the cache.
emulator_packages=(qemu-system-x86 qemu-system-common qemu-system-data seabios)

# emulator_is_new PROGRAM
emulator_is_new() {
	local version

	version=$("$1" --version 2>/dev/null | sed -nE '1s/.*version ([0-9.]+).*/\1/p')
	[ -n "$version" ] && [ "$(printf '%s\n' 8.1 "$version" | sort -V |
		head -n 1)" = 8.1 ]
}

# emulator_unpack SUITE INTO
emulator_unpack() {
	local apt_options=(-o APT::Sandbox::User=root) deb

	need apt-get
	apt_suite "$1"
	mkdir -p "$tmp/debs" "$2"
	say "downloading" "${emulator_packages[@]}"
	(cd "$tmp/debs" && apt-get "${apt_options[@]}" -qq \
		download "${emulator_packages[@]}") >"$tmp/apt.log" 2>&1 ||
		die "cannot download: $(tail -n 1 "$tmp/apt.log")"
	for deb in "$tmp"/debs/*.deb; do
		dpkg-deb -x "$deb" "$2" || die "cannot unpack '$deb'"
	done
	emulator_is_new "$2/usr/bin/qemu-system-x86_64" ||
		die "QEMU of $1 does not run here"
}

# Sets emulator.  A finished folder appears by rename, as kernels do.
emulator_get() {
	local suite fresh=$tmp/emulator dir

	emulator=qemu-system-x86_64
	! emulator_is_new "$emulator" || return 0
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-none}-backports")
	dir=$cache/qemu@$suite
	if [ ! -e "$dir" ]; then
		if (emulator_unpack "$suite" "$fresh"); then
			mv -T "$fresh" "$dir" 2>/dev/null
		else
			echo "boot: the installed QEMU is older than 8.1:" \
				"the guest may hang" >&2
		fi
		rm -rf "$tmp/debs" "$tmp/apt" "$fresh"
	fi
	[ ! -e "$dir" ] || emulator=$dir/usr/bin/qemu-system-x86_64
}

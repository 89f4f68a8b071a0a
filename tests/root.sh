# shellcheck shell=sh
# root.sh - make and enter minimal root file systems of Debian and Ubuntu releases, for run-distro.sh and run-install.sh
#
#     needs_root_tools COMMAND             exit with 6 unless the tools are installed and the user is root; COMMAND is
#                                          printed as advice
#     make_root RELEASE FOLDER PACKAGES    make a root with these packages (a,b,c), or keep the one that FOLDER has
#     inside FOLDER COMMAND [NAME=VALUE]   run a shell command in the root
#
# A root gets /proc, /sys and /dev of this machine, so perf can record in it.
# shellcheck disable=SC2154	# $suite is set by suite.sh

needs_root_tools() {
	for tool in mmdebstrap unshare git; do
		command -v "$tool" >/dev/null && continue
		echo "run-$suite.sh: error: there is no $tool; sudo apt-get install mmdebstrap util-linux git" >&2
		exit 6
	done
	if [ "$(id -u)" != 0 ]; then
		echo "run-$suite.sh: error: only root can make the root of another release; $1" >&2
		exit 6
	fi
}

# Print the URL of the first Debian or Ubuntu archive in the APT sources of this machine.
# shellcheck disable=SC2016	# apt-get expands it
mirror() {
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
		sed -n -e 's/^Debian|Debian|//p' -e 's/^Ubuntu|Ubuntu|//p' | head -n 1
}

make_root() {
	if [ ! -e "$2/root/made" ]; then
		echo "$suite: making a root of $1 in $2"
		settings=$(mktemp "${TMPDIR:-/tmp}/hotdrift-apt.XXXXXX")
		trap 'rm -f "$settings"' EXIT
		trap 'exit 6' HUP INT TERM
		apt-config dump | grep -E '^Acquire::(https?::|Check-|Retries)' >"$settings" || :
		# mmdebstrap needs an empty folder; without a mirror it uses the one of the release.
		from=${MIRROR:-$(mirror)}
		mmdebstrap --variant=apt --include="$3" --aptopt="$settings" "$1" "$2" ${from:+"$from"}
		touch "$2/root/made"
	fi
	cp -L /etc/resolv.conf "$2/etc/resolv.conf"
}

# Run a command with the root mounted as /, because in a mere chroot programs cannot create user namespaces.
inside() {
	# shellcheck disable=SC2016	# the inner shell expands it
	unshare --mount --fork --propagation private sh -euc '
		mount --bind "$1" "$1"
		cd "$1"
		for part in proc sys dev; do mount --rbind "/$part" "$part"; done
		mount -t tmpfs -o mode=1777 tmp tmp
		mount --move . /
		exec chroot . /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			DEBIAN_FRONTEND=noninteractive ${3:+"$3"} sh -c "$2"' sh "$1" "$2" "${3-}"
}

#!/bin/sh
# run-distro.sh RELEASE [TARGET...] - run `make demo` and `make check` on another release, as a new user would
#
# The script makes a minimal root of RELEASE (trixie, bookworm, noble, ...) with mmdebstrap, and installs git, make and
# gcc in it.  It clones the committed state of this repository into it and runs both commands there as root, with /proc,
# /sys and /dev of this machine, so perf can record.  The root stays in $ROOT (default: $O/distro/RELEASE) with
# /root/demo.log and /root/check.log; the next run uses it again with a new clone.  TARGETs replace demo and check.
#
# Packages come from the mirror in the APT sources of this machine, with its APT settings.  MIRROR= names another
# mirror, which a release of another distribution needs.  Needs root, about 6 GB and half an hour.
set -eu

release=${1:?run-distro.sh RELEASE, such as trixie}
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite distro
cd "$top"
shift
[ $# -gt 0 ] || set -- demo check
folder=${ROOT:-$O/distro/$release}
mkdir -p "$folder"
root=$(cd "$folder" && pwd)

for tool in mmdebstrap unshare git; do
	command -v "$tool" >/dev/null && continue
	echo "run-distro.sh: error: there is no $tool; sudo apt-get install mmdebstrap util-linux git" >&2
	exit 6
done
if [ "$(id -u)" != 0 ]; then
	echo "run-distro.sh: error: only root can make the root of another release; sudo make check-distro RELEASE=$release" >&2
	exit 6
fi

# Use the first archive of a distribution on this machine, and its download settings.
# shellcheck disable=SC2016	# apt-get expands it
mirror() {
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
		sed -n -e 's/^Debian|Debian|//p' -e 's/^Ubuntu|Ubuntu|//p' | head -n 1
}
if [ ! -e "$root/root/made" ]; then
	echo "distro: making a root of $release in $folder"
	settings=$(mktemp "${TMPDIR:-/tmp}/hotdrift-apt.XXXXXX")
	trap 'rm -f "$settings"' EXIT
	trap 'exit 6' HUP INT TERM
	apt-config dump | grep -E '^Acquire::(https?::|Check-|Retries)' >"$settings" || :
	# mmdebstrap needs an empty folder; without a mirror it uses the one of the release.
	from=${MIRROR:-$(mirror)}
	mmdebstrap --variant=apt --include=ca-certificates,git,make,gcc --aptopt="$settings" "$release" "$root" \
		${from:+"$from"}
	touch "$root/root/made"
fi

rm -rf "$root/root/hotdrift"
git clone -q . "$root/root/hotdrift"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

# inside COMMAND: run it in the root, without chroot, so that programs can create namespaces
inside() {
	# shellcheck disable=SC2016	# the inner shell expands it
	unshare --mount --fork --propagation private sh -euc '
		mount --bind "$1" "$1"
		cd "$1"
		for part in proc sys dev; do mount --rbind "/$part" "$part"; done
		mount -t tmpfs -o mode=1777 tmp tmp
		mount --move . /
		exec chroot . /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			LANG=C.UTF-8 ${3:+"LANES=$3"} sh -c "$2"' sh "$root" "$1" "${LANES:-}"
}

for target; do
	if inside "cd /root/hotdrift && make $target >/root/$target.log 2>&1"; then
		pass
		echo "$release: make $target: $(tail -n 1 "$root/root/$target.log")"
	else
		failed=$((failed + 1))
		echo "$release: make $target failed; the end of $root/root/$target.log:"
		tail -n 20 "$root/root/$target.log"
	fi
done
finish

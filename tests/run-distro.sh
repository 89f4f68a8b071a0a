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

# shellcheck source=tests/root.sh
. tests/root.sh
needs_root_tools "sudo make check-distro RELEASE=$release"
make_root "$release" "$root" ca-certificates,git,make,gcc
rm -rf "$root/root/hotdrift"
git clone -q . "$root/root/hotdrift"

for target; do
	if inside "$root" "cd /root/hotdrift && make $target >/root/$target.log 2>&1" ${LANES:+"LANES=$LANES"}; then
		pass
		echo "$release: make $target: $(tail -n 1 "$root/root/$target.log")"
	else
		failed=$((failed + 1))
		echo "$release: make $target failed; the end of $root/root/$target.log:"
		tail -n 20 "$root/root/$target.log"
	fi
done
finish

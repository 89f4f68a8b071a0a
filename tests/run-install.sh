#!/bin/sh
# run-install.sh RELEASE - build the Debian packages in a minimal root of RELEASE, install them in a second one, try
# them, and remove them
#
# The roots are made by mmdebstrap in $O/install/RELEASE and are used again by the next run; the second one has what a
# minimal system has, perf and the packages, but no compiler and no header.  The first one has a clone of the committed
# state.  Packages come from the mirror in the APT sources of this machine, with its APT settings; MIRROR= names another
# one.  Needs root, about 3 GB and a quarter of an hour.
set -eu

release=${1:?run-install.sh RELEASE, such as bookworm}
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite install
cd "$top"
# shellcheck source=tests/root.sh
. tests/root.sh
needs_root_tools "sudo make check-install RELEASE=$release"
folder=$O/install/$release
mkdir -p "$folder"

# in_root NAME COMMAND: run it in a root, with its output in $folder/NAME.log
# shellcheck disable=SC2317	# claim calls it
in_root() {
	if inside "$folder/$1" "$2" >>"$folder/$1.log" 2>&1; then return 0; fi
	tail -n 15 "$folder/$1.log"
	return 1
}
# try WHAT COMMAND: a command in the second root that must succeed
try() { claim "$1" in_root clean "$2"; }

: >"$folder/build.log"
: >"$folder/clean.log"
make_root "$release" "$folder/build" ca-certificates,git,make,gcc
rm -rf "$folder/build/root/hotdrift"
git clone -q . "$folder/build/root/hotdrift"
claim "the packages build, and lintian has no complaint" in_root build "cd /root/hotdrift && scripts/setup.sh &&
	apt-get install -y -q --no-install-recommends build-essential debhelper lintian && make deb"
if [ "$failed" != 0 ]; then finish; fi

make_root "$release" "$folder/clean" ca-certificates,linux-perf,man-db
rm -rf "$folder/clean/root/packages"
mkdir "$folder/clean/root/packages"
cp "$folder"/build/root/hotdrift/build/deb/*.deb "$folder/clean/root/packages/"
cp -R fixtures/recordings/memgraph-cpu "$folder/clean/root/packages/"
rm -f "$folder"/clean/root/packages/*-dbgsym_*
try "the packages are installed with what they depend on" \
	"apt-get update -q && apt-get install -y -q --no-install-recommends /root/packages/*.deb"
try "hotdrift runs" "hotdrift --version && hotdrift doctor --json >/dev/null || [ \$? = 1 ]"
try "it reads a recording" \
	"cd /root/packages/memgraph-cpu && hotdrift top --symfs symfs -n 1 perf.data | grep -q vector_dot"
try "it draws a flame graph and a page" \
	"cd /root/packages/memgraph-cpu && hotdrift flame --symfs symfs perf.data -o /tmp/f.svg &&
	hotdrift report --html --symfs symfs perf.data -o /tmp/r.html && test -s /tmp/f.svg -a -s /tmp/r.html"
try "it stores a run" "cd /tmp && rm -f h.db && hotdrift add --db h.db --commit none --target t \\
	/root/packages/memgraph-cpu/perf.data && hotdrift log --db h.db | grep -q ' t '"
try "hotdrift profile finds its scripts" "hotdrift profile --print-mode cpu && hotdrift profile --help | grep -q MODE"
try "it records where perf may" "cd /tmp && { ! perf record -q -o p.data true || hotdrift profile cpu --no-db -- \\
	sh -c 'i=0; while [ \$i -lt 200000 ]; do i=\$((i + 1)); done'; }"
try "the man pages are found" "man -w hotdrift hotdrift-gate profile.sh && man -w 5 hotdrift.ini"
try "a missing library is named with its package" "hotdrift annotate --symfs /root/packages/memgraph-cpu/symfs \\
	/root/packages/memgraph-cpu/perf.data >/tmp/a.txt 2>&1; grep -q 'libcapstone' /tmp/a.txt"
try "a program is built with libhotdrift-dev" \
	"apt-get install -y -q --no-install-recommends gcc libc6-dev pkg-config && cd /tmp &&
	printf '#include <%s>\\n' hotdrift.h stdio.h >p.c &&
	echo 'int main(void) { puts(hd_track_status_text(0)); }' >>p.c &&
	gcc -o p p.c \$(pkg-config --cflags --libs hotdrift) && ./p"
try "the packages are removed" "apt-get purge -y -q hotdrift libhotdrift1 libhotdrift-dev hotdrift-doc"
try "and nothing is left" "[ -z \"\$(find /usr /etc -name '*hotdrift*' | head -n 1)\" ]"
finish

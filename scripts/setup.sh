#!/bin/sh
# setup.sh - install the packages that are needed to build hotdrift, and with --tests to test it
#
# The script first looks for each package with dpkg-query.  If dpkg-query does not know it, the script looks for its
# program, pkg-config module or header, so a compiler or perf that was installed by hand is accepted as well.  Missing
# packages are installed with apt-get, by root directly and by other users through `sudo -n`.  There is never a prompt.
#
# Exit: 0 all required packages are installed (missing optional ones are named), 2 usage, 6 a required package is
# missing.
set -eu

usage() {
	cat <<'END'
usage: setup.sh [--tests] [--required] [--dry-run] [--quiet]

  --tests      also install the packages that `make check` needs
  --required   skip optional packages
  --dry-run    only report missing packages
  --quiet      print nothing if no package is missing and no step fails
END
}

say() { [ "$quiet" = yes ] || printf 'setup: %s\n' "$*"; }
note() { printf 'setup: note: %s\n' "$*" >&2; }
error() { printf 'setup: error: %s\n' "$*" >&2; }

# PACKAGE[|PACKAGE...] NEED PROBE[,PROBE...] PURPOSE
#   PACKAGE  the names in different releases; apt-get installs the first one that exists
#   NEED     build, test: required; demo, extra: optional ('extra' with --tests only)
#   PROBE    cmd:NAME  pkg:MODULE  inc:HEADER  file:PATH; the package counts as installed if one succeeds
packages() {
	cat <<'END'
gcc build cmd:gcc,cmd:clang the compiler
libc6-dev build inc:stdio.h the C library's headers
make build cmd:make,cmd:gmake the build
pkg-config build cmd:pkg-config,cmd:pkgconf finding the libraries
libelf-dev build pkg:libelf ELF files
libdw-dev build pkg:libdw the constants of debug information
libtraceevent-dev build pkg:libtraceevent tracepoint fields
libseccomp-dev build pkg:libseccomp names of system calls
libssl-dev build pkg:libcrypto SHA-256, Ed25519
libsqlite3-dev build pkg:sqlite3 the database
libzstd-dev build pkg:libzstd compressed recordings
libiberty-dev build inc:libiberty/demangle.h demangling
liblzma-dev build pkg:liblzma compressed symbols
libdeflate-dev build pkg:libdeflate compressed debug information
zlib1g-dev build pkg:zlib gzipped traces, read as a stream
linux-perf|linux-tools-generic demo cmd:perf recording
git demo cmd:git the commit of a run
libc6-dbg demo file:/usr/share/doc/libc6-dbg/copyright names in the C library
libjs-dygraphs demo file:/usr/share/javascript/dygraphs/dygraph.min.js the charts of hotdrift html
libcapstone-dev demo pkg:capstone disassembly in annotate
libncurses-dev demo pkg:ncursesw the browser in a terminal (tui)
libpq-dev demo pkg:libpq histories on a PostgreSQL server
libcurl4-openssl-dev|libcurl4-gnutls-dev demo pkg:libcurl sending profiles to servers
libdebuginfod-dev demo pkg:libdebuginfod symbols from debuginfod servers
libcmocka-dev test pkg:cmocka the unit tests
bats test cmd:bats the tests of the scripts
shellcheck test cmd:shellcheck the check of the scripts
git-lfs extra cmd:git-lfs checkouts with filters
sudo extra cmd:sudo checkouts of the user who calls it
jq test cmd:jq tests that read JSON
tmux extra cmd:tmux tests in a terminal
sqlite3 test cmd:sqlite3 tests that read the database
xz-utils test cmd:xz packed recordings
binutils test cmd:objcopy tests that make ELF files
elfutils extra cmd:eu-readelf comparing with elfutils
g++ extra cmd:g++ tests with C++ programs
libxml2-utils extra cmd:xmllint checking that the SVG is well-formed
postgresql extra cmd:pg_ctlcluster,cmd:postgres the tests of such histories
pgbouncer extra cmd:pgbouncer the test of such histories through a pooler
dwz extra cmd:dwz tests with packed debug information
clang extra cmd:clang the second compiler
python3 extra cmd:python3 a second opinion on statistics
python3-jsonschema extra file:/usr/share/doc/python3-jsonschema/copyright schemas of reports for CI services
python3-prometheus-client extra file:/usr/share/doc/python3-prometheus-client/copyright reading OpenMetrics
python3-yaml extra file:/usr/share/doc/python3-yaml/copyright the workflows of docs/ci
lld extra cmd:ld.lld objects of other machines
llvm extra cmd:llvm-symbolizer comparing them with LLVM
binutils-powerpc64-linux-gnu extra cmd:powerpc64-linux-gnu-ld objects of big-endian PowerPC
binutils-s390x-linux-gnu extra cmd:s390x-linux-gnu-ld objects of s390x
qemu-user-static extra cmd:qemu-s390x-static programs of other machines
gcc-riscv64-linux-gnu extra cmd:riscv64-linux-gnu-gcc stacks of riscv64
libc6-dev-riscv64-cross extra file:/usr/riscv64-linux-gnu/include/stdio.h stacks of riscv64
gcc-s390x-linux-gnu extra cmd:s390x-linux-gnu-gcc stacks of s390x
libc6-dev-s390x-cross extra file:/usr/s390x-linux-gnu/include/stdio.h stacks of s390x
gcc-powerpc64le-linux-gnu extra cmd:powerpc64le-linux-gnu-gcc stacks of ppc64le
libc6-dev-ppc64el-cross extra file:/usr/powerpc64le-linux-gnu/include/stdio.h stacks of ppc64le
gcc-powerpc64-linux-gnu extra cmd:powerpc64-linux-gnu-gcc stacks of ppc64
libc6-dev-ppc64-cross extra file:/usr/powerpc64-linux-gnu/include/stdio.h stacks of ppc64
rustc extra cmd:rustc tests with Rust programs
cargo extra cmd:cargo tasks of tokio as spans
librust-tokio-dev extra file:/usr/share/doc/librust-tokio-dev/copyright tasks of tokio as spans
librust-tracing-dev extra file:/usr/share/doc/librust-tracing-dev/copyright tasks of tokio as spans
fish extra cmd:fish completion in fish
zsh extra cmd:zsh completion in zsh
parallel extra cmd:parallel the commands of docs/fleet.md
chromium extra cmd:chromium,cmd:chromium-browser,cmd:google-chrome the pictures and pages in a browser
chromium-driver extra cmd:chromedriver the pictures and pages in a browser
curl extra cmd:curl the comment on a pull request of the ci suite
time extra file:/usr/bin/time comparing with GNU time
mount extra cmd:mount tests with full and read-only disks
golang-go extra cmd:go tests with Go programs and its pprof
nodejs extra cmd:node tests of the scripts in pages
protobuf-compiler extra cmd:protoc reading timelines for Perfetto
valgrind extra file:/usr/libexec/valgrind/dh_view.js tests with its viewer of heaps
libjemalloc2 extra file:/usr/share/doc/libjemalloc2/copyright other allocators
libmimalloc3|libmimalloc2.0 extra file:/usr/share/doc/libmimalloc3/copyright other allocators
libtcmalloc-minimal4t64|libtcmalloc-minimal4 extra file:/usr/share/doc/libtcmalloc-minimal4/copyright other allocators
binutils-gold extra cmd:ld.gold programs linked by gold
gcc-aarch64-linux-gnu extra cmd:aarch64-linux-gnu-gcc the recorder of allocations on aarch64
libc6-dev-arm64-cross extra file:/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 the recorder of allocations on aarch64
qemu-user-static extra cmd:qemu-aarch64-static the recorder of allocations on aarch64
libc6-i386-cross extra file:/usr/share/doc/libc6-i386-cross/copyright unwinding in the C library of other machines
END
}

tests=no only=no dry=no quiet=no
for arg; do
	case $arg in
	--tests) tests=yes ;;
	--required) only=yes ;;
	--dry-run) dry=yes ;;
	--quiet) quiet=yes ;;
	-h | --help) usage; exit 0 ;;
	*)	error "unknown option '$arg'; setup.sh --help lists them"
		exit 2 ;;
	esac
done

wanted() {
	case $1 in
	build) return 0 ;;
	test) [ "$tests" = yes ] ;;
	demo) [ "$only" = no ] ;;
	extra) [ "$tests" = yes ] && [ "$only" = no ] ;;
	esac
}

have() {
	probes=$1
	while [ -n "$probes" ]; do
		probe=${probes%%,*}
		case $probes in *,*) probes=${probes#*,} ;; *) probes='' ;; esac
		what=${probe#*:}
		case $probe in
		cmd:*) command -v "$what" >/dev/null 2>&1 && return 0 ;;
		file:*) [ -r "$what" ] && return 0 ;;
		pkg:*) pkg-config --exists "$what" 2>/dev/null && return 0 ;;
		inc:*) printf '#include <stddef.h>\n#include <%s>\n' "$what" |
			${CC:-cc} -E -x c - >/dev/null 2>&1 && return 0 ;;
		esac
	done
	return 1
}

# is_installed NAME[|NAME...]: return 0 if one of the names is in the list `installed`
is_installed() {
	others=$1
	while :; do
		case $installed in *" installed:${others%%|*} "*) return 0 ;; esac
		case $others in *'|'*) others=${others#*|} ;; *) return 1 ;; esac
	done
}

# Set missing_required and missing_optional to the names of missing packages, each after a blank.
look() {
	missing_required='' missing_optional=''
	names=$(packages | while read -r name need _; do
		if wanted "$need"; then echo "$name"; fi
	done | tr '|' '\n')
	installed=' '
	if command -v dpkg-query >/dev/null 2>&1; then
		# A package may be followed by :ARCHITECTURE.  Words are split on purpose.
		# shellcheck disable=SC2086
		installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' $names 2>/dev/null || :) "
	fi
	while read -r name need probes _; do
		wanted "$need" || continue
		is_installed "$name" && continue
		have "$probes" && continue
		case $need in
		build | test) missing_required="$missing_required $name" ;;
		*) missing_optional="$missing_optional $name" ;;
		esac
	done <<END
$(packages)
END
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@" </dev/null
	else
		sudo -n env DEBIAN_FRONTEND=noninteractive "$@" </dev/null
	fi
}

can_install() {
	command -v apt-get >/dev/null 2>&1 || return 1
	[ "$(id -u)" = 0 ] || { command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; }
}

apt_install() {
	as_root apt-get install -y -q --no-install-recommends \
		-o DPkg::Lock::Timeout=120 -o Dpkg::Options::=--force-confold "$@" >"$log" 2>&1
}

# Fetch the package lists, which may be missing or out of date.  Return 1 if this script has already fetched them.
updated=no
update() {
	[ "$updated" = no ] || return 1
	updated=yes
	say "fetching the package lists"
	as_root apt-get update -q >"$logs/update" 2>&1 || :
}

install() { apt_install "$@" || { update && apt_install "$@"; }; }

# Set `known` to the names of missing optional packages that apt-get knows.
known=' '
find_known() {
	# Words are split on purpose.
	# shellcheck disable=SC2086
	known=" $(apt-cache pkgnames 2>/dev/null |
		grep -Fx "$(printf '%s\n' $missing_optional | tr '|' '\n')" | tr '\n' ' ' || :)"
}

# known_name NAME[|NAME...]: set `package` to the first name in `known`.  Return 1 if there is none; `package` is then
# the first name.
known_name() {
	others=$1
	while :; do
		package=${others%%|*}
		case $known in *" $package "*) return 0 ;; esac
		case $others in *'|'*) others=${others#*|} ;; *) break ;; esac
	done
	package=${1%%|*}
	return 1
}

# Print the command that installs packages "$@", by their names in this release.
how() {
	printf 'sudo apt-get install --no-install-recommends'
	for one; do
		known_name "$one" || :
		printf ' %s' "$package"
	done
}

# install_one NAME[|NAME...]: install the first of them that apt-get knows
install_one() {
	others=$1
	until install "${others%%|*}"; do
		case $others in *'|'*) others=${others#*|} ;; *) return 1 ;; esac
	done
}

# Set `together` to the names that apt-get knows, one for each item NAME[|NAME...] of missing_optional, and `single` to
# the items of which it knows no name.
sort_optional() {
	find_known
	together='' single=''
	for item in $missing_optional; do
		if known_name "$item"; then together="$together $package"; else single="$single $item"; fi
	done
}

purpose() {
	while read -r name _ _ why; do [ "$name" != "$1" ] || echo "$why"; done <<END
$(packages)
END
}

look
if [ -z "$missing_required$missing_optional" ]; then
	say "nothing is missing"
	exit 0
fi

if [ "$dry" = no ] && can_install; then
	# In a shared TMPDIR another user could have created a link with any predictable name; so use a new folder.
	logs=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-setup.XXXXXX")
	log=$logs/install
	trap 'rm -rf "$logs"' EXIT
	trap 'exit 6' HUP INT TERM
	# Words are split on purpose: a list of package names.
	# shellcheck disable=SC2086
	if [ -n "$missing_required" ]; then
		say "installing$missing_required"
		if ! install $missing_required; then
			tail -n 15 "$log" >&2
			error "apt-get could not install$missing_required (the end of its output is above)"
		fi
		# In some releases these packages contain files that other releases ship in separate packages.
		look
	fi
	# One call of apt-get is much faster than one per package, but it installs nothing if it cannot install one of
	# them.  So packages that this release lacks are tried one by one, and all of them are if that call fails.
	single=$missing_optional
	if [ -n "$missing_optional" ] && command -v apt-cache >/dev/null 2>&1; then
		sort_optional
		if [ -n "$single" ] && update; then sort_optional; fi
		if [ -n "$together" ]; then
			say "installing$together (optional)"
			# shellcheck disable=SC2086
			install $together || single=$missing_optional
		fi
	fi
	for name in $single; do
		say "installing ${name%%|*} (optional)"
		install_one "$name" || note "apt-get could not install ${name%%|*}: $(grep '^E: ' "$log" | head -n 1)"
	done
	look
fi

[ -z "$missing_optional" ] || find_known
for name in $missing_optional; do
	known_name "$name" || :
	note "$package is missing (for $(purpose "$name")); to install it:  $(how "$name")"
done
if [ -n "$missing_required" ]; then
	# shellcheck disable=SC2086
	error "missing:$missing_required; to install:  $(how $missing_required)"
	if ! command -v apt-get >/dev/null 2>&1; then
		error "this system has no apt-get:" \
			"install the contents of these Debian packages with its package manager"
	fi
	exit 6
fi
exit 0

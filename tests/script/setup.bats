#!/usr/bin/env bats
# setup.bats - test that setup.sh reports or installs missing packages, and prints the command that installs them

load helper

# Simulate a Debian on which no package is installed and no program, library or header is found.
setup() {
	in_empty_folder
	unset CC
	export INSTALLED=$BATS_TEST_TMPDIR/installed APT_LOG=$BATS_TEST_TMPDIR/apt.log
	: >"$INSTALLED"
	: >"$APT_LOG"
	for tool in sh env cat grep sed tr tail head mktemp rm printf dirname readlink; do
		ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/fakes/$tool"
	done
	fake_line dpkg-query 'while read -r name; do printf "installed:%s " "$name"; done <"$INSTALLED"; exit 1'
	fake_line pkg-config 'exit 1'
	fake_line cc 'exit 1'
	fake_line apt-get 'echo "$DEBIAN_FRONTEND: $*" >>"$APT_LOG"
case "$*" in update*) exit 0 ;; esac
for word; do case $word in
"${UNKNOWN:-none}") echo "E: Unable to locate package $word"; exit 100 ;;
-* | *::* | install) ;;
*) echo "$word" >>"$INSTALLED" ;;
esac; done'
	# The fake apt-cache knows all packages but $UNKNOWN, and $LATER only after the lists were fetched.
	export PACKAGES=$BATS_TEST_TMPDIR/setup.sh
	fake_line apt-cache '[ "$*" = pkgnames ] || exit 1
LATER=${LATER:-none}
grep -q update "$APT_LOG" && LATER=none
sed -n "/^gcc build/,/^END/p" "$PACKAGES" | while read -r names _; do echo "$names"; done | tr "|" "\n" |
	grep -vx -e "${UNKNOWN:-none}" -e "$LATER"'
}

# Run setup.sh with only the fake programs in PATH.  It looks for files below a folder of the test, because packages of
# this machine would answer the probes.
setup_sh() {
	sed "s# file:/# file:$BATS_TEST_TMPDIR/root/#" "$TOP/scripts/setup.sh" >"$BATS_TEST_TMPDIR/setup.sh"
	env PATH="$BATS_TEST_TMPDIR/fakes" sh "$BATS_TEST_TMPDIR/setup.sh" "$@"
}

@test "root: what is missing is installed, without a question, and nothing is fetched in vain" {
	fake_line id 'echo 0'
	run -0 setup_sh
	contains "$output" libelf-dev
	contains "$(cat "$APT_LOG")" 'noninteractive: install -y -q --no-install-recommends'
	lacks "$(cat "$APT_LOG")" update
	lacks "$(cat "$APT_LOG")" shellcheck
	: >"$APT_LOG"
	run -0 setup_sh
	[ "$output" = 'setup: nothing is missing' ]
	[ ! -s "$APT_LOG" ]
}

@test "--tests adds what the tests need" {
	fake_line id 'echo 0'
	run -0 setup_sh --tests
	contains "$(cat "$APT_LOG")" libcmocka-dev
	contains "$(cat "$APT_LOG")" chromium
}

@test "without apt-cache the optional packages are installed one by one, each by its name in this release" {
	rm "$BATS_TEST_TMPDIR/fakes/apt-cache"
	fake_line id 'echo 0'
	export UNKNOWN=linux-perf
	run -0 setup_sh
	lacks "$output" 'could not install'
	contains "$output" 'setup: installing linux-perf (optional)'
	contains "$output" 'setup: installing git (optional)'
	grep -qx linux-tools-generic "$INSTALLED"
	grep -qx git "$INSTALLED"
	# The package is installed now, so the next run does not install it again.
	: >"$APT_LOG"
	run -0 setup_sh
	[ ! -s "$APT_LOG" ]
}

# calls_with PACKAGE: print the arguments of each call of apt-get that installed PACKAGE
calls_with() { grep -e " $1\( \|\$\)" "$APT_LOG"; }

@test "the optional packages are installed by one call of apt-get" {
	fake_line id 'echo 0'
	run -0 setup_sh --tests
	contains "$output" 'setup: installing linux-perf git '
	lacks "$output" 'fetching the package lists'
	# One call for the required packages, and one for the others.
	[ "$(wc -l <"$APT_LOG")" = 2 ]
	contains "$(calls_with git)" ' chromium '
	lacks "$(calls_with git)" libelf-dev
	run -0 setup_sh --tests
	[ "$output" = 'setup: nothing is missing' ]
}

@test "a package of another name, and one that the release lacks, do not keep the others from that call" {
	fake_line id 'echo 0'
	UNKNOWN=libtcmalloc-minimal4t64 run -0 setup_sh --tests
	[ "$(wc -l <"$APT_LOG")" = 2 ]
	contains "$(calls_with git)" ' libtcmalloc-minimal4 '
	lacks "$output" 'could not install'
	: >"$APT_LOG"
	UNKNOWN=libtcmalloc-minimal4t64 run -0 setup_sh --tests
	[ "$output" = 'setup: nothing is missing' ]
	: >"$INSTALLED"
	UNKNOWN=chromium run -0 setup_sh --tests
	contains "$(calls_with git)" ' curl '
	lacks "$(calls_with git)" ' chromium '
	contains "$output" 'could not install chromium: E: Unable to locate package chromium'
	contains "$output" 'setup: note: chromium is missing (for the pictures and pages in a browser); to install it:'
	[ "$(grep -c update "$APT_LOG")" = 1 ]
}

@test "a package that is in the fetched lists only is installed with the others" {
	fake_line id 'echo 0'
	LATER=chromium run -0 setup_sh --tests
	contains "$(calls_with git)" ' chromium '
	[ "$(grep -c update "$APT_LOG")" = 1 ]
	[ "$(wc -l <"$APT_LOG")" = 3 ]
}

@test "if that call fails, the optional packages are installed one by one" {
	fake_line id 'echo 0'
	# Two packages that cannot be installed together.
	mv "$BATS_TEST_TMPDIR/fakes/apt-get" "$BATS_TEST_TMPDIR/fakes/apt"
	fake_line apt-get 'case "$*" in
*" git "*" libpq-dev "*) echo "$*" >>"$APT_LOG"; echo "E: Unable to correct problems"; exit 100 ;;
esac
exec apt "$@"'
	run -0 setup_sh
	grep -qx git "$INSTALLED"
	grep -qx libpq-dev "$INSTALLED"
	contains "$output" 'setup: installing git (optional)'
	lacks "$output" 'could not install'
	[ "$(grep -c update "$APT_LOG")" = 1 ]
}

@test "the package lists are fetched once when a package is not found" {
	fake_line id 'echo 0'
	UNKNOWN=libdw-dev run -6 setup_sh --required
	[ "$(grep -c update "$APT_LOG")" = 1 ]
	contains "$output" 'E: Unable to locate package libdw-dev'
	contains "$output" 'sudo apt-get install'
}

@test "the logs of apt-get are in a folder that only the user can write, not beside it" {
	fake_line id 'echo 0'
	ln -s "$(type -P stat)" "$(type -P ls)" "$BATS_TEST_TMPDIR/fakes/"
	# The fake apt-get lists TMPDIR and prints the mode of the folder in it, while both logs exist.
	fake_line apt-get 'ls "$TMPDIR" >"$APT_LOG"; stat -c %A "$TMPDIR"/* >>"$APT_LOG"; exit 100'
	run -6 setup_sh --required
	[ "$(wc -l <"$APT_LOG")" = 2 ]
	[ "$(tail -n 1 "$APT_LOG")" = drwx------ ]
	[ -z "$(ls "$TMPDIR")" ]
}

@test "symbols from debuginfod servers are a part of the ordinary setup" {
	fake_line id 'echo 0'
	run -0 setup_sh
	contains "$(cat "$INSTALLED")" libdebuginfod-dev
}

@test "a user without sudo: the packages and the line to type, exit 6" {
	fake_line id 'echo 1000'
	run -6 setup_sh
	contains "$output" 'setup: error: missing: gcc libc6-dev make'
	contains "$output" 'sudo apt-get install --no-install-recommends gcc'
	[ ! -s "$APT_LOG" ]
}

@test "a user whose sudo needs a password is not asked for it" {
	fake_line id 'echo 1000'
	fake_line sudo 'case "$1" in -n) exit 1 ;; *) echo asked >>"$APT_LOG"; exit 1 ;; esac'
	run -6 setup_sh
	[ ! -s "$APT_LOG" ]
}

@test "a user with a free sudo: installed through it" {
	fake_line id 'echo 1000'
	fake_line sudo '[ "$1" = -n ] || exit 9; shift; exec "$@"'
	fake_line true 'exit 0'
	run -0 setup_sh --required
	contains "$(cat "$APT_LOG")" 'noninteractive: install -y'
}

@test "what is optional may be missing: it is named, and the exit is 0" {
	fake_line id 'echo 1000'
	printf '%s\n' gcc libc6-dev make pkg-config libelf-dev libdw-dev libtraceevent-dev libseccomp-dev \
		libssl-dev libsqlite3-dev libzstd-dev libiberty-dev liblzma-dev libdeflate-dev zlib1g-dev git \
		>"$INSTALLED"
	run -0 setup_sh
	contains "$output" 'linux-perf is missing (for recording)'
	contains "$output" 'sudo apt-get install --no-install-recommends linux-perf'
	run -0 setup_sh --required
	[ "$output" = 'setup: nothing is missing' ]
}

@test "what is missing is named as in this release" {
	fake_line id 'echo 1000'
	UNKNOWN=linux-perf run -6 setup_sh
	contains "$output" 'linux-tools-generic is missing (for recording); to install it:  sudo apt-get'
	contains "$output" 'install --no-install-recommends linux-tools-generic'
	lacks "$output" 'linux-perf'
}

@test "what was installed by hand counts" {
	fake_line id 'echo 1000'
	fake_line pkg-config 'exit 0'
	fake_line cc 'exit 0'
	for tool in clang make git perf; do fake_line "$tool" 'exit 0'; done
	run -0 setup_sh
	contains "$output" 'libjs-dygraphs is missing'
	for file in doc/libc6-dbg/copyright javascript/dygraphs/dygraph.min.js; do
		mkdir -p "$BATS_TEST_TMPDIR/root/usr/share/${file%/*}"
		: >"$BATS_TEST_TMPDIR/root/usr/share/$file"
	done
	run -0 setup_sh
	[ "$output" = 'setup: nothing is missing' ]
}

@test "another system than Debian: the names, and no attempt" {
	rm "$BATS_TEST_TMPDIR/fakes/apt-get" "$BATS_TEST_TMPDIR/fakes/dpkg-query"
	fake_line id 'echo 0'
	run -6 setup_sh
	contains "$output" 'libtraceevent-dev'
	contains "$output" 'this system has no apt-get'
}

@test "--dry-run installs nothing; an unknown option is usage" {
	fake_line id 'echo 0'
	run -6 setup_sh --dry-run
	[ ! -s "$APT_LOG" ]
	run -2 setup_sh --yes
}

#!/usr/bin/env bats
# distro.bats - test which packages run-distro.sh installs, from which sources, and what it runs in the new root

load helper

setup() {
	in_empty_folder
	export LOG=$BATS_TEST_TMPDIR/log ROOT=$BATS_TEST_TMPDIR/root
	fake_line id 'echo 0'
	fake_line apt-get \
		'printf "%s\n" "Other|Other|http://other.invalid/" "Debian|Debian|http://mirror.invalid/debian/"'
	fake_line apt-config \
		'printf "%s\n" "Acquire::http::Proxy \"http://proxy.invalid\";" "Acquire::Languages \"none\";"'
	fake_line mmdebstrap 'echo "$*" >"$LOG"
for word; do case $word in --aptopt=*) cat "${word#*=}" >>"$LOG" ;; esac; done
mkdir -p "$ROOT/root" "$ROOT/etc"'
	fake_line git 'mkdir -p "$4"'
	fake_line unshare 'for word; do last=$before before=$word; done; echo "$last" >>"$LOG"
case $last in *"${BROKEN:-nothing}"*) echo it broke >"$ROOT/root/check.log"; exit 2 ;; esac
touch "$ROOT/root/demo.log"; echo "7 passed, 0 failed, 0 skipped" >"$ROOT/root/check.log"'
}

@test "the packages come from the mirror and by the settings of this machine's APT" {
	run -0 "$TOP/tests/run-distro.sh" trixie
	contains "$(cat "$LOG")" " trixie $ROOT http://mirror.invalid/debian/"
	contains "$(cat "$LOG")" 'Acquire::http::Proxy "http://proxy.invalid";'
	lacks "$(cat "$LOG")" 'Acquire::Languages'
	ROOT=$ROOT-2 MIRROR=http://else.invalid run -0 "$TOP/tests/run-distro.sh" noble
	contains "$(cat "$LOG")" " noble $ROOT-2 http://else.invalid"
}

@test "make demo and make check run in a new clone, and the root is used again" {
	run -0 "$TOP/tests/run-distro.sh" trixie
	contains "$(cat "$LOG")" 'cd /root/hotdrift && make demo'
	contains "$(cat "$LOG")" 'cd /root/hotdrift && make check'
	contains "$output" 'trixie: make check: 7 passed, 0 failed, 0 skipped'
	contains "$output" 'distro: 2 passed, 0 failed, 0 skipped'
	: >"$LOG"
	run -0 "$TOP/tests/run-distro.sh" trixie check-cli
	lacks "$(cat "$LOG")" 'mirror.invalid'
	contains "$(cat "$LOG")" 'make check-cli'
}

@test "a command that fails shows the end of its output, and the exit is 1" {
	export BROKEN='make check'
	run -1 "$TOP/tests/run-distro.sh" trixie
	contains "$output" 'it broke'
	contains "$output" 'distro: 1 passed, 1 failed, 0 skipped'
}

@test "without root it says so and makes nothing" {
	fake_line id 'echo 1000'
	run -6 "$TOP/tests/run-distro.sh" trixie
	contains "$output" 'sudo make check-distro RELEASE=trixie'
	[ ! -e "$LOG" ]
}

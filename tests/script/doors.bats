#!/usr/bin/env bats
# doors.bats - test the scripts flamegraph.sh, profile_hotspots.sh and demo.sh, which all run profile.sh

load helper

setup() {
	in_empty_folder
	fake perf
	export FAKE_RECORDING=$SHIPPED/perf.data
}

@test "flamegraph.sh draws a recording as hotdrift flame does" {
	run -0 flamegraph.sh "$SHIPPED/perf.data" --symfs "$SHIPPED/symfs" -o one.svg
	"$HOTDRIFT" flame "$SHIPPED/perf.data" --symfs "$SHIPPED/symfs" -o two.svg 2>"$TMPDIR/messages"
	cmp one.svg two.svg
	contains "$(cat one.svg)" vector_dot
}

@test "flamegraph.sh -- CMD records, and prints nothing but the path of the picture" {
	run -0 --separate-stderr flamegraph.sh -- echo words
	[ -s "$output" ]
	[ "$output" = "$(only_run)/flamegraph.svg" ]
	contains "$stderr" words
}

@test "flamegraph.sh -o OUT -- CMD writes the picture there, too" {
	run -0 --separate-stderr flamegraph.sh -o one.svg -- echo words
	[ "$output" = one.svg ]
	grep -q '<svg' one.svg
	run -0 --separate-stderr flamegraph.sh --output=two.svg -- echo words
	grep -q '<svg' two.svg
}

@test "flamegraph.sh passes the status on, with the picture of what was recorded" {
	run -6 --separate-stderr flamegraph.sh --no-db -- false
	[ "$output" = "$(only_run)/flamegraph.svg" ]
	run -2 flamegraph.sh
	contains "$output" 'usage: flamegraph.sh'
	run -5 flamegraph.sh "$TOP/README.md"
}

@test "an interrupt of flamegraph.sh -- CMD ends the recording, whose picture is written" {
	env --default-signal=INT setsid \
		flamegraph.sh -o out.svg --no-db -- sh -c "$begins" >out 2>err 3>&- &
	signal_when started INT $! "-$!"
	[ "$status" = 0 ]
	[ "$(cat out)" = out.svg ]
	grep -q '<svg' out.svg
}

@test "profile_hotspots.sh is profile.sh cpu" {
	run -0 profile_hotspots.sh --freq 299 -- true
	[ "$(of_run .mode)" = cpu ]
	[ "$(of_run .freq)" = 299 ]
	run -2 profile_hotspots.sh --nonsense
}

# checkout_program FOLDER: copy hotdrift to FOLDER of a checkout that has the scripts of this one, and print the path of
# the copy.  The program under test can be anywhere (make O=DIR), and hotdrift finds its recorder relative to itself.
checkout_program() {
	mkdir -p "checkout/$1"
	[ -e checkout/scripts ] || ln -s "$TOP/scripts" checkout/scripts
	cp "$(readlink -f "$HOTDRIFT")" "checkout/$1/hotdrift"
	printf '%s/checkout/%s/hotdrift' "$PWD" "$1"
}

@test "hotdrift profile runs the recorder of its checkout, or the one that is installed with it, without a shell" {
	other=$(checkout_program build/debug)
	program=$(checkout_program build)
	unset HOTDRIFT
	run -0 "$other" profile --no-db -- sh -c 'echo "$HOTDRIFT"'
	contains "$output" "$other"
	rm -r results
	run -0 "$program" profile --no-db -- sh -c 'printf "<%s>" "$1" "${HOTDRIFT_DOOR:-unset}"' x \
		'a "b" $(touch made) ; c'
	contains "$output" '<a "b" $(touch made) ; c><unset>'
	[ ! -e made ]
	[ "$(of_run .mode)" = cpu ]
	run -2 "$program" profile
	contains "$output" 'hotdrift profile: error: nothing to record; give a command'
	contains "$output" 'hotdrift profile cpu -- CMD'
	mkdir -p usr/bin usr/libexec/hotdrift
	cp "$program" usr/bin/hotdrift
	run -6 usr/bin/hotdrift profile -- true
	contains "$output" "there is no profile.sh beside $PWD/usr/bin/hotdrift"
	cp -R "$TOP/scripts/lib" "$TOP/scripts/profile.sh" usr/libexec/hotdrift/
	rm -r results
	run -0 usr/bin/hotdrift profile cpu --no-db -- sh -c 'echo "$HOTDRIFT"'
	contains "$output" "$PWD/usr/bin/hotdrift"
}

@test "hotdrift profile leaves the signals of the recorded program as they are by default" {
	# hotdrift ignores SIGPIPE (13) and SIGXFSZ (25).  The shell that starts the tests can ignore others, which
	# programs inherit.
	program=$(checkout_program build)
	run -0 "$program" profile --no-db -- sh -c 'sed -n "s/^SigIgn:./ignored=/p" /proc/self/status'
	ignored=$(echo "$output" | sed -n 's/^ignored=//p')
	[ -n "$ignored" ]
	[ $((0x$ignored & (1 << 12 | 1 << 24))) = 0 ]
}

@test "the help of hotdrift profile is that of profile.sh" {
	run -0 profile.sh cpu --help
	[ "$output" = "$("$HOTDRIFT" profile --help)" ]
	contains "$output" '--max-size SIZE'
}

@test "the doors work through a link to them" {
	ln -s "$TOP/scripts/profile_hotspots.sh" hotspots
	ln -s "$TOP/scripts/profile.sh" profile
	run -0 ./hotspots --no-db -- true
	run -0 ./profile cpu --no-db -- true
}

@test "installed, they find the program that is installed with them" {
	mkdir -p usr/bin usr/libexec/hotdrift
	cp -R "$TOP/scripts/lib" "$TOP/scripts/profile.sh" "$TOP/scripts/flamegraph.sh" usr/libexec/hotdrift/
	printf '#!/bin/sh\necho found >&2\nexec "%s" "$@"\n' "$(readlink -f "$HOTDRIFT")" >usr/bin/hotdrift
	chmod +x usr/bin/hotdrift
	unset HOTDRIFT
	run -0 usr/libexec/hotdrift/flamegraph.sh "$SHIPPED/perf.data" -o one.svg
	contains "$output" found
	[ -s one.svg ]
	run -0 usr/libexec/hotdrift/profile.sh cpu --no-db -- true
	contains "$output" found
}

@test "without a program they say how to get one" {
	mkdir -p elsewhere
	cp -R "$TOP/scripts" elsewhere/
	unset HOTDRIFT
	PATH=$BATS_TEST_TMPDIR/fakes:/usr/bin:/bin run -6 elsewhere/scripts/profile.sh cpu -- true
	contains "$output" 'the program hotdrift is neither built nor installed'
	contains "$output" 'make  '
}

# ---- the demo

# Copy the project as far as the demo reads it, so that its results are in the copy.
project() {
	mkdir -p project/fixtures
	cp -R "$TOP/scripts" "$TOP/Makefile" "$TOP/hotdrift.ini" "$TOP/include" "$TOP/src" project/
	cp -R "$TOP/fixtures/workloads" "$TOP/fixtures/recordings" project/fixtures/
	cd project || return 1
	unset O
}

@test "the demo analyses the shipped recording where there is no perf, says why, and exits with 0" {
	project
	HOTDRIFT_PERF=/nonexistent run -0 scripts/demo.sh
	contains "$output" "there is no perf at '/nonexistent'"
	contains "$output" 'sudo apt-get install linux-perf'
	contains "$output" 'fixtures/recordings/memgraph-cpu is analysed instead'
	contains "$output" vector_dot
	contains "$output" spread_along
	[ "$(of_run .status)" = fixture ]
	[ -s "$(only_run)/flamegraph.svg" ]
	contains "$output" "$(only_run)/flamegraph.svg"
	[ -s results/report.html ]
	contains "$output" results/report.html
	contains "$output" "run         $(of_run .run) in results/hotspots.db"
	[ "$(sqlite3 results/hotspots.db "select status from run")" = fixture ]
	lacks "$output" "$PWD"
	run -0 "$HOTDRIFT" expect fixtures/workloads/memgraph/expect.txt --run "$(of_run .run)" --db results/hotspots.db
	contains "$output" '6 of 6 expectations met'
}

@test "the demo says how to allow perf where the setting forbids it" {
	project
	fake_user
	export HOTDRIFT_PARANOID_FILE=$BATS_TEST_TMPDIR/paranoid
	echo 3 >"$HOTDRIFT_PARANOID_FILE"
	FAKE_PERF=paranoid run -0 scripts/demo.sh
	contains "$output" 'sudo sysctl kernel.perf_event_paranoid=1'
	[ "$(of_run .status)" = fixture ]
}

@test "the demo profiles the workload where perf records" {
	rm "$BATS_TEST_TMPDIR/fakes/perf"
	profile.sh cpu --check >out 2>&1 || skip "perf cannot record here: $(head -n 1 out)"
	project
	run -0 scripts/demo.sh
	contains "$output" vector_dot
	contains "$output" "run         $(of_run .run) in results/hotspots.db"
	[ "$(of_run .status)" = ok ]
	[ "$(of_run .target)" = memgraph ]
	first=$(of_run .run)
	run -0 scripts/demo.sh
	contains "$output" "since    $first"
	[ "$(sqlite3 results/hotspots.db 'select count(*) from run')" = 2 ]
}

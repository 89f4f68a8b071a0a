#!/usr/bin/env bats
# check.bats - test check.sh and the runners of the suites: a suite that does not run does not pass

load helper

setup() {
	in_empty_folder
	mkdir scripts tests
	cp "$TOP/scripts/check.sh" scripts/
	cp "$TOP/tests/suite.sh" tests/
	export O=$PWD/out
}

# suite NAME TEXT STATUS: make a suite NAME that prints TEXT and exits with STATUS
suite() {
	printf 'check-%s:\n\t@printf %s; exit %s\n' "$1" "'$2'" "$3" >>Makefile
}

@test "the counts of the suites are added up, and the last line is the sum" {
	suite one 'one: 3 passed, 0 failed, 1 skipped\n' 0
	suite two 'two: 20 passed, 0 failed, 0 skipped\n' 0
	run -0 scripts/check.sh one two
	[ "${lines[-1]}" = '23 passed, 0 failed, 1 skipped' ]
}

@test "the line of a suite has its wall time and the CPU time of all its processes" {
	suite one 'one: 1 passed, 0 failed, 0 skipped\n' 0
	sed -i 's/@printf/@(ulimit -t 1; while :; do :; done); printf/' Makefile
	run -0 scripts/check.sh one
	[[ ${lines[0]} =~ ^'one: 1 passed, 0 failed, 0 skipped ('[0-9]+' s, '([0-9]+)' s CPU)'$ ]]
	[ "${BASH_REMATCH[1]}" -ge 1 ]
}

@test "a suite that passes shows its count and what it skipped, one that fails everything" {
	suite one 'words\nskipped: a test: no perf\none: 3 passed, 0 failed, 1 skipped\n' 0
	suite two 'reasons\ntwo: 1 passed, 2 failed, 0 skipped\n' 1
	run -1 scripts/check.sh one two
	lacks "$output" words
	contains "$output" 'skipped: a test: no perf'
	contains "$output" reasons
	[ "${lines[-1]}" = '4 passed, 2 failed, 1 skipped' ]
}

@test "a suite without its count, without its runner, or of another name is a failure" {
	suite silent '' 0
	suite other 'another: 5 passed, 0 failed, 0 skipped\n' 0
	for name in silent other absent; do
		run -1 scripts/check.sh "$name"
		[ "${lines[-1]}" = '0 passed, 1 failed, 0 skipped' ]
	done
}

@test "a suite that fails though no test failed is a failure" {
	suite one 'one: 3 passed, 0 failed, 0 skipped\n' 1
	run -1 scripts/check.sh one
	[ "${lines[-1]}" = '3 passed, 1 failed, 0 skipped' ]
}

@test "suites run at the same time, as many as LANES says, and each is reported as soon as it ends" {
	mkfifo pipe told
	suite slow 'slow: 1 passed, 0 failed, 0 skipped\n' 0
	sed -i 's/@printf .slow/@read -r x <pipe; &/; s/; @printf/; printf/' Makefile
	suite fast 'fast: 2 passed, 0 failed, 0 skipped\n' 0
	LANES=2 scripts/check.sh slow fast >told &
	exec 7<told
	read -r first <&7
	echo go >pipe
	read -r second <&7
	read -r sum <&7
	wait $!
	contains "$first" 'fast: 2 passed'
	contains "$second" 'slow: 1 passed'
	[ "$sum" = '3 passed, 0 failed, 0 skipped' ]
}

# ---- run-unit.sh

unit_test() {
	printf '#include <stdlib.h>\n#include "test.h"\n%s\n' "$1" >"$2.c"
	"${CC:-gcc}" -I"$TOP/tests" -o "$2" "$2.c" -lcmocka
}

@test "run-unit.sh counts what passed, failed and was skipped" {
	unit_test 'TEST(good) { EXPECT(1); } TEST(bad) { EXPECT_INT(1, 2); } TEST(not_here) { SKIP("no perf"); }
		TEST_MAIN(RUN(good), RUN(bad), RUN(not_here))' mixed
	run -1 "$TOP/tests/run-unit.sh" ./mixed
	[ "${lines[-1]}" = 'unit: 1 passed, 1 failed, 1 skipped' ]
	contains "$output" 'skipped: not_here: no perf'
	contains "$output" '0x1 != 0x2'
}

@test "run-unit.sh sees a program that dies, ends early, or fails behind its tests" {
	unit_test 'TEST(good) { EXPECT(1); } TEST(dies) { abort(); } TEST_MAIN(RUN(good), RUN(dies))' dies
	unit_test 'TEST(leaves) { _Exit(0); } TEST(good) { EXPECT(1); } TEST_MAIN(RUN(leaves), RUN(good))' leaves
	unit_test 'static void at_end(void) { _Exit(23); }
		TEST(good) { atexit(at_end); EXPECT(1); } TEST_MAIN(RUN(good))' late
	for program in ./dies ./leaves ./late; do
		run -1 "$TOP/tests/run-unit.sh" "$program"
		contains "${lines[-1]}" ' 1 failed, 0 skipped'
	done
	run -1 "$TOP/tests/run-unit.sh"
}

# ---- run-cli.sh

# Make a copy of the runner with a single case, which is read from standard input.
golden() {
	mkdir -p tests/cli/x fixtures
	cp "$TOP/tests/run-cli.sh" "$TOP/tests/golden.sh" "$TOP/tests/suite.sh" tests/
	cat >tests/cli/x/case.sh
}

@test "run-cli.sh compares what was printed and the status, and shows the difference" {
	golden <<<'echo out; echo err >&2; exit 3'
	run -1 tests/run-cli.sh
	contains "$output" '+out'
	contains "$output" '+err'
	contains "$output" '+3'
	[ "${lines[-1]}" = 'cli: 0 passed, 1 failed, 0 skipped' ]
	UPDATE=1 run -0 tests/run-cli.sh
	[ "$(cat tests/cli/x/case.stdout tests/cli/x/case.stderr tests/cli/x/case.exit)" = $'out\nerr\n3' ]
	run -0 tests/run-cli.sh
	[ "${lines[-1]}" = 'cli: 1 passed, 0 failed, 0 skipped' ]
}

@test "run-cli.sh: what is not expected in a file must not be printed" {
	golden <<<'echo out'
	run -1 tests/run-cli.sh
	golden <<<':'
	run -0 tests/run-cli.sh
	UPDATE=1 run -0 tests/run-cli.sh
	[ "$(ls tests/cli/x)" = case.sh ]
}

@test "run-cli.sh gives a case an empty folder, the program and the fixtures, and names what is skipped" {
	golden <<<'ls -A; hotdrift --version | cut -d" " -f1; test -d "$FIXTURES"; ls -A "$HOME"'
	echo hotdrift >tests/cli/x/case.stdout
	run -0 tests/run-cli.sh
	golden <<<'echo "no perf here" >&2; exit 77'
	run -0 tests/run-cli.sh
	contains "$output" 'skipped: x/case: no perf here'
	[ "${lines[-1]}" = 'cli: 0 passed, 0 failed, 1 skipped' ]
}

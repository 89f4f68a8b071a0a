#!/usr/bin/env bats
# spans.bats - test spans of libhotdrift for the asynchronous tasks of fixtures/async, and their waits in a recording

load helper

setup() {
	export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}	# in_empty_folder changes HOME
	in_empty_folder
	O=$(dirname "$HOTDRIFT")
	[ -e "$O/libhotdrift.a" ] || skip 'libhotdrift was not built'
	case ${SAN:-} in ?*) skip 'the library is not instrumented' ;; esac
}

# build TARGET: build a program of fixtures/async
build() { env -u MAKEFLAGS make -s -C "$TOP/fixtures/async" O="$PWD/build" LIB="$O" "$1"; }

# expect_polls [N]: check that each of the 3 tasks `parse` was polled N (2) times, and slept 10 ms in its second poll.
# The first poll is not checked, because it can take as long on a busy machine.
expect_polls() {
	[ "$(head -n 1 spans.csv)" = t_ns,duration_ns,pid,tid,span,parent,name ]
	[ "$(grep -c '"parse"$' spans.csv)" = $((3 * ${1:-2})) ]
	[ "$(sort -t, -n spans.csv | awk -F, '/"parse"$/ && ++poll[$5] == 2 && $2 >= 10000000 { n++ }
		END { print n }')" = 3 ]
	[ "$(awk -F, '/"parse"$/ { print $5 }' spans.csv | sort -u | wc -l)" = 3 ]
}

@test "coroutines of C++20 are spans: polls on several threads, and a span inside of another one" {
	echo '#include <coroutine>' | c++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null || skip 'c++ has no coroutines'
	build "$PWD/build/coroutine"
	build/coroutine 3 spans.csv
	expect_polls
}

@test "futures of Rust are spans, by the C interface" {
	rustc --version >/dev/null 2>&1 || skip 'rustc is not installed'
	build "$PWD/build/future"
	build/future 3 spans.csv
	expect_polls
}

@test "tasks of tokio are spans, by tracing" {
	cargo --version >/dev/null 2>&1 || skip 'cargo is not installed'
	for crate in tokio-1 tracing-0.1; do
		compgen -G "/usr/share/cargo/registry/$crate*" >/dev/null ||
			skip "the crate ${crate%-*} is not installed (librust-${crate%-*}-dev)"
	done
	build tokio
	build/tokio/target/release/tasks 3 spans.csv
	# tracing 0.1.38 and later enter the span once more, to drop the future.
	local version
	version=$(basename /usr/share/cargo/registry/tracing-0.1* | sed 's/.*-//')
	if printf '0.1.38\n%s\n' "$version" | sort -CV; then expect_polls 3; else expect_polls; fi
}

@test "report --spans lists what the polls of a recording waited for" {
	need_clock_of_perf
	events=(-e dummy:u --switch-events -k CLOCK_MONOTONIC -e sched:sched_switch -e sched:sched_wakeup -c 1 -R)
	if ! command -v perf >/dev/null || ! perf record -N -q "${events[@]}" -o probe -- true 2>/dev/null; then
		skip 'perf cannot record switches here'
	fi
	echo '#include <coroutine>' | c++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null || skip 'c++ has no coroutines'
	build "$PWD/build/coroutine"
	perf record -N -q "${events[@]}" -o perf.data -- build/coroutine 3 spans.csv
	"$HOTDRIFT" report --spans spans.csv --json perf.data >spans.json
	[ "$(jq -r '.format, (.rows[] | select(.span == "parse") | .spans, .polls)' spans.json | tr '\n' ' ')" = \
		'hotdrift.spans 3 6 ' ]
	# Each task slept 10 ms inside of its poll, so it was off the CPU for at most the time of its polls.  A busy
	# machine can take the CPU from a thread before it sleeps: that time of the sleep is not blocked.
	jq -e '.rows[] | select(.span == "parse") | .off_cpu_ns >= 29000000 and .off_cpu_ns <= .busy_ns and
		.blocked_ns >= 15000000 and .blocked_ns <= .off_cpu_ns' spans.json
	# The waits for the timer are outside of the polls.
	jq -e '.unmatched_ns >= 10000000' spans.json
	# Spans of another run, or of another clock, are none of this recording.
	awk -F, -v OFS=, 'NR > 1 { $1 = sprintf("%.0f", $1 + 500000e9) } { print }' spans.csv >later.csv
	for by in --json --by=span; do
		run -0 --separate-stderr "$HOTDRIFT" report --spans later.csv "$by" perf.data
		contains "$stderr" 'later.csv: all polls are '
		contains "$stderr" ' s after the recording, so that no sample is in one'
		run -0 --separate-stderr "$HOTDRIFT" report --spans spans.csv "$by" perf.data
		lacks "$stderr" 'polls'
	done
	"$HOTDRIFT" report --spans spans.csv --by span --event blocked --json perf.data |
		jq -e --slurpfile table spans.json '[.rows[] | select(.span == "parse") | .self] | add
			== ($table[0].rows[] | select(.span == "parse") | .blocked_ns)'
}

@test "a recording with another clock is rejected" {
	if ! command -v perf >/dev/null ||
		! perf record -N -q -e sched:sched_switch -o perf.data -- true 2>/dev/null; then
		skip 'perf cannot record switches here'
	fi
	echo t_ns,duration_ns,pid,tid,span,parent,name >spans.csv
	run "$HOTDRIFT" report --spans spans.csv perf.data
	[ "$status" = 5 ]
	contains "$output" "perf.data: --spans: its times are not those of CLOCK_MONOTONIC"
}

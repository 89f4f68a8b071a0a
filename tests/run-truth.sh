#!/bin/bash
# run-truth.sh [BUILD...] - record programs with known stacks, and compare every stack
#
#   fixtures/workloads/truth   the programs, their stacks (truth.h) and their builds
#   tests/truth/check.awk      the comparison; at most one stack in a thousand may be wrong
#   tests/truth/record.sh      one build: recorded, and folded with and without inlined frames and stitching
#
# A test is one scenario of one build, folded in one way.  After that come known faults of other tools.
#
#   TURNS=20000000   duration of a scenario: about 7 ms
#   KEEP=DIR         keep recordings, folded stacks and results in DIR
# Conditions are functions, called by name.
# shellcheck disable=SC2317
set -u
export LC_ALL=C
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite truth
root=$top workload=$top/fixtures/workloads/truth
export hotdrift bin=$O/workloads/truth check=$root/tests/truth/check.awk
export PERF=${PERF:-perf} TURNS=${TURNS:-20000000} KEEP=${KEEP:-}

if [ -n "$KEEP" ]; then
	dir=$KEEP
	mkdir -p "$dir" || exit 1
else
	temporary_folder
	dir=$tmp
fi
cd "$dir" || exit 1

if ! command -v "$PERF" >/dev/null; then
	skip "known stacks" "perf is not installed (Debian: linux-perf)"
	finish
fi
if ! "$PERF" record -N -q -e cpu-clock:u --call-graph dwarf -o probe.data -- true >probe.log 2>&1; then
	skip "known stacks" "perf cannot record here: $(head -n 1 probe.log)"
	finish
fi
# The truth programs are always built with gcc, whatever compiler built hotdrift.
if command -v gcc >/dev/null; then CC=gcc; else CC=${CC:-cc}; fi
builder=(env -u MAKEFLAGS -u DEV make -s -C "$workload" O="$bin" CC="$CC")
if ! "${builder[@]}" -j"$(nproc)" >build.log 2>&1; then
	fail "the truth programs" "they do not build"
	cat build.log
	finish
fi

has_cxx() { "$bin/gcc/truth" --expect | grep -q '^cxx-'; }

# ---- every stack of every build

read -ra builds \
	<<<"${*:-$("${builder[@]}" list forms | tr '\n' ' ') fp fp-clang copies-64k kernel rust-legacy rust-v0 go}"
possible=()
for build in "${builds[@]}"; do
	case $build in
	fp | copies-64k | kernel) possible+=("$build") ;;
	fp-clang) [ ! -x "$bin/clang-fp/truth" ] || possible+=("$build") ;;
	*) [ ! -d "$bin/$build" ] || possible+=("$build") ;;
	esac
done
printf '%s\n' "${possible[@]}" | xargs -P "$(nproc)" -n 1 "$root/tests/truth/record.sh"
stacks=0 wrong=0
for build in "${possible[@]}"; do
	if [ "$build" = kernel ] && grep -q '^not ok record' kernel.results; then
		skip "stacks that end in the kernel" "perf may not look into it here"
		continue
	fi
	if ! grep -q '^ok' "$build.results"; then
		fail "$build" "$(head -n 1 "$build.results")"
		continue
	fi
	passes "$(grep -c '^ok' "$build.results")"
	failed=$((failed + $(grep -c '^not ok' "$build.results")))
	awk -v build="$build" '/^not ok/ { sub(/^not ok/, "FAILED: " build ":"); print; next } /^    / && n++ < 20' \
		"$build.results"
	read -r n bad < <(awk '/^# total/ { n += $3; bad += $5 } END { print n + 0, bad + 0 }' "$build.results")
	stacks=$((stacks + n)) wrong=$((wrong + bad))
done
has_cxx || skip "C++" "g++ is not installed"
[ -d "$bin/clang" ] || skip "builds by clang" "clang is not installed"
[ -d "$bin/lld" ] || skip "builds by lld" "ld.lld is not installed"
[ -d "$bin/rust-v0" ] || skip "Rust" "rustc is not installed"
[ -d "$bin/go" ] || skip "Go" "go is not installed"
[ -d "$bin/dwz" ] || skip "debug information packed by dwz" "dwz is not installed"
if [ "$stacks" -gt 0 ] && [ "$((wrong * 1000))" -le "$stacks" ]; then
	pass
else
	fail "999 stacks of 1000 are as known" "$wrong of $stacks are not"
fi
echo "note: $stacks stacks judged in ${#possible[@]} recordings, $wrong of them wrong"
if [ $# -gt 0 ]; then
	finish
fi

# ---- stacks that other tools got wrong (docs/peers.md), and that hotdrift must get right

ok() {	# BUILD SCENARIO...: 0 if each scenario passed in both foldings; those in C++ are skipped without a compiler
	local build=$1 s
	shift
	for s; do
		case $s in cxx-*) has_cxx || continue ;; esac
		grep -q "^ok $s " "$build.results" && grep -q "^ok - $s " "$build.results" || return 1
	done
}
# stacks_of FILE [SCENARIO...]: print the folded stacks of these scenarios (default: all) without comm and weight
stacks_of() {
	local file=$1
	shift
	awk -v which="$*" 'BEGIN { n = split(which, w, " "); for (i = 1; i <= n; i++) want[w[i]] }
		{
			sub(/ [0-9]+$/, ""); comm = $0; sub(/;.*/, "", comm); sub(/^[^;]*;/, "")
			if (!n || comm in want) print
		}' "$file"
}
fault() {	# SENTENCE CONDITION...: a test that is called SENTENCE and passes if the command CONDITION succeeds
	local sentence=$1
	shift
	if "$@"; then pass; else fail "$sentence" "it is not so"; fi
}
has() { [ -d "$bin/$1" ]; }

# perf 6.1 shows only the leaf in 842 of 872 such stacks of a run of cc1.  As in check.awk, 2 samples and 2 % are
# exceptions: the kernel cannot copy a stack whose page is not in memory at that moment.
no_leaf_alone() {
	ok gcc processes exec && awk -F';' '
		/^(processes|exec);/ { n = $NF; sub(/.* /, "", n); all += n; if (NF < 5) alone += n }
		END { exit !(all && alone <= 2 + all / 50) }' gcc.inline
}
fault "leaves in libc keep their stacks in each of many processes" no_leaf_alone

# perf 7.2 fails if the text segment does not start at the start of its page.
mid_page() {
	readelf -lW "$bin/lld/truth" | awk \
		'$1 == "LOAD" && / R E / && substr($2, length($2) - 2) != "000" { found = 1 } END { exit !found }' &&
	ok lld recursion50 threads cxx-destructor dlopen &&
	ok lld-no-rosegment recursion50 threads cxx-destructor dlopen
}
! has lld || fault "programs linked by lld, whose text begins within a page, are unwound to the root" mid_page

# all versions of perf give this code the name of the function around it
static_named() {
	ok "$1" cxx-static && stacks_of "$1.inline" cxx-static >few &&
	grep -q ';truth::inline_mid;truth::Pool::drain;truth::settle$' few && ! grep -q ';truth::inline_mid$' few
}
if has_cxx; then
	fault "an inlined C++ static is not called by the name of the function around it" static_named gcc
	! has clang || fault "nor in a build by clang" static_named clang
fi

# perf 6.x has no inlined frames in these chains
inlined_in_chains() {
	ok fp inlined-call inlined-leaf inlined-twice cxx-static && stacks_of fp.inline inlined-leaf >few &&
		grep -q ';nest_11;nest_12$' few
}
fault "frame-pointer chains have inlined frames" inlined_in_chains

# hotspot's perfparser stops at 64 frames, perf script at 127 by default
deeper() {
	ok gcc recursion100 recursion300 && awk -F';' \
		'$1 == "recursion300" && /;leaf_rec300 / && NF >= 300 { found = 1 } END { exit !found }' gcc.plain
}
fault "stacks do not end at 64 or 127 frames" deeper

# hotspot's perfparser prints legacy names of Rust without demangling
readable() {
	ok gcc names && stacks_of gcc.inline names >few && grep -q ';truth::legacy::busy;truth::mangled::busy;' few ||
		return 1
	! has rust-legacy || { ok rust-legacy rust-dyn &&
		! grep -qE '17h[0-9a-f]{16}|::h[0-9a-f]{16}|_ZN|_RN' rust-legacy.inline rust-v0.inline; }
}
fault "Rust names are readable, legacy and v0, without their hashes" readable

# readers like framehop print the nearest symbol before the address, at any distance
no_neighbour() {
	ok stripped recursion50 tail threads || return 1
	{ nm "$bin/gcc/truth"; nm "$bin/gcc/plugin-a.so"; nm "$bin/gcc/plugin-b.so"; nm "$bin/gcc/shared.so"; } |
		awk '$2 ~ /^[tTwW]$/ && $3 !~ /^(_.*|main|frame_dummy|(de)?register_tm_clones)$/ { print $3 }' |
		sort -u >all-names
	# An exported function that runs keeps its name; noret_behind is exported and never runs.
	{ nm -D "$bin/stripped/shared.so"; nm -D "$bin/stripped/plugin-a.so"; } | awk '$2 == "T" { print $3 }' |
		sort -u >exported
	comm -23 all-names exported >lost-names
	grep -qx noret_behind lost-names && grep -qx rec50 lost-names || return 1
	stacks_of stripped.inline | tr ';' '\n' | sort -u | comm -12 - lost-names >said
	[ ! -s said ] || { echo "said: $(head -n 3 said | tr '\n' ' ')"; return 1; }
}
fault "stripped programs have no name of a neighbour, and stacks as deep as they are" no_neighbour

# perf 6.1 cuts every stack of these three to one frame
unindexed() {
	ok no-hdr recursion50 qsort timer && ok static recursion50 qsort timer cxx-catch &&
		ok gcc-debug-frame recursion50 qsort timer cxx-catch
}
fault "programs without .eh_frame_hdr, static ones and those with .debug_frame alone are unwound" unindexed

# perf 6.1 reads beyond the copy and adds one or two invalid frames
nothing_behind() {
	# Code on the way to the leaf may have no name.
	stacks_of gcc.plain deep silent | grep -E ';leaf_(deep|deep_level|silent)$' >few && ! grep -q 'unknown' few &&
		grep -q '^deep;deep;deep;' few
}
fault "where the copy ends the stack ends, and nothing is made up" nothing_behind

# perf 6.1 cuts every stack of Go to one frame
whole_go() { ok go go-recursion go-inlines go-interface go-panic go-routine; }
# The CFI of Go's runtime does not say where it changes stacks.  An unwinder that follows it reads the wrong stack, and
# may take an old return address there, such as one in newproc, for the caller.  systemstack calls
# gosave_systemstack_switch while it is still on the old stack, so the callers below that pair are right.
go_roots() {
	stacks_of go.plain go-grow >few && grep -qE '^runtime\.(mcall|systemstack)' few &&
		! grep -vE ';runtime\.systemstack(\.abi0)?;gosave_systemstack_switch(\.abi0)?$' few |
		grep -E ';runtime\.(mcall|morestack|systemstack)(\.abi0)?;'
}
! has go || fault "Go's stacks begin where its runtime changes stacks" go_roots
! has go || fault "Go is unwound through its compressed .debug_frame" whole_go

# perf prints the function that follows the call
not_behind() { ok gcc noreturn signal-first && ! grep -qE 'noret_behind|first_before' ./*.inline; }
fault "a return address is looked up before it, an interrupted one where it is" not_behind

# ---- one recording with many options

same_bytes() {
	"$hotdrift" fold -j 1 -o one gcc.data 2>/dev/null && "$hotdrift" fold -j 3 -o three gcc.data 2>/dev/null &&
		[ -s one ] && cmp -s one three
}
fault "one thread and three write the same bytes" same_bytes

counted() {
	"$hotdrift" info --json gcc.data 2>/dev/null >info.json || return 1
	deep=$(awk '/^deep;.*;leaf_deep [0-9]+$/ { n += $NF } END { print n + 0 }' gcc.inline)
	jit=$(awk '/;jit_code;leaf_jit [0-9]+$/ { n += $NF } END { print n + 0 }' gcc.inline)
	all=$(awk '{ n += $NF } END { print n }' gcc.inline)
	jq -e --argjson deep "$deep" --argjson jit "$jit" --argjson all "$all" '.stacks |
		.with_stack == $all and .stitched >= $deep and .truncated >= .stitched and $deep > 0 and
		.guessed_root >= $jit and $jit > 0 and .root_reached + .stitched_root + .guessed_root <= .with_stack' \
			info.json >/dev/null
}
if command -v jq >/dev/null; then
	fault "info counts what was stitched and what was guessed" counted
else
	skip "info counts what was stitched and what was guessed" "jq is not installed"
fi
finish

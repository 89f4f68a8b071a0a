#!/bin/bash
# record.sh BUILD - record one build of the truth program, fold it, and judge it
#
# The script makes BUILD.data, BUILD.expect, BUILD.inline (folded with the defaults), BUILD.plain (--no-inline
# --no-stitch) and BUILD.results, whose lines are `ok SCENARIO N` or `not ok SCENARIO WHY`; those of BUILD.plain have a
# `-` before the scenario.  run-truth.sh sets hotdrift, bin, check and TURNS.  Recordings other than gcc.data are
# removed unless KEEP is set.
set -u
build=$1
: "${hotdrift:?}" "${bin:?}" "${check:?}" "${TURNS:?}"
PERF=${PERF:-perf}

# For each scenario: the program, the options of perf, the options of check.awk.
program=$bin/$build/truth what=all event=cpu-clock:u
options=(--call-graph dwarf) judge=(not=kernel)
case $build in
fp | fp-clang)
	program=$bin/gcc-fp/truth what=fp options=(--call-graph fp) judge=(only=fp fp=1)
	[ "$build" = fp ] || program=$bin/clang-fp/truth
	;;
copies-64k) program=$bin/gcc/truth what=deep,silent options=(--call-graph 'dwarf,65528') \
	judge=('of=deep,silent' large=1) ;;
kernel) program=$bin/gcc/truth what=kernel event=cpu-clock judge=(only=kernel) ;;
clang) options+=(-z) ;;
no-hdr) what=nothrow judge=('not=kernel,throws') ;;
rust-* | go) program=$bin/$build/${build%-*} judge=() ;;
stripped) judge+=(names=0) ;;
dwarf? | type-units | split* | compressed | debug-names | dwz) what=inlines judge=(only=inlines) TURNS=$((TURNS * 2)) ;;
esac
vars=()
for j in "${judge[@]}"; do vars+=(-v "$j"); done

record() {	# TURNS
	local more=(-N -q -F 4999 -e "$event" "${options[@]}" -o "$build.data" -- "$program" "$what" "$1")

	# A larger buffer loses fewer samples, where the limits allow it.
	"$PERF" record -m 8192 "${more[@]}" >"$build.log" 2>&1 || "$PERF" record "${more[@]}" >"$build.log" 2>&1
}

fold() {	# SUFFIX OPTION...
	local to=$build.$1
	shift
	"$hotdrift" fold --weight samples "$@" -o "$to" "$build.data" 2>"$to.err" ||
		echo "not ok fold failed: $(head -n 1 "$to.err")"
}

"$program" --expect >"$build.expect" || exit 1
for turns in "$TURNS" $((TURNS * 5)) $((TURNS * 5)); do
	if ! record "$turns"; then
		echo "not ok record failed: $(head -n 1 "$build.log")" >"$build.results"
		exit 0
	fi
	{
		fold inline
		awk "${vars[@]}" -f "$check" "$build.expect" "$build.inline"
		fold plain --no-inline --no-stitch
		awk "${vars[@]}" -v inline=0 -v stitch=0 -f "$check" "$build.expect" "$build.plain" |
			sed 's/^\(not ok\|ok\)/& -/'
	} >"$build.results" 2>&1
	# Fast or busy machines give too few samples or lose many in a row: record again for a longer time.
	grep -qE '^not ok .* (too little seen|is cut)' "$build.results" || break
done
case ${KEEP:+keep}$build in keep* | gcc) ;; *) rm -f "$build.data" ;; esac
sed -n 's/^map: //p' "$build.log" | xargs -r rm -f
exit 0

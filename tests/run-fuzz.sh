#!/bin/bash
# run-fuzz.sh - replay the corpora of the fuzz targets; with DIR also a folder of hostile recordings
#
# Each $O/fuzz/fuzz_NAME runs over tests/fuzz/corpus/fuzz_NAME/.  With DIR, info, top and fold read each *.data of
# DIR/nasty.tar.xz under limits (10 s of CPU, 2 GiB of address space).  Its manifest.tsv gives the class of each file: a
# file of class E has damage that any bounds check finds, so status 0 without a warning fails.  DIR/elf.tar.xz contains
# damaged ELF files under root/ and an undamaged recording for each; damage may lose names and lines, with a warning,
# but no samples.  A table shows the results and the resources per class.  Tests are functions that are called by name.
# shellcheck disable=SC2317
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite fuzz
cd "$top" || exit 1
DIR=${DIR:-}
prog=$hotdrift
limited=$O/tests/limited

for target in "$O"/fuzz/fuzz_*; do
	case $target in
	*.d | *.o) continue ;;
	esac
	[ -x "$target" ] || continue
	name=$(basename "$target")
	if ! [ -d "tests/fuzz/corpus/$name" ]; then
		fail "$name: no corpus in tests/fuzz/corpus/$name"
	elif ! said=$(ulimit -t 120; V=1 "$target" "tests/fuzz/corpus/$name" 2>&1); then
		fail "$name"
		echo "$said" | tail -15
	else
		pass
	fi
done
if [ $passed = 0 ] && [ $failed = 0 ]; then
	fail "no fuzz target in $O/fuzz"
fi

# A sanitizer reserves address space without using it.
space=2048
[ -z "${SAN:-}" ] || space=0

# Return 0 for status 0 and for the statuses of bad input and other failures, but not for a signal, a time-out or a
# sanitizer.
fine_status() {
	case $1 in
	0 | 3 | 4 | 5 | 6) return 0 ;;
	esac
	return 1
}

# read_hostile FILE COMMAND [OPTION...]: set $tmp/out, $tmp/err and $status; return 1 for a result that is
# wrong for any input
read_hostile() {
	local file=$1 name
	shift
	name=$(basename "$file")
	: > "$tmp/took"
	LIMITED_OUT=$tmp/took ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS:-}" "$limited" -v "$space" "$prog" "$@" "$file" \
		> "$tmp/out" 2> "$tmp/err"
	read -r status ms kib < "$tmp/took"
	[ "$ms" -le "$max_ms" ] || max_ms=$ms
	[ "$kib" -le "$max_kib" ] || max_kib=$kib
	[ "$1" != info ] || answer=$status
	! grep -q 'warning:' "$tmp/err" || warned=1
	if ! fine_status "$status"; then
		fail "$name: $1: status $status"
		tail -3 "$tmp/err"
		return 1
	fi
	if grep -q 'runtime error:\|AddressSanitizer\|LeakSanitizer' "$tmp/err"; then
		fail "$name: $1: $(grep -m1 'runtime error:\|Sanitizer' "$tmp/err")"
		return 1
	fi
	if [ "$status" != 0 ] && ! [ -s "$tmp/err" ]; then
		fail "$name: $1: status $status and no message"
		return 1
	fi
	if [ "$status" = 0 ] && grep -q '^hotdrift: error:' "$tmp/err"; then
		fail "$name: $1: an error and status 0: $(grep -m1 error: "$tmp/err")"
		return 1
	fi
}

check_nasty() {
	local file=$1 class=$2 name cmd status
	name=$(basename "$file")
	for cmd in info top fold; do
		read_hostile "$file" "$cmd" || return
		# info reads the whole file; other commands may ignore parts that they do not need.
		if [ "$class" = E ] && [ "$cmd" = info ] && [ "$status" = 0 ] && ! grep -q 'warning:' "$tmp/err"; then
			fail "$name: $cmd: visible damage, status 0 and no warning"
			return
		fi
	done
	pass
}

# The recording is undamaged: all of its samples must be kept, and names that the damaged file cannot give must be
# reported as missing.
check_elf() {
	local file=$1 root=$2 class=$3 name status records
	name=$(basename "$file")
	read_hostile "$file" info --symfs "$root" || return
	records=$(sed -n 's/^records .* SAMPLE \([0-9,]*\).*/\1/p' "$tmp/out")
	if [ "$status" != 0 ] || [ -z "$records" ] ||
		! grep -qx "samples     $records read, $records kept" "$tmp/out"; then
		fail "$name: info: not all of its samples are kept: status $status, $(grep '^samples ' "$tmp/out")"
		return
	fi
	read_hostile "$file" fold --symfs "$root" || return
	read_hostile "$file" flame --symfs "$root" || return
	read_hostile "$file" report --symfs "$root" --by symbol,line --json || return
	if [ "$status" != 0 ]; then
		fail "$name: report: status $status"
	elif [ "$class" = E ] && grep -q '"unknown": true' "$tmp/out" && ! grep -q 'warning:' "$tmp/err"; then
		fail "$name: report: names or lines are missing without a warning"
	else
		pass
	fi
}

# unpack ARCHIVE WHAT: unpack into $tmp/in; a folder with other contents may lack the archive
unpack() {
	rm -rf "$tmp/in"
	mkdir "$tmp/in"
	if ! [ -f "$DIR/$1" ]; then
		echo "skipped: $2: no $1 in $DIR"
		skipped=$((skipped + 1))
		return 1
	fi
	tar -xJf "$DIR/$1" -C "$tmp/in" && return
	fail "$DIR/$1 cannot be unpacked"
	return 1
}

# one CHECK SET FILE CLASS ...: run the check, and record the result
one() {
	local check=$1 set=$2 class was=$failed
	shift 2
	class=${*: -1}
	max_ms=0 max_kib=0 warned=0 answer=-
	"$check" "$@"
	printf '%s %s\t%s\t%s\t%s\t%s\t%s\n' "$set" "$class" "$answer" $warned $max_ms $max_kib $((failed > was)) >> \
		"$tmp/results"
}

table() {
	sort "$tmp/results" | awk -F '\t' '
		BEGIN { printf "%-14s %6s %7s %7s %7s %9s %10s %9s %11s\n",
			"set, class", "files", "exit 0", "exit 5", "others", "warned",
			"max CPU s", "peak MiB", "violations" }
		!($1 in n) { kinds[++k] = $1 }
		{ n[$1]++; a[$1, $2 == 0 || $2 == 5 ? $2 : "x"]++; w[$1] += $3; bad[$1] += $6
		  if ($4 > ms[$1]) ms[$1] = $4
		  if ($5 > kib[$1]) kib[$1] = $5 }
		END { for (i = 1; i <= k; i++) { c = kinds[i]
			printf "%-14s %6d %7d %7d %7d %9d %10.2f %9.0f %11d\n", c, n[c], a[c, 0], a[c, 5], a[c, "x"],
				w[c], ms[c] / 1000, kib[c] / 1024, bad[c] } }'
}

class_of() {
	awk -F '\t' -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "class") col = i }
		$1 == name { print $col }' "$(find "$tmp/in" -name manifest.tsv | head -1)"
}

if [ -n "$DIR" ] && ! [ -x "$prog" ]; then
	fail "no $prog: run make first"
elif [ -n "$DIR" ] && ! [ -x "$limited" ]; then
	fail "no $limited: type make check-fuzz"
elif [ -n "$DIR" ]; then
	temporary_folder
	: > "$tmp/results"
	if unpack nasty.tar.xz 'hostile recordings'; then
		while IFS= read -r file; do
			one check_nasty recordings "$file" "$(class_of "$(basename "$file")")"
		done < <(find "$tmp/in" -name '*.data' | sort)
	fi
	if unpack elf.tar.xz 'hostile ELF files'; then
		root=$(find "$tmp/in" -name root -type d | head -1)
		while IFS= read -r file; do
			one check_elf programs "$file" "$root" "$(class_of "$(basename "$file" .perf.data)")"
		done < <(find "$tmp/in" -name '*.data' -not -path "$root/*" | sort)
	fi
	table
fi
finish

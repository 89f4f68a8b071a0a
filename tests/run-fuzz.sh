#!/bin/bash
# run-fuzz.sh - replay the corpora of the fuzz targets; with DIR also a folder of hostile recordings
#
# Each $O/fuzz/fuzz_NAME runs over tests/fuzz/corpus/fuzz_NAME/.  With DIR, each *.data of DIR/nasty.tar.xz is read
# by info, top and fold under limits (10 s of CPU, 2 GiB of address space).  DIR/manifest.tsv inside it gives the
# class: a file whose damage any bounds check sees (E) may not pass with status 0 and without a warning.
set -u
cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
DIR=${DIR:-}
prog=$O/hotdrift
passed=0
failed=0
skipped=0

fail() {
	echo "FAILED: $1"
	failed=$((failed + 1))
}

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
		passed=$((passed + 1))
	fi
done
if [ $passed = 0 ] && [ $failed = 0 ]; then
	fail "no fuzz target in $O/fuzz"
fi

# A sanitizer reserves address space without using it.
limits() {
	ulimit -t 10
	[ -n "${SAN:-}" ] || ulimit -v 2097152
}

# 0 or one of the exits for bad input and trouble; never a signal, a time-out, or a sanitizer's own status.
fine_status() {
	case $1 in
	0 | 3 | 4 | 5 | 6) return 0 ;;
	esac
	return 1
}

check_nasty() {
	local file=$1 class=$2 name cmd status
	name=$(basename "$file")
	for cmd in info top fold; do
		(limits; export ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS:-}"
		 exec timeout -k 1 60 "$prog" "$cmd" "$file") > "$tmp/out" 2> "$tmp/err"
		status=$?
		if ! fine_status $status; then
			fail "$name: $cmd: status $status"
			tail -3 "$tmp/err"
			return
		fi
		if grep -q 'runtime error:\|AddressSanitizer\|LeakSanitizer' "$tmp/err"; then
			fail "$name: $cmd: $(grep -m1 'runtime error:\|Sanitizer' "$tmp/err")"
			return
		fi
		if [ $status != 0 ] && ! [ -s "$tmp/err" ]; then
			fail "$name: $cmd: status $status and no message"
			return
		fi
		if [ $status = 0 ] && grep -q '^hotdrift: error:' "$tmp/err"; then
			fail "$name: $cmd: an error and status 0: $(grep -m1 error: "$tmp/err")"
			return
		fi
		# info looks at everything; another command may pass over what it has no use for.
		if [ "$class" = E ] && [ "$cmd" = info ] && [ $status = 0 ] && ! grep -q 'warning:' "$tmp/err"; then
			fail "$name: $cmd: visible damage, status 0 and no warning"
			return
		fi
	done
	passed=$((passed + 1))
}

if [ -n "$DIR" ]; then
	if ! [ -f "$DIR/nasty.tar.xz" ]; then
		echo "skipped: hostile recordings: no nasty.tar.xz in $DIR"
		skipped=$((skipped + 1))
	elif ! [ -x "$prog" ]; then
		fail "no $prog: run make first"
	else
		tmp=$(mktemp -d) || exit 1
		trap 'rm -rf "$tmp"' EXIT
		tar -xJf "$DIR/nasty.tar.xz" -C "$tmp" || exit 1
		manifest=$(find "$tmp" -name manifest.tsv | head -1)
		while IFS= read -r file; do
			class=$(awk -F '\t' -v name="$(basename "$file")" '
				NR == 1 { for (i = 1; i <= NF; i++) if ($i == "class") col = i }
				$1 == name { print $col }' "$manifest")
			check_nasty "$file" "$class"
		done < <(find "$tmp" -name '*.data' | sort)
	fi
fi
echo "fuzz: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]

#!/bin/sh
# run-cli.sh [CASE.sh...] - compare command lines with their golden output
#
# tests/cli/COMMAND/CASE.sh is a small sh script.  CASE.stdout, CASE.stderr and CASE.exit next to it hold the expected
# output and status; a missing file means no output, or status 0.  UPDATE=1 rewrites them.
#
# A case runs in an empty folder.  PATH contains `hotdrift` (the program under test) and `profile.sh`; FIXTURES is a
# relative path to fixtures/, so that the output is the same everywhere.  A case that cannot run here prints the reason
# and exits with 77; it is then reported as skipped.
set -eu

cd "$(dirname "$0")/.."
suite=cli
# shellcheck source=tests/golden.sh
. tests/golden.sh
mkdir "$tmp/bin"
ln -s "$program" "$tmp/bin/hotdrift"

run_case() {
	fresh_folders
	status=0
	(in_work "$tmp/bin" sh -eu "$top/$1") >"$tmp/stdout" 2>"$tmp/stderr" </dev/null || status=$?
	echo "$status" >"$tmp/exit"
}

update() { # STREAM BASE: write BASE.STREAM; an empty stream has no file
	if [ -s "$tmp/$1" ]; then cp "$tmp/$1" "$2.$1"; else rm -f "$2.$1"; fi
}

[ $# -gt 0 ] || set -- tests/cli/*/*.sh
for case; do
	[ -f "$case" ] || continue
	base=${case%.sh}
	name=${base#tests/cli/}
	run_case "$case"
	if [ "$status" = 77 ]; then
		skip "$name" "$(tail -n 1 "$tmp/stderr")"
		continue
	fi
	if [ -n "${UPDATE:-}" ]; then
		[ "$status" != 0 ] || : >"$tmp/exit"
		for stream in stdout stderr exit; do update "$stream" "$base"; done
		pass
		continue
	fi
	[ "$status" != 0 ] || : >"$tmp/exit"
	same=yes
	for stream in stdout stderr exit; do
		want=$base.$stream
		if ! [ -f "$want" ]; then
			[ -s "$tmp/$stream" ] || continue	# nothing is expected, and nothing was printed
			want=/dev/null
		fi
		diff -u --label "$name.$stream: expected" --label "$name.$stream: printed" "$want" "$tmp/$stream" ||
			same=no
	done
	if [ "$same" = yes ]; then pass; else fail "$name"; fi
done
if [ "$((passed + failed + skipped))" = 0 ]; then
	echo "there are no golden command lines"
	failed=1
fi
finish

#!/bin/sh
# run-shellcheck.sh - run shellcheck over every script of the project
set -eu

# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite shell
cd "$top"
needs shell shellcheck
temporary_folder
# A script is a file whose name ends with .sh, .bats or .bash, or which begins with #! and a shell.
for f in .ci/* docs/ci/* docs/ci/*/* docs/fleet/* scripts/* scripts/*/* \
	tests/*.sh tests/*/*.sh tests/*/*/*.sh tests/*/*.bats tests/*/*.bash tests/script/fake/* \
	fixtures/*/*/*.sh; do
	[ -f "$f" ] || continue
	case $f in
	*.sh | *.bats | *.bash) ;;
	*) head -n 1 "$f" | grep -q '^#!.*sh$' || continue ;;
	esac
	case $f in
	tests/cli/*) kind=golden ;;
	*.bats) kind=bats ;;
	tests/*) kind='test' ;;
	*) kind=script ;;
	esac
	printf '%s\n' "$f" >>"$tmp/$kind"
done

# check KIND OPTION...: one shellcheck for all scripts of a kind takes a quarter of the time that one for each takes.
# If it finds anything, each script is checked alone, which names those that fail.
check() {
	list=$tmp/$1
	shift
	[ -s "$list" ] || return 0
	if xargs -d '\n' shellcheck "$@" <"$list" >/dev/null 2>&1; then
		passes "$(wc -l <"$list")"
		return
	fi
	while IFS= read -r f; do
		if shellcheck "$@" "$f" </dev/null; then pass; else fail "$f"; fi
	done <"$list"
}

# A golden command line is read by sh and has no #! line.  Tests contain dollar signs in single quotes on purpose, and
# bats sets variables.
check golden -s sh -e SC2016,SC2148
check bats -x -e SC2016,SC2154
check test -x -e SC2016
check script -x
finish

#!/bin/sh
# run-shellcheck.sh - run shellcheck over every script of the project
set -eu

# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite shell
cd "$top"
needs shell shellcheck
# A script is a file whose name ends with .sh, .bats or .bash, or which begins with #! and a shell.
for f in .ci/* docs/ci/* docs/ci/*/* docs/fleet/* scripts/* scripts/*/* \
	tests/*.sh tests/*/*.sh tests/*/*/*.sh tests/*/*.bats tests/*/*.bash tests/script/fake/* \
	fixtures/*/*/*.sh; do
	[ -f "$f" ] || continue
	case $f in
	*.sh | *.bats | *.bash) ;;
	*) head -n 1 "$f" | grep -q '^#!.*sh$' || continue ;;
	esac
	# A golden command line is read by sh and has no #! line.  Tests contain dollar signs in single quotes on
	# purpose, and bats sets variables.
	case $f in
	tests/cli/*) set -- -s sh -e SC2016,SC2148 ;;
	*.bats) set -- -x -e SC2016,SC2154 ;;
	tests/*) set -- -x -e SC2016 ;;
	*) set -- -x ;;
	esac
	if shellcheck "$@" "$f"; then pass; else fail "$f"; fi
done
finish

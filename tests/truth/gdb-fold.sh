#!/bin/bash
# gdb-fold.sh TRUTH SCENARIO LEAF... - print gdb's stacks at the entry of the LEAF functions, as
# `scenario;outer;...;leaf N`
#
# The output checks the expected stacks without any recording: gdb stops the program and reads its stack.  From the
# debug information of call sites, gdb also shows callers that made a tail call.  These have no frame, so the stacks of
# the scenario `tail` differ.
set -u
truth=$1
scenario=$2
shift 2
script=$(mktemp "${TMPDIR:-/tmp}/hotdrift-gdb.XXXXXX") || exit 1
trap 'rm -f "$script"' EXIT
{
	cat <<-'END'
	set pagination off
	set debuginfod enabled off
	set backtrace past-main on
	set backtrace past-entry on
	set print frame-arguments none
	set width 0
	set breakpoint pending on
	handle SIGUSR1 SIGALRM SIGILL nostop noprint pass
	END
	for leaf; do echo "break $leaf"; done
	cat <<-'END'
	run
	while $_isvoid($_exitcode)
	  bt 2000
	  echo ----\n
	  continue
	end
	END
} >"$script"
timeout 60 gdb -q -nx -batch -x "$script" --args "$truth" "$scenario" "${TURNS:-100000}" 2>/dev/null </dev/null |
awk -v comm="$scenario" '
	/^#/ {
		line = $0; sub(/^#[0-9]+ +/, "", line); sub(/^0x[0-9a-f]+ in /, "", line)
		if (line !~ /^<signal/) { sub(/ \((\.\.\.|this=\.\.\.)?\).*/, "", line); sub(/ \(.*/, "", line) }
		stack = ";" line stack; next
	}
	/^----/ { if (stack != "") sum[comm stack]++; stack = "" }
	END { for (s in sum) print s, sum[s] }' | LC_ALL=C sort

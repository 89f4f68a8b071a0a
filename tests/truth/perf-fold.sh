#!/bin/bash
# perf-fold.sh FILE [OPTION...] - print perf script's stacks, with inlined frames, as `comm;outer;...;leaf N`
#
# The result can be checked by tests/truth/check.awk, to compare perf with the truth as well.
set -u
file=$1
shift
"${PERF:-perf}" script -i "$file" --max-stack 1024 -F comm,ip,sym "$@" 2>/dev/null |
awk '
	function flush() { if (comm != "") sum[comm stack]++; comm = ""; stack = "" }
	/^$/ { flush(); next }
	/^[^ \t]/ { flush(); comm = $0; sub(/ *$/, "", comm); next }
	{ sub(/^[ \t]+[0-9a-f]+ ?/, ""); sub(/ \(inlined\)$/, ""); stack = ";" $0 stack }
	END { flush(); for (s in sum) print s, sum[s] }' | LC_ALL=C sort

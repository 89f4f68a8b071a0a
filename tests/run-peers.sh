#!/bin/bash
# run-peers.sh - compare profiles of other programs with the results of these programs
#
#   go          a CPU profile and a heap profile of a Go program: `go tool pprof -top` and `-traces`
#   callgrind   a program under valgrind: `callgrind_annotate`
#   perf        fixtures/recordings: `perf script | hotdrift fold -` and `hotdrift fold`; `perf report --children -g
#               folded` and `report -g`
#   pprof       each fixture as pprof and back: the same stacks and weights
#
# A part whose program is missing is reported as skipped.
set -u
export LC_ALL=C
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite peers
needs_built "$hotdrift"
temporary_folder

# have WHAT TOOL: return false, and skip WHAT, if TOOL is missing
have() {
	command -v "$2" >/dev/null && return 0
	skip "$1" "$2 is not installed"
	return 1
}

# equal WHAT: pass if the files want and got are equal and not empty
equal() {
	if [ ! -s "$tmp/want" ]; then
		fail "$1" "there is nothing to compare"
	elif cmp -s "$tmp/want" "$tmp/got"; then
		pass
	else
		fail "$1" "$(diff "$tmp/want" "$tmp/got" | head -n 6)"
	fi
}

# symbols EVENT FILE: print `NAME SELF TOTAL` for each function
symbols() {
	"$hotdrift" top --inline --json --limit 0 --event "$1" "$2" 2>/dev/null |
		jq -r '.rows[] | "\(.symbol) \(.self) \(.total)"' | sort
}

# pprof_symbols INDEX UNIT FILE: print the same lines from pprof
pprof_symbols() {
	go tool pprof -top -nodecount=1000000 -nodefraction=0 -edgefraction=0 -sample_index="$1" -unit="$2" "$3" \
		2>/dev/null |
		sed '1,/flat%/d' | awk '{
			name = $6
			for (i = 7; i <= NF; i++)
				if ($i != "(inline)" && $i != "(partial-inline)") name = name " " $i
			print name, $1 + 0, $4 + 0
		}' | sort
}

# pprof_stacks INDEX UNIT FILE: print the folded stacks of pprof
pprof_stacks() {
	go tool pprof -traces -sample_index="$1" -unit="$2" "$3" 2>/dev/null | awk '
		function flush() { if (stack != "") sum[stack] += value; stack = "" }
		/^-----/ { flush(); on = 1; first = 1; next }
		!on || / bytes: / { next }
		{
			sub(/ \(inline\)$/, "")
			if (first) { value = $1 + 0; sub(/^ *[^ ]+ +/, ""); first = 0 }
			else sub(/^ +/, "")
			stack = $0 (stack == "" ? "" : ";" stack)
		}
		END { flush(); for (s in sum) if (sum[s]) printf "%s %.0f\n", s, sum[s] }' | sort
}

# check_pprof FILE INDEX UNIT: compare functions and stacks of one sample type of a pprof file
check_pprof() {
	local name
	name=$(basename "$1")
	# top lists the functions with self cost
	pprof_symbols "$2" "$3" "$1" | awk '$(NF - 1)' >"$tmp/want"
	symbols "$2" "$1" >"$tmp/got"
	equal "$name: the functions of $2"
	pprof_stacks "$2" "$3" "$1" >"$tmp/want"
	# the first frame is the process, which pprof does not show
	"$hotdrift" fold --event "$2" "$1" 2>/dev/null | sed 's/^[^;]*;//' | sort >"$tmp/got"
	equal "$name: the stacks of $2"
}

check_go() {
	have 'profiles of Go' go || return
	have 'profiles of Go' jq || return
	if ! GO111MODULE=off GOFLAGS='' GOCACHE=$tmp/cache GOPATH=$tmp/go go build \
		-o "$tmp/burn" "$top/tests/foreign/burn.go" \
		>"$tmp/errors" 2>&1 || ! "$tmp/burn" "$tmp"; then
		skip 'profiles of Go' "the program cannot be built: $(head -n 1 "$tmp/errors")"
		return
	fi
	for index in cpu:ns samples:count; do
		check_pprof "$tmp/cpu.pb.gz" "${index%:*}" "${index#*:}"
	done
	for index in alloc_space:B inuse_space:B alloc_objects:count; do
		check_pprof "$tmp/heap.pb.gz" "${index%:*}" "${index#*:}"
	done
	gzip -dc "$tmp/cpu.pb.gz" >"$tmp/cpu.pb"
	symbols cpu "$tmp/cpu.pb.gz" >"$tmp/want"
	symbols cpu "$tmp/cpu.pb" >"$tmp/got"
	equal 'a profile that is not packed'
}

# annotated FILE INCLUSIVE: print `NAME COST` of functions from callgrind_annotate; INCLUSIVE is yes or no
annotated() {
	callgrind_annotate --threshold=100 --show-percs=no --auto=no "--inclusive=$2" "$1" 2>/dev/null |
		awk -v inclusive="$2" '
		/file:function/ { on = 1; next }
		on && /^-----/ { next }
		on && NF { cost = $1; gsub(/,/, "", cost); name = $2
			for (i = 3; i <= NF && $i !~ /^\[/; i++) name = name " " $i
			sub(/^.*:/, "", name)
			# a function in two files: its lines have costs of their own, or the whole cost with callees
			if (inclusive == "no") sum[name] += cost; else if (cost > sum[name]) sum[name] = cost }
		END { for (n in sum) if (sum[n] && n !~ /^0x/) printf "%s %.0f\n", n, sum[n] }' | sort
}

check_callgrind() {
	have 'profiles of callgrind' valgrind || return
	have 'profiles of callgrind' callgrind_annotate || return
	have 'profiles of callgrind' jq || return
	if ! ${CC:-cc} -O1 -g -fno-inline -o "$tmp/calls" "$top/tests/foreign/calls.c" 2>"$tmp/errors"; then
		skip 'profiles of callgrind' "no compiler: $(head -n 1 "$tmp/errors")"
		return
	fi
	for options in '' '--dump-instr=yes --compress-pos=no --compress-strings=no' \
		'--dump-line=no --collect-jumps=yes'; do
		# shellcheck disable=SC2086	# options are words
		valgrind --tool=callgrind $options --callgrind-out-file="$tmp/callgrind.out" "$tmp/calls" \
			>"$tmp/errors" 2>&1
		annotated "$tmp/callgrind.out" no >"$tmp/want"
		"$hotdrift" top --json --limit 0 "$tmp/callgrind.out" 2>/dev/null |
			jq -r '.rows[] | select(.self > 0) | "\(.symbol) \(.self)"' |
			awk '$1 !~ /^0x/ { cost = $NF; $NF = ""; sub(/ $/, ""); sum[$0] += cost }
				END { for (n in sum) printf "%s %.0f\n", n, sum[n] }' | sort >"$tmp/got"
		equal "callgrind $options: self costs"
		# main and its callees: no recursion leads to them
		annotated "$tmp/callgrind.out" yes | grep -E '^(main|a|b|work) ' >"$tmp/want"
		"$hotdrift" top --json --limit 0 "$tmp/callgrind.out" 2>/dev/null |
			jq -r '.rows[] | select(.symbol | IN("main", "a", "b", "work")) | "\(.symbol) \(.total)"' |
			sort >"$tmp/got"
		# costs of calls are exact but for rounding
		# shellcheck disable=SC2016	# the awk program
		holds "callgrind $options: costs with callees" "$(paste "$tmp/want" "$tmp/got")" \
			awk \
			'NR == FNR { want[$1] = $2; n++; next } { d = want[$1] - $2; if (d < -5 || d > 5) bad = 1; m++ }
				END { exit bad || n != 4 || m != 4 }' "$tmp/want" "$tmp/got"
		claim "callgrind $options: the sum is the total of the file" [ \
			"$("$hotdrift" top --json "$tmp/callgrind.out" 2>/dev/null | jq .weight)" = \
			"$(awk '/^(summary|totals):/ { print $2; exit }' "$tmp/callgrind.out")" ]
	done
}

# Text of perf script.  The other recordings have calls that do not return, which perf names differently: docs/peers.md.
check_perf() {
	have 'text of perf script' perf || return
	for name in family two-events; do
		recording=$top/fixtures/recordings/$name
		perf script --no-inline --symfs "$recording/symfs" -i "$recording/perf.data" >"$tmp/text" 2>/dev/null ||
			{ skip "perf script of $name" "perf cannot read it"; continue; }
		"$hotdrift" fold --event cpu-clock --no-inline --no-stitch --symfs "$recording/symfs" \
			"$recording/perf.data" \
			>"$tmp/want" 2>/dev/null
		"$hotdrift" fold --event cpu-clock --no-tidy - <"$tmp/text" >"$tmp/got" 2>/dev/null
		equal "perf script of $name"
	done
}

# perf_trees NAME: print `FUNCTION WEIGHT CHAIN` for each chain of each function, as perf says.  The chains of a
# function with self cost start at the outermost caller in perf; here all start at the function.
perf_trees() {
	perf report --stdio --children --no-inline --percent-limit 0 -g folded,0,caller,function,period -t '|' \
		--sort sym \
		--symfs "$top/fixtures/recordings/$1/symfs" -i "$top/fixtures/recordings/$1/perf.data" 2>/dev/null |
		awk -F'|' '
		function flush() { for (chain in sum) printf "%s %.0f %s\n", name, sum[chain], chain; split("", sum) }
		/^#/ || NF == 0 { next }
		/%/ { flush(); name = $3; gsub(/^ *\[.\] *| *$/, "", name); next }
		{
			weight = $1; sub(/ .*/, "", weight); sub(/^[0-9]+ /, "")
			for (first = 1; first < NF && $first != name; first++) ;
			chain = $first
			for (i = first + 1; i <= NF; i++) chain = chain "|" $i
			sum[chain] += weight
		}
		END { flush() }' | sort
}

# our_trees NAME: print the same lines from `report -g`
our_trees() {
	"$hotdrift" report -g --json --no-inline --no-stitch --percent-limit 0 \
		--symfs "$top/fixtures/recordings/$1/symfs" \
		"$top/fixtures/recordings/$1/perf.data" 2>/dev/null |
		jq -r '.events[].functions[] | .symbol as $function | .rows as $rows |
		$rows[] | select(.self > 0) | "\($function) \(.self) " +
		([recurse(if .parent == null then empty else $rows[.parent] end).symbol] | reverse | join("|"))' | sort
}

# In the recording `calls`, the call of finish is the last instruction of main and does not return.  perf looks up the
# return address as it is, and names the function that follows main: one of two functions called work.  So perf shows
# main at 62.50 % and counts these stacks for both rows of work.  hotdrift shows main at 100 %.
check_perf_report() {
	have 'trees of perf report' perf || return
	have 'trees of perf report' jq || return
	for name in family two-events; do
		perf_trees "$name" >"$tmp/want"
		our_trees "$name" >"$tmp/got"
		equal "perf report --children -g caller of $name"
	done
	comm -3 <(perf_trees calls) <(our_trees calls) >"$tmp/got"
	printf '%b\n' '\t_start 24048096 _start|main|finish|work' '_start 24048096 _start|work|finish|work' \
		'\tmain 24048096 main|finish|work' 'work 10020040 work' 'work 24048096 work|finish|work' \
		'work 24048096 work|finish|work' 'work 30060120 work' '\twork 64128256 work' \
		>"$tmp/want"
	equal 'perf report --children -g caller of calls differs in the call that does not return'
}

check_round_trip() {
	have 'profiles as pprof and back' jq || return
	for recording in "$top"/fixtures/recordings/*/perf.data; do
		name=$(basename "$(dirname "$recording")")
		symfs=$(dirname "$recording")/symfs
		"$hotdrift" fold --symfs "$symfs" "$recording" >"$tmp/want" 2>/dev/null || continue
		[ -s "$tmp/want" ] || continue
		"$hotdrift" convert --to pprof --symfs "$symfs" "$recording" -o "$tmp/profile.pb.gz" 2>/dev/null ||
			continue
		event=$("$hotdrift" info --json "$recording" 2>/dev/null | jq \
			-r '[.events[] | select(.samples > 0)][0].name')
		"$hotdrift" fold --event "$event" "$tmp/profile.pb.gz" >"$tmp/got" 2>/dev/null
		equal "$name as pprof and back"
		"$hotdrift" fold "$tmp/want" >"$tmp/got" 2>/dev/null
		equal "$name: folding folded stacks"
	done
}

check_go
check_callgrind
check_perf
check_perf_report
check_round_trip
finish

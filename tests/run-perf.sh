#!/bin/bash
# run-perf.sh - make recordings here and compare the results of hotdrift and perf
#
#   top    = perf report --stdio --no-children --sort=symbol: every printed share, in order (except ties)
#   report = the same with --sort=comm,dso,symbol
#   fold   = perf script folded by awk, stack by stack
#   annotate = perf annotate --stdio: the share of each instruction of the hottest functions
#   diff   = perf diff -c delta -s symbol: base and points of every symbol with a unique name
#   fields = perf report --sort FIELD and perf script, value by value (tests/perf/fields.sh)
#
# Recordings: C, C++, Rust, a stripped binary, PIE and non-PIE, a dlopen'ed library, a fork tree, system-wide, two
# events, -z, a pipe, JIT code with a jitdump (perf gets the output of perf inject).
set -u
export LC_ALL=C
# The first entry of a lazily bound PLT has no symbol: perf extends `_init` over it, hotdrift prints `.plt`.  A few
# samples are there by chance.  With LD_BIND_NOW it is never executed.
export LD_BIND_NOW=1
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite perf
root=$top
src=$root/tests/perf
CC=${CC:-cc}
PERF=${PERF:-perf}

temporary_folder
dir=$tmp
cd "$dir" || exit 1

if ! command -v "$PERF" >/dev/null; then
	skip "agreement with perf" "perf is not installed (Debian: linux-perf)"
	finish
fi
if ! "$PERF" record -q -e cpu-clock -o probe.data -- true >probe.log 2>&1; then
	skip "agreement with perf" "perf cannot record here: $(head -1 probe.log)"
	finish
fi

# ---- two views of one recording, made comparable

# Return 0 if perf has version $1.$2 or later.  The comparisons below describe how the versions differ.
version=$("$PERF" --version | sed -n 's/^perf version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
perf_since() {
	local major minor
	read -r major minor <<<"$version"
	[ "${major:-0}" -gt "$1" ] || { [ "${major:-0}" -eq "$1" ] && [ "${minor:-0}" -ge "$2" ]; }
}

# perf 6.1 demangles as hotdrift does, without parameters and clone suffixes.  perf 6.4 and later print both, and leave
# parts of Rust's names mangled.  For these versions, c++filt demangles the names instead of perf.
mangled=()
if perf_since 6 4; then mangled=(--no-demangle); fi
demangle() {
	if perf_since 6 4; then c++filt -p | sed -E 's/::h[0-9a-f]{16}($|[^0-9a-zA-Z_])/\1/'; else cat; fi
}
perf_report() { "$PERF" report --stdio --no-children -g none -t '|' --percent-limit 0 "${mangled[@]}" "$@" 2>/dev/null |
	demangle; }

# Where the kernel may not be recorded, perf adds `:u` to the name of an event.
is_event='function is_event(name, event) { return event == "" || name == event || index(name, event ":") == 1 }
function of_samples(line) { sub(/^[^\047]*\047/, "", line); sub(/\047.*/, "", line); return line }'

# Print perf's shares and names, one per line: `12.34 name`.  $1 file, $2 event or "".
perf_top() {
	perf_report --sort=symbol -i "$1" |
	awk -F'|' -v event="$2" "$is_event"'
		/^# Samples:/ { on = is_event(of_samples($0), event) }
		/^#/ || NF < 2 || !on { next }
		{
			pct = $1; gsub(/[ %]/, "", pct)
			name = $2; sub(/^ *\[.\] /, "", name); sub(/ *$/, "", name)
			print pct, name
		}'
}
our_top() {
	"$hotdrift" top -n 0 --json ${2:+--event "$2"} "$1" 2>>notes |
	jq -r '(if .reports then .reports[0] else . end) | .weight as $w | .rows[] | "\(.self) \($w) \(.symbol)"' |
	awk '{ w = $1; t = $2; sub(/^[0-9]+ [0-9]+ /, ""); printf "%.2f %s\n", 100 * w / t, $0 }'
}
# Sort lines `share name` by share, then by name, because programs print equal shares in any order.
settle() { sort -k1,1gr -k2; }

# same_stubs FILE...: in lines `share name`, replace the name of each stub of the procedure linkage table by `@plt`.  A
# few samples are in stubs by chance, and perf before 6.3 gives a stub the name of another one, or none.
same_stubs() {
	local f
	for f; do
		sed 's/[^ |]*@plt$/@plt/' "$f" | settle >stubs.settled
		mv stubs.settled "$f"
	done
}

# perf_fold FILE EVENT: fold the output of perf script, without code of hotdrift.  A line is `comm;outer;inner WEIGHT`,
# a tab, and a mask.  The mask is the stack again, with a mark for each frame that hotdrift may name differently:
#
#   ?    A return address at offset 0 of a symbol, or without a symbol.  perf looks up the return address itself, and
#        hotdrift the call before it.  If the call is the last instruction of its function, perf finds the next
#        function or nothing.  `addr2line` of the address minus one agrees with hotdrift.  Also an entry of the
#        procedure linkage table, which perf before 6.3 gives the name of another one, `@plt` or `_init`.
#   **   All frames.  If a chain contains a value that is not an address, perf drops the whole chain, and hotdrift only
#        the part from there on outwards.
perf_fold() {
	"$PERF" script -i "$1" --no-inline "${mangled[@]}" -F comm,time,period,event,ip,sym,symoff 2>/dev/null |
		demangle |
	awk -v event="$2" "$is_event"'
		function flush() {
			if (seen && is_event(ev, event)) {
				if (stack == "") mask = ";**"
				key = comm stack; sum[key] += weight
				if (key in masks) masks[key] = either(masks[key], comm mask)
				else masks[key] = comm mask
			}
			seen = 0
		}
		# Stacks of the same names can have different masks: a return address is at the start of a function
		# in one of them only.
		function either(m, other,   a, b, n, i, all) {
			n = split(m, a, ";"); split(other, b, ";")
			for (i = 1; i <= n; i++) all = all (i > 1 ? ";" : "") (b[i] == "?" ? "?" : a[i])
			return all
		}
		function frame(text,   ip, name, at_start, exact, kernel) {
			sub(/^[ \t]+/, "", text); ip = text; sub(/ .*/, "", ip); name = substr(text, length(ip) + 2)
			at_start = name ~ /\+0x0$/ || name == "[unknown]"; sub(/\+0x[0-9a-f]+$/, "", name)
			kernel = length(ip) == 16 && ip ~ /^ffff/
			exact = n == 0 || (was_kernel && !kernel)
			stack = ";" name stack
			mask = ";" ((at_start && !exact) || name ~ /@plt$/ || name == "_init" ? "?" : name) mask
			was_kernel = kernel; n++
		}
		/^$/ { flush(); next }
		match($0, / +[0-9]+\.[0-9]+: +[0-9]+ +[^ ]+: */) && !/^\t/ {
			flush()
			comm = substr($0, 1, RSTART - 1); sub(/^ */, "", comm); sub(/ *$/, "", comm)
			rest = substr($0, RSTART); split(rest, w, " "); weight = w[2]; ev = w[3]; sub(/:$/, "", ev)
			stack = ""; mask = ""; n = 0; was_kernel = 0; seen = 1
			tail = substr($0, RSTART + RLENGTH)
			if (tail != "") frame(tail)
			next
		}
		{ frame($0) }
		END { flush(); for (s in sum) printf "%s %d\t%s\n", s, sum[s], masks[s] }' | sort
}
our_fold() { "$hotdrift" fold --no-inline ${2:+--event "$2"} "$1" 2>>notes | sort; }

compare_top() {	# NAME FILE [EVENT] [FILE for perf]
	perf_top "${4:-$2}" "${3:-}" | settle >perf.top
	our_top "$2" "${3:-}" | settle >our.top
	same_stubs perf.top our.top
	if ! [ -s perf.top ]; then
		fail "$1: top" "perf report prints nothing"
	elif cmp -s perf.top our.top; then
		pass
	else
		fail "$1: top" "differs from perf report"
		diff perf.top our.top | head -8
	fi
}

# Compare by comm,dso,symbol; perf names an object by the last part of its path.
compare_keys() {	# NAME FILE [EVENT]
	perf_report --sort=comm,dso,symbol -i "$2" |
	awk -F'|' -v event="${3:-}" "$is_event"'
		/^# Samples:/ { on = is_event(of_samples($0), event) }
		/^#/ || NF < 4 || !on { next }
		{ pct = $1; gsub(/[ %]/, "", pct); comm = $2; dso = $3; name = $4; sub(/^ *\[.\] /, "", name)
		  sub(/ *$/, "", comm); sub(/ *$/, "", dso); sub(/ *$/, "", name); print pct, comm "|" dso "|" name }' |
		  	settle >perf.keys
	"$hotdrift" report --json --by comm,dso,symbol ${3:+--event "$3"} "$2" 2>>notes |
	jq -r '.events[0].weight as $w | .rows[] |
		[(.self | tostring), ($w | tostring), .comm, (.dso | split("/") | last), .symbol] | join("\t")' |
	awk -F'\t' '{ printf "%.2f %s|%s|%s\n", 100 * $1 / $2, $3, $4, $5 }' | settle >our.keys
	same_stubs perf.keys our.keys
	if [ -s perf.keys ] && cmp -s perf.keys our.keys; then
		pass
	else
		fail "$1: top by comm,dso,symbol" "differs from perf report"
		diff perf.keys our.keys | head -8
	fi
}

# Compare the code of one object in a recording of all processes.  Files of other processes may be missing or in another
# root, and then perf and hotdrift name different parts of them.
compare_object() {	# NAME FILE OBJECT
	perf_report --dsos="$3" --fields=period,sym -i "$2" |
	awk -F'|' \
	'/^#/ || NF < 2 { next } { name = $2; sub(/^ *\[.\] /, "", name); sub(/ *$/, "", name); sum[name] += $1 }
		END { for (n in sum) printf "%d %s\n", sum[n], n }' >perf.top
	"$hotdrift" report --json --by dso,symbol "$2" 2>>notes |
	jq -r --arg dso "/$3" '.rows[] | select(.dso | endswith($dso)) | "\(.self) \(.symbol)"' |
	awk '{ n = $1; sub(/^[0-9]+ /, ""); sum[$0] += n } END { for (n in sum) printf "%d %s\n", sum[n], n }' >our.top
	same_stubs perf.top our.top
	if [ -s perf.top ] && cmp -s perf.top our.top; then
		pass
	else
		fail "$1: top" "sums by name differ from perf report"
		diff perf.top our.top | head -8
	fi
}

# Remove the stacks that are equal in both.  The remaining ones of perf must match ours through the masks, with
# equal weights.
explain() {	# PERF_FOLDED OUR_FOLDED [SHARE that may stay unexplained]
	awk -F'\t' -v allowed="${3:-0}" '
		function weight_of(line) { match(line, / [0-9]+$/); return substr(line, RSTART + 1) }
		function stack_of(line) { sub(/ [0-9]+$/, "", line); return line }
		NR == FNR { total += weight_of($1); w[stack_of($1)] += weight_of($1); mask[stack_of($1)] = $2; next }
		{ ours[stack_of($1)] += weight_of($1) }
		function fits(stack, m,   a, b, i, na, nb) {
			nb = split(m, b, ";")
			if (b[nb] == "**") return index(stack, b[1]) == 1
			na = split(stack, a, ";")
			if (na != nb) return 0
			for (i = 1; i <= na; i++) if (b[i] != "?" && b[i] != a[i]) return 0
			return 1
		}
		END {
			for (s in ours) {
				d = ours[s] - w[s]
				if (d > 0) extra[s] = d
				if (s in w) w[s] -= ours[s] < w[s] ? ours[s] : w[s]
			}
			# Try the strictest mask first, so that a loose one does not use a line that another mask
			# needs.
			for (s in w) {
				m = mask[s]
				loose[s] = m ~ /\*\*$/ ? 999 : gsub(/\?/, "?", m)
				if (loose[s] < 999 && loose[s] > most) most = loose[s]
			}
			for (pass = 0; pass <= most + 1; pass++) for (s in w) {
				if (w[s] <= 0 || loose[s] != (pass > most ? 999 : pass)) continue
				left = w[s]
				for (o in extra) if (left > 0 && extra[o] > 0 && fits(o, mask[s])) {
					take = left < extra[o] ? left : extra[o]; left -= take; extra[o] -= take
				}
				if (left > 0) { print "only perf: " s " " left; odd += left } else explained++
			}
			for (o in extra) if (extra[o] > 0) { print "only ours: " o " " extra[o]; odd += extra[o] }
			print explained + 0 > "explained"
			exit odd > allowed * total
		}' "$1" "$2"
}

compare_fold() {	# NAME FILE EVENT [SHARE] [FILE for perf]; $only: the expression that the stacks match
	perf_fold "${5:-$2}" "${3:-}" | grep -E "${only:-.}" >perf.fold
	our_fold "$2" "${3:-}" | grep -E "${only:-.}" >our.fold
	if ! [ -s perf.fold ]; then
		fail "$1: fold" "perf script prints nothing"
	elif explain perf.fold our.fold "${4:-0}" >differences; then
		pass
		[ "$(cat explained)" = 0 ] ||
			echo "note: $1: $(cat explained) of $(wc -l <perf.fold) stacks differ in a frame" \
				"whose return address is not inside its caller"
	else
		fail "$1: fold" "differs from perf script"
		cut -c1-300 differences | head -8
	fi
}
compare() { compare_top "$@"; compare_keys "$@"; compare_fold "$@"; }

# Record with --buildid-all, so that perf keeps a copy of the vdso.  Without a copy, perf 6.12 names nothing in it
# unless it was sampled.
record() {	# NAME OPTIONS... -- COMMAND
	local name=$1
	shift
	if ! "$PERF" record -q --buildid-all -F 4999 -e cpu-clock -o "$name.data" "$@" >record.log 2>&1; then
		fail "$name" "perf record: $(head -1 record.log)"
		return 1
	fi
}

# Record with --call-graph dwarf.  Copies of stacks fill perf's usual buffer in some ms, so a busy machine would lose
# most of them.  The limits may forbid a larger buffer.
record_copies() {	# NAME OPTIONS... -- COMMAND
	local name=$1
	shift
	"$PERF" record -q --buildid-all -F 4999 -e cpu-clock --call-graph dwarf -m 8192 -o "$name.data" "$@" \
		>record.log 2>&1 || record "$name" --call-graph dwarf "$@"
}

# ---- annotate = perf annotate --stdio: the share of every instruction, to the printed digit

# Print "address share" of each instruction with cost.  $1 file, $2 function.
perf_annotate() {
	"$PERF" annotate --stdio -i "$1" "$2" 2>/dev/null |
	awk '$2 == ":" && $1 + 0 > 0 {
		for (i = 3; i <= NF; i++) if ($i ~ /^[0-9a-f]+:$/) { sub(/:/, "", $i); print $i, $1; break }
	}' |
	sort
}
our_annotate() {
	"$hotdrift" annotate --asm-only --full -n 0 "$1" "$2" 2>>notes |
	awk '$1 ~ /^[0-9.]+$/ && $1 + 0 > 0 && $2 ~ /^[0-9a-f]+:$/ { sub(/:/, "", $2); print $2, $1 }' | sort
}
compare_annotate() {	# NAME FILE FUNCTION...
	local name=$1 file=$2 function
	shift 2
	for function; do
		perf_annotate "$file" "$function" >perf.lines
		our_annotate "$file" "$function" >our.lines
		if [ -s perf.lines ] && cmp -s perf.lines our.lines; then
			pass
		else
			fail "$name: annotate $function" "differs from perf annotate"
			diff perf.lines our.lines | head -8
		fi
	done
}

# ---- the recordings

fp=(-O2 -g -fno-omit-frame-pointer)
build() {
	"$CC" "${fp[@]}" -o calls "$src/calls.c" "$src/calls2.c" &&
	"$CC" "${fp[@]}" -no-pie -o calls-nopie "$src/calls.c" "$src/calls2.c" &&
	cp calls calls-stripped && strip calls-stripped &&
	"$CC" "${fp[@]}" -o host "$src/host.c" -ldl &&
	"$CC" "${fp[@]}" -shared -fPIC -o plugin.so "$src/plugin.c" &&
	"$CC" "${fp[@]}" -pthread -o family "$src/family.c"
}
if ! build >build.log 2>&1; then
	fail "test programs" "do not build"
	cat build.log
	finish
fi

record c -g -- ./calls 0.4 && compare C c.data
# The functions of calls.c only: a sample can also be in a stub or in `_start`, which ld.so has, too.
# shellcheck disable=SC2046	# names of C functions
compare_annotate C c.data $("$hotdrift" top --json -n 0 --dso calls c.data 2>>notes | jq -r '[.rows[].symbol |
	select(IN("work", "recurse", "through_pointer", "libc_work", "other_file_work", "main"))][:4] | unique[]')
record nopie -g -- ./calls-nopie 0.3 && compare "C, no PIE" nopie.data
record stripped -g -- ./calls-stripped 0.3 && compare "C, stripped" stripped.data
record flat -- ./calls 0.3 && compare "C, without chains" flat.data
record dlopen -g -- ./host ./plugin.so 0.5 && compare "dlopen" dlopen.data
record family -g -- ./family && compare "fork tree" family.data
record zstd -g -z -- ./calls 0.3 && compare "zstd" zstd.data
# Compare two recordings at different rates.  perf prints no change of symbols that disappeared; it rounds to 0.01.
compare_diff() {
	"$PERF" diff -c delta -s symbol -t '|' "$1" "$2" 2>/dev/null |
		awk -F'|' '/^#/ || NF < 3 { next } {
			b = $1; gsub(/[ %]/, "", b)
			d = $2; gsub(/[ %+]/, "", d)
			n = $3; sub(/^ *\[.\] /, "", n); sub(/ *$/, "", n)
			print n "\t" b + 0 "\t" (d == "" ? "gone" : d)
		}' >perf.diff
	"$hotdrift" diff --no-inline -n 0 --json "$1" "$2" 2>>notes |
		jq -r '.symbols[] | [.head_name // .base_name, .base_pct, .points, .base_name] |
			map(tostring) | join("\t")' >our.diff
	awk -F'\t' '
		function off(a, b) { return a - b > 0.0101 || b - a > 0.0101 }
		NR == FNR { times[$1]++; base[$1] = $2; delta[$1] = $3; next }
		{ points[$1] = $3; was[$1] = $2; if ($4 != "null") { points[$4] = $3; was[$4] = $2 } }
		END {
			for (n in times) {
				# perf before 6.3 gives a stub the name of another one, or none.
				if (times[n] > 1 || n ~ /^0x/ || n ~ /@plt$/ || (!(n in was) && delta[n] == 0)) continue
				checked++
				if (off(was[n], base[n]) || (delta[n] != "gone" && off(points[n], delta[n]))) {
					bad++
					print n, base[n], delta[n], was[n], points[n]
				}
			}
			exit bad > 0 || checked < 5
		}' perf.diff our.diff >differences
}
record fast -g -- ./calls 0.4
if "$PERF" record -q -F 1999 -e cpu-clock -g -o slow.data -- ./calls 0.3 >record.log 2>&1 &&
	compare_diff fast.data slow.data; then
	pass
else
	fail "diff" "perf diff says something else"
	head -5 differences record.log
fi
if "$PERF" record -q --buildid-all -F 4999 -e cpu-clock -g -o - -- ./calls 0.3 >pipe.data 2>record.log; then
	compare "pipe" pipe.data
else
	fail pipe "perf record: $(head -1 record.log)"
fi
if "$PERF" record -q --buildid-all -F 2999 -e cpu-clock -e task-clock -g -o two.data -- ./calls 0.3 >record.log 2>&1; \
	then
	compare "two events, cpu-clock" two.data cpu-clock
	compare "two events, task-clock" two.data task-clock
else
	fail "two events" "perf record: $(head -1 record.log)"
fi
if "$PERF" record -q -a -F 997 -e cpu-clock -g -o system.data -- ./family >record.log 2>&1; then
	compare_object "system-wide" system.data family
	# perf 6.12 has no name for a process that has ended, although it is still sampled for a moment; hotdrift
	# keeps the name.
	only='^(family|first thread|second|grandchild|renamed);' compare_fold "system-wide" system.data "" 0.05
else
	skip "system-wide" "perf record -a is not permitted: $(head -1 record.log)"
fi

cxx=${CXX:-c++}
if command -v "$cxx" >/dev/null && "$cxx" -std=c++17 "${fp[@]}" -o names "$src/names.cc" 2>build.log; then
	record cxx -g -- ./names 0.4 && compare "C++" cxx.data
else
	skip "C++" "no C++ compiler"
fi
if command -v rustc >/dev/null && rustc -C opt-level=2 -g -C force-frame-pointers=yes -o rust "$src/names.rs" \
	2>build.log; then
	record rust -g -- ./rust 0.4 && compare "Rust" rust.data
else
	skip "Rust" "no rustc"
fi
# shellcheck source=tests/perf/fields.sh
. "$src/fields.sh"

# ---- JIT code: tests/perf/jit.c documents its call paths

# Print the stacks with generated code that differ from the call path of their caller.
judge_jit() {	# NAME FILE [dwarf: every stack must be whole]
	"$hotdrift" fold --weight samples "$2" 2>>notes | awk -v whole="${3:-}" '
		BEGIN {
			n = split("plain=plain outer=outer;plain first=first second=second moved=moved " \
				"last=last;leave", want, " ")
			for (i = 1; i <= n; i++) {
				split(want[i], w, "=")
				below["run_" w[1]] = w[2]
				split(w[2], f, ";")
				for (k in f) made[f[k]] = 1
			}
			made["behind"] = 1
		}
		{
			count = $NF; line = $0; sub(/ [0-9]+$/, "", line)
			nf = split(line, f, ";"); caller = ""; chain = ""
			for (i = 1; i <= nf; i++) {
				if (f[i] in below || f[i] == "run_untold") caller = f[i]
				if (f[i] in made) chain = chain (chain == "" ? "" : ";") f[i]
			}
			if (chain == "") next
			all += count
			# outer uses the frame pointer for another value, so a chain by frame pointers ends there.
			if (!whole && caller == "" && chain == "outer;plain") seen["run_outer"] += count
			else if (caller in below && below[caller] == chain && (!whole || f[2] == "_start"))
				seen[caller] += count
			else { wrong += count; print line " " count }
		}
		END {
			for (c in below) if (seen[c] < 20) { print c " was met " seen[c] + 0 " times"; few = 1 }
			exit few || all == 0 || wrong > 0.005 * all
		}' >differences
	if [ "${PIPESTATUS[1]}" = 0 ]; then
		pass
	else
		fail "$1: stacks" "are not what was called"
		head -8 differences
	fi
}

jit() {
	local status
	mkdir -p dump home
	"$CC" "${fp[@]}" -o jit "$src/jit.c" || { fail "JIT" "does not build"; return; }
	./jit dump 0
	status=$?
	if [ $status = 77 ]; then
		skip "JIT" "its code is x86-64"
		return
	fi
	if ! record jit -k mono -g -- ./jit dump 1.4 ||
		! record_copies jit-dwarf -k mono -- ./jit dump 1.4; then
		return
	fi
	judge_jit "JIT" jit.data
	judge_jit "JIT, --call-graph dwarf" jit-dwarf.data dwarf
	# Check the lines of the loops.
	if [ "$("$hotdrift" report --json --by line,symbol jit.data 2>>notes | jq -r '.rows as $r |
		[["plain", "second"][] as $s | first($r[] | select(.symbol == $s)).line] | join(" ")'
		)" = "made.jit:11 made.jit:40" ]; then
		pass
	else
		fail "JIT: lines" "the loops are not at made.jit:11 and :40"
	fi
	# Here perf's clock is not that of the jitdump, so hotdrift uses the last name of each address, and warns.
	if record jit-clock -g -- ./jit dump 0.7 && "$hotdrift" info --json jit-clock.data 2>>notes |
		jq -e '[.warnings[].code] | index("symbols.jitdump-clock")' >/dev/null; then
		pass
	else
		fail "JIT without -k mono" "symbols.jitdump-clock is not said"
	fi
	if ! HOME=$dir/home "$PERF" inject --jit -i jit.data -o jit-inject.data >inject.log 2>&1 ||
		! ls dump/jitted-* >/dev/null 2>&1; then
		skip "JIT against perf inject --jit" "perf inject makes nothing: $(head -1 inject.log)"
		return
	fi
	compare_top "JIT" jit.data "" jit-inject.data
	compare_fold "JIT" jit.data "" 0 jit-inject.data
	HOME=$dir/home "$PERF" inject --jit -i jit-dwarf.data -o jit-inject.data >inject.log 2>&1
	compare_top "JIT, --call-graph dwarf" jit-dwarf.data "" jit-inject.data
}
jit
finish

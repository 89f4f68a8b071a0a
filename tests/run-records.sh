#!/bin/bash
# run-records.sh - make every kind of recording that perf supports here, and compare hotdrift's counts with perf's
#
#   records = perf report --stats: the number of records of each type
#   sums    = perf report --sort=comm,dso, one event at a time: samples and periods, exactly
#
# A line of the table is a recording: its name, what is compared, options and command of perf record.  A recording that
# perf or the machine does not support is reported as skipped.
set -u
export LC_ALL=C
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite records
root=$top
src=$root/tests/perf
CC=${CC:-cc}
PERF=${PERF:-perf}
LIMIT=${LIMIT:-300}		# seconds after which a recording hangs; on a busy machine most take many seconds

temporary_folder
dir=$tmp
cd "$dir" || exit 1

if ! command -v "$PERF" >/dev/null; then
	skip "records" "perf is not installed (Debian: linux-perf)"
	finish
fi
if ! "$PERF" record -q -e cpu-clock -o probe.data -- true >probe.log 2>&1; then
	skip "records" "perf cannot record here: $(head -1 probe.log)"
	finish
fi
# shellcheck disable=SC2086 # CC may have arguments
if ! $CC -O2 -g -fno-omit-frame-pointer -o calls "$src/calls.c" "$src/calls2.c" >build.log 2>&1 ||
   ! $CC -O2 -g -fno-omit-frame-pointer -pthread -o family "$src/family.c" >>build.log 2>&1; then
	fail "test programs" "do not build"
	cat build.log
	finish
fi

# perf_sums FILE KEYS, our_sums FILE KEYS: print lines `EVENT|SAMPLES|PERIOD|COMM|DSO`, from perf or hotdrift.  KEYS is
# `comm,dso`, or `comm` for lines without the DSO, or `pid` for lines with the thread's number instead of its name.
# Without given widths, perf sometimes cuts names.
perf_sums() {
	"$PERF" report --no-group --stdio --no-children --sort="$2" --fields="sample,period,$2" -w 20,20,32,256 -g \
		none -t '|' --percent-limit 0 -i "$1" 2>/dev/null |
	awk -F'|' '
		/^# Samples:/ {
			event = $0
			sub(/^[^'\'']*'\''/, "", event); sub(/'\''.*/, "", event); sub(/:.*/, "", event)
		}
		/^#/ || NF < 3 { next }
		{
			out = event
			for (i = 1; i <= NF; i++) { sub(/^ +/, "", $i); sub(/ +$/, "", $i); out = out "|" $i }
			print out
		}' |
	if [ "$2" = pid ]; then sed 's/\(|-*[0-9]*\):[^|]*$/\1/'; else cat; fi | sort
}
our_sums() {
	"$hotdrift" report --json --by "event,${2/pid/tid}" "$1" 2>>notes |
	jq -r --arg by "$2" \
	'.rows[] | [(.event | split(":") | first), .samples, .self, .comm // .tid,
		(if $by == "comm,dso" then .dso | split("/") | last else empty end)] | map(tostring) | join("|")' | sort
}
perf_counts() {
	"$PERF" report --stats -i "$1" 2>/dev/null |
	awk '/^Aggregated stats/ { on = 1; next }
		/^[^ ]/ { on = 0 }
		on && /events:/ && $1 != "TOTAL" { print $1, $3 }' | sort
}
our_counts() { "$hotdrift" info --json "$1" 2>>notes | jq -r '.records | to_entries[] | "\(.key) \(.value)"' | sort; }

compare() {	# NAME FILE KEYS
	local keys=$3
	perf_counts "$2" >perf.counts
	our_counts "$2" >our.counts
	if ! [ -s perf.counts ]; then
		fail "$1: records" "perf report --stats prints nothing"
	elif cmp -s perf.counts our.counts; then
		pass
	else
		fail "$1: records" "differ from perf report --stats"
		diff perf.counts our.counts | head -8
	fi
	perf_sums "$2" "$keys" >perf.sums
	# perf 6.12 has no name for a thread that has ended, although it is still sampled for a moment; hotdrift keeps
	# the name.
	if [ "$keys" = comm ] && grep -q '|:[0-9]*$' perf.sums; then
		keys=pid
		perf_sums "$2" "$keys" >perf.sums
	fi
	our_sums "$2" "$keys" >our.sums
	if ! [ -s perf.sums ] && grep -q '^SAMPLE' perf.counts; then
		fail "$1: sums" "perf report prints nothing"
	elif cmp -s perf.sums our.sums; then
		pass
	else
		fail "$1: sums" "differ from perf report"
		diff perf.sums our.sums | head -8
	fi
}

# NAME | KEYS | OPTIONS and command.  With --tail-synthesize the record of the kernel's mapping comes last, and perf
# attributes the samples before it to [unknown].  So KEYS is `comm` there: objects (dso) are not compared.
table() {
	cat <<'TABLE'
plain             | comm,dso | -- ./calls 0.2
count             | comm,dso | -c 200000 -- ./calls 0.2
user only         | comm,dso | -e cpu-clock:u -- ./calls 0.2
chains            | comm,dso | -g -- ./calls 0.2
copied stacks     | comm,dso | --call-graph dwarf -- ./calls 0.2
addresses         | comm,dso | -d -- ./calls 0.2
physical addresses| comm,dso | -d --phys-data -- ./calls 0.2
data page sizes   | comm,dso | --data-page-size -- ./calls 0.2
code page sizes   | comm,dso | --code-page-size -- ./calls 0.2
weights           | comm,dso | -W -- ./calls 0.2
registers         | comm,dso | -I -g -- ./calls 0.2
user registers    | comm,dso | --user-regs=ip,sp -- ./calls 0.2
all of them       | comm,dso | -dWI --phys-data --data-page-size --code-page-size --user-regs=ip,sp -g -- ./calls 0.2
build-ids in maps | comm,dso | --buildid-mmap -g -- ./calls 0.2
no build-ids      | comm,dso | --no-buildid -g -- ./calls 0.2
cgroups           | comm,dso | --all-cgroups -- ./calls 0.2
namespaces        | comm,dso | --namespaces -- ./calls 0.2
switch records    | comm,dso | --switch-events -- ./family
two events        | comm,dso | -e page-faults -g -- ./family
a group           | comm,dso | -e {cpu-clock,page-faults}:S -- ./family
a group of three  | comm,dso | -e {cpu-clock,page-faults,context-switches}:S -- ./family
counts by thread  | comm,dso | -s -- ./family
one thread        | comm,dso | --per-thread -- ./calls 0.2
CPUs              | comm,dso | --sample-cpu -- ./calls 0.2
another clock     | comm,dso | -k monotonic -- ./calls 0.2
not inherited     | comm,dso | --no-inherit -- ./family
tracepoint        | comm,dso | -e sched:sched_switch -- ./family
zstd              | comm,dso | -z -g -- ./calls 0.2
asynchronous      | comm,dso | --aio -- ./calls 0.2
overwriting       | comm,dso | --overwrite -- ./calls 0.2
told at the end   | comm     | --tail-synthesize -- ./family
system-wide       | comm     | -a -F 997 -- ./family
directory         | comm,dso | --threads -- ./family
kernel's memory   | comm,dso | --kcore -- ./calls 0.2
branches          | comm,dso | -b -- ./calls 0.2
hardware          | comm,dso | -e cycles -- ./calls 0.2
guests            | comm,dso | -e cpu-clock:G -- ./calls 0.2
TABLE
}

while IFS='|' read -r name keys args; do
	name=${name%"${name##*[! ]}"} keys=${keys// /} file=${name// /-}.data
	# A line with its own event replaces cpu-clock, except the line that needs both.
	event=(-e cpu-clock)
	case $name:$args in two\ events:*) ;; *" -e "*) event=() ;; esac
	frequency=(-F 4999)
	case $args in *" -c "*|*" -F "*) frequency=() ;; *sched:*) frequency=(-c 1) ;; esac
	# shellcheck disable=SC2086 # options
	timeout "$LIMIT" "$PERF" record -q "${frequency[@]}" "${event[@]}" -o "$file" $args >record.log 2>&1 </dev/null
	status=$?
	if [ $status = 0 ]; then
		compare "$name" "$file" "$keys"
	else
		[ $status != 124 ] || echo "took more than $LIMIT s" >record.log
		skip "$name" "perf record $args: $(grep -m1 . record.log || echo "exit $status")"
	fi
done < <(table)

# ---- recordings that are not in one regular file: pipes, rotated files

if "$PERF" record -q -F 4999 -e cpu-clock -g -o - -- ./calls 0.2 >pipe.data 2>record.log; then
	compare "pipe" pipe.data comm,dso
else
	skip "pipe" "$(head -1 record.log)"
fi
if "$PERF" record -q -F 4999 -e cpu-clock -e page-faults -z -g -o - -- ./family >zpipe.data 2>record.log; then
	# perf 6.1 cannot read this recording ("Couldn't decompress data"); hotdrift must at least read it
	# completely.
	if "$PERF" report --stats -i zpipe.data 2>/dev/null | grep -q SAMPLE; then
		compare "zstd in a pipe" zpipe.data comm,dso
	elif "$hotdrift" info --strict --json zpipe.data 2>>notes |
		jq -e '.records.COMPRESSED > 0 and .samples.kept == .records.SAMPLE' >/dev/null; then
		pass
	else
		fail "zstd in a pipe" "is not read to its end"
	fi
else
	skip "zstd in a pipe" "$(head -1 record.log)"
fi
if "$PERF" record -q -F 4999 -e cpu-clock --switch-output=100K -o parts.data -- ./calls 0.5 >record.log 2>&1; then
	n=0
	for part in parts.data.*; do
		n=$((n + 1))
		compare "part $n of several" "$part" comm
	done
else
	skip "several files" "$(head -1 record.log)"
fi
# ---- a process in a mount namespace of its own: its program, without a build-id, exists only in the process's root

mkdir inside && mkfifo ready
if unshare -m true 2>/dev/null; then
	unshare -m sh \
		-c 'mount -t tmpfs none inside && cp calls inside/hidden && echo yes >ready && exec inside/hidden 200
			echo no >ready' \
		>/dev/null 2>&1 &
	inside=$!
	trap 'kill "$inside" 2>/dev/null; rm -rf "$tmp"' EXIT
	read -r mounted <ready
	# The command uses as much CPU time as the process gets meanwhile, however busy the machine is.
	if [ "$mounted" = yes ] &&
		"$PERF" record -q -B -N --namespaces -F 4999 -e cpu-clock -g -o inside.data -p "$inside" \
			-- ./calls 0.3 >record.log 2>&1; then
		"$PERF" report --stdio --no-children --sort=dso,symbol --fields=sample,dso,symbol -g none -t '|' \
			--percent-limit 0 -i inside.data 2>/dev/null |
		awk -F'|' '/^#/ || NF < 3 || $2 !~ /^hidden/ { next } {
			gsub(/ /, "", $1); sub(/^ *\[.\] /, "", $3); sub(/ *$/, "", $3)
			print $1, $3
		}' | sed 's/[^ ]*@plt$/@plt/' | sort >perf.sums
		"$hotdrift" report --json --by dso,symbol inside.data 2>>notes |
		jq -r '.rows[] | select(.dso | endswith("/hidden")) | "\(.samples) \(.symbol)"' |
			sed 's/[^ ]*@plt$/@plt/' | sort >our.sums
		if [ -s perf.sums ] && cmp -s perf.sums our.sums; then
			pass
		else
			fail "files of another mount namespace" "differ from perf report"
			diff perf.sums our.sums | head -8
		fi
	else
		skip "files of another mount namespace" "mounted: $mounted; $(head -1 record.log)"
	fi
	kill "$inside" 2>/dev/null
	wait "$inside" 2>/dev/null
	trap 'rm -rf "$tmp"' EXIT
else
	skip "files of another mount namespace" "unshare -m is not permitted"
fi
finish

#!/bin/bash
# run-durability.sh - test databases under killed writers, full disks, power failures and 200 concurrent writers
#
# After each event the database must be valid (the file, its references, its chains) and contain exactly the committed
# runs, and the next writer must succeed.  Takes less than a minute; FULL=1 runs many more rounds.
#   - this script     add, merge, push, prune and verify --sign, killed at moments from their start to their end; 200
#                     concurrent adds; copies of the files taken during writes
#   - unit/db/crash   writers killed in the middle of an add, a full disk, a held lock
#   - unit/db/power   the content of the disk when the power fails at any moment (see tests/unit/db/power.c)
# check-fault covers failing system calls of an add.
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite durability
cd "$top" || exit 1
FULL=${FULL:-}
prog=$hotdrift
needs_built "$prog"
needs durability sqlite3
temporary_folder

for t in ${FULL:+crash power}; do
	FULL=$FULL "$O/tests/unit/db/$t" > "$tmp/out" 2>&1
	status=$?
	n=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$tmp/out" | head -1)
	passes "${n:-0}"
	[ $status = 0 ] || { cat "$tmp/out"; ok 1 "unit/db/$t"; }
	grep ' operations, power lost at ' "$tmp/out"
done
cd "$tmp" || exit 1
export HOME=$tmp GIT_CEILING_DIRECTORIES=$tmp
printf 'a key of many bytes, made here\n' > key
chmod 600 key

runs() { sqlite3 "$1" 'SELECT COUNT(*) FROM run' 2> /dev/null || echo 0; }
# whole DATABASE: print the damage of a database, if any
whole() {
	[ "$(sqlite3 "$1" 'PRAGMA integrity_check' 2>&1)" = ok ] || echo "$1 is damaged"
	[ "$(sqlite3 "$1" 'SELECT COUNT(*) FROM sqlite_master' 2>&1)" != 0 ] ||
		return 0	# the first write has not happened yet
	[ -z "$(sqlite3 "$1" 'PRAGMA foreign_key_check' 2>&1)" ] || echo "$1 refers to what is not there"
	[ "$(sqlite3 "$1" "SELECT COUNT(*) FROM run WHERE run_id = ''
		OR NOT EXISTS (SELECT 1 FROM hotspot h WHERE h.run_id = run.id)")" = 0 ] ||
		echo "$1 has half of a run"
	"$prog" verify --db "$1" > verify.out 2>&1 || cat verify.out
}

# ---- two hundred adds at once

writers=${WRITERS:-200}
pids=()
for i in $(seq "$writers"); do printf 'main;f%s 1\nmain;g 2\n' "$i" > "w$i.folded"; done
began=$(date +%s%N)
for i in $(seq "$writers"); do
	# A slow machine needs more than the default of 5 s for all of them.
	"$prog" add "w$i.folded" --db many.db --busy-ms 300000 --commit none --target "t$((i % 4))" > "w$i.out" 2>&1 &
	pids+=($!)
done
bad=0
for p in "${pids[@]}"; do wait "$p" || bad=$((bad + 1)); done
took=$((($(date +%s%N) - began) / 1000000))
ok $bad "$writers adds at once on one file: $bad failed: $(cat w*.out | grep error | sort | uniq -c | head -3)"
echo "$writers adds at once: $took ms"
claim "none is lost or doubled: $(sqlite3 many.db 'SELECT COUNT(*), COUNT(DISTINCT run_id), MAX(seq) FROM run')" \
	[ "$(sqlite3 many.db 'SELECT COUNT(*), COUNT(DISTINCT run_id), MAX(seq) FROM run')" = \
	"$writers|$writers|$writers" ]
said=$(whole many.db)
claim "and the history is whole: $said" [ -z "$said" ]

# ---- commands that are killed

# Run the command once to measure its duration.  Then start it `rounds` times, and kill it a little later each time.
rounds=${KILLS:-${FULL:+400}}
rounds=${rounds:-25}
killed_command() {	# NAME PREPARE COMMAND...: h.db is the database it writes, made anew by PREPARE
	local name=$1 prepare=$2 i told bad='' before after began took
	shift 2
	rm -f ./h.db* ./*.before
	$prepare > /dev/null 2>&1
	for f in h.db h.db-wal; do [ ! -e $f ] || cp $f $f.before; done
	before=$(runs h.db)
	began=$(date +%s%N)
	"$@" > out 2>&1
	took=$(($(date +%s%N) - began))
	after=$(runs h.db)
	for i in $(seq "$rounds"); do
		rm -f ./h.db ./h.db-wal ./h.db-shm ./h.db-journal
		for f in h.db h.db-wal; do [ ! -e $f.before ] || cp $f.before $f; done
		"$@" > out 2>&1 &
		pid=$!
		# Wait without starting a process: read, with a time-out, from a pipe that stays empty.
		read -r -t "$(awk -v t="$took" -v i="$i" -v n="$rounds" 'BEGIN { printf "%.4f", t * i / n / 1e9 }')" \
			<> <(:) || :
		kill -KILL "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
		told=$?
		[ -s h.db ] || { [ "$before" = 0 ] && [ $told != 0 ] && continue; }
		now=$(runs h.db)
		said=$(whole h.db)
		[ -z "$said" ] || bad="$said"
		if [ "$name" = add ] || [ "$name" = prune ] || [ "$name" = sign ]; then	# all or nothing
			[ "$now" = "$before" ] || [ "$now" = "$after" ] || bad="$now runs, neither $before nor $after"
		fi
		[ $told != 0 ] || [ "$now" = "$after" ] ||
			bad="it said that it was done, and $now runs are there, not $after"
		# The second run must continue where the first one ended.
		"$@" > out 2>&1 || bad="the next one fails: $(cat out)"
		said=$(whole h.db)
		[ -z "$said" ] || bad="$said"
		[ -z "$bad" ] || break
	done
	claim "$name, killed at round $i of $rounds: $bad" [ -z "$bad" ]
}

ten_runs() {
	for i in $(seq 10); do "$prog" add "w$i.folded" --db "$1" --commit none --target "t$((i % 2))" --recorded \
		"2026-11-2${i}T00:00:00Z" || :; done
	for i in $(seq 10); do "$prog" add "w$i.folded" --db "$1" --commit none --recorded \
		"2026-10-1$((i % 10))T00:00:00Z"; done
}
ten_runs ten.db > /dev/null 2>&1
# shellcheck disable=SC2317	# killed_command calls it
one_run() { "$prog" add w1.folded --db h.db --commit none; }
# shellcheck disable=SC2317
from_ten() { cp ten.db h.db; }
awk 'BEGIN { for (i = 0; i < 1500; i++) printf "main;outer_%d;function_number_%d %d\n", i % 40, i, 100000 - i }' > \
	large.folded
killed_command add one_run "$prog" add large.folded --db h.db --commit none
killed_command first : "$prog" add large.folded --db h.db --commit none
killed_command merge one_run "$prog" merge --db h.db ten.db
killed_command push one_run "$prog" push --db ten.db h.db
killed_command prune from_ten "$prog" prune --db h.db --keep 1
killed_command sign from_ten "$prog" verify --db h.db --sign --key key

# ---- files copied during writes, some with a write-ahead log whose end is cut off or overwritten

"$prog" add w1.folded --db copied.db --commit none > /dev/null 2>&1
# The writer adds runs until enough copies were taken.
(
	while [ ! -e enough ]; do
		for i in $(seq 2 11); do "$prog" add "w$i.folded" --db copied.db --busy-ms 300000 --commit none; done
	done > writer.out 2>&1
) &
writer=$!
bad=''
copies=0
while kill -0 $writer 2> /dev/null && [ $copies -lt "${FULL:+1}15" ]; do
	# Hold the write lock, so that the copies are consistent.  A checkpoint of another process may run
	# meanwhile.
	if told=$(sqlite3 copied.db '.timeout 300000' 'BEGIN IMMEDIATE' 'SELECT COUNT(*) FROM run' \
		'.shell cp copied.db copy.db; cp copied.db-wal copy.db-wal 2>/dev/null || :' 'COMMIT' 2> /dev/null); \
		then
		size=$(stat -c %s copy.db-wal 2> /dev/null || echo 0)
		case $((copies % 3)) in
		0) ;;	# an unmodified copy
		1) [ "$size" -lt 9000 ] || truncate -s $((size - 1 - RANDOM % 8000)) copy.db-wal ;;
		2) [ "$size" -lt 9000 ] || dd if=/dev/urandom of=copy.db-wal bs=512 count=4 seek=$((size / 512 - 4)) \
			conv=notrunc 2> /dev/null ;;
		esac
		now=$(runs copy.db)
		said=$(whole copy.db)
		[ -z "$said" ] || bad=$said
		[ "$now" -le "$told" ] || bad="$now runs in the copy, $told told"
		[ $((copies % 3)) != 0 ] || [ "$now" -ge $((told - 1)) ] || bad="$now runs in the copy, $told told"
		"$prog" add w1.folded --db copy.db --commit none > add.out 2>&1 ||
			bad="the next add fails: $(cat add.out)"
		copies=$((copies + 1))
	fi
	[ -z "$bad" ] || break
done
touch enough
wait $writer
[ $copies -gt 5 ] || bad="$bad only $copies copies were taken"
claim "copies of the files taken while runs are added are whole histories ($copies): $bad" [ -z "$bad" ]
! grep -q error writer.out
ok $? "and the writer is not disturbed: $(grep error writer.out | head -1)"
finish

#!/bin/bash
# fleet.sh - make bench-fleet: measure commands on the history of many machines, over a connection with latency
#
#   RUNS="1000 10000"       numbers of runs, rising and at least 2 x TARGETS; the history grows from one to the next
#   BASE=2000               this many runs are added by hotdrift's own code; further ones are copies (fleet.sql).  BASE
#                           and larger numbers of runs are multiples of 100 and of TARGETS
#   SYMBOLS=40 TARGETS=200 MACHINES=1000 SEED=1    the arguments of history.c
#   SHOW=0                  print the N most frequent statements of each command
#   DELAY=20                round-trip time of the connection in milliseconds
#   WRITERS="1 8 32 64"     then measure these numbers of concurrent writers, each for another machine, and the last
#                           number also for one machine; unset: skip this.  WRITES=10 runs are added by each writer
#
# A private PostgreSQL server counts statements, rows and pages (blocks) of each command (pg_stat_statements).  Unlike
# times, these do not depend on what else the machine does.  "server CPU s" is the CPU time of the processes of the
# server that ended; 0.1 to 0.2 s of it belong to the measurement.  The command runs directly and then through a proxy
# with a delay (delay.py); the difference of the two times is printed in round trips.  Statements that are sent without
# waiting for the answer before them share a round trip.  The script fails if a command fails, or if the statements of a
# command grow with the number of runs, except where docs/fleet.md says that they do.  Times are printed and not judged.
#
# `verify` is measured with at most BASE runs, because copies do not have the hashes that it computes.  The data of the
# server are in the build folder, about 20 KB a run.  Without fsync while runs are made; writers are measured with it.
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/../suite.sh"
begin_suite bench-fleet "$(dirname "$0")/../.."
# shellcheck source=tests/pg/server.sh
. "$top/tests/pg/server.sh"
here=$top/tests/bench
RUNS=${RUNS:-1000 10000} SYMBOLS=${SYMBOLS:-40} TARGETS=${TARGETS:-200} MACHINES=${MACHINES:-1000}
SEED=${SEED:-1} DELAY=${DELAY:-20} BASE=${BASE:-2000}
TMPDIR=${TMPDIR:-$O} temporary_folder
proxy=''
trap '[ -z "$proxy" ] || kill "$proxy"; pg_stop; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
needs 'a fleet on PostgreSQL' python3 psql
needs_built "$O/tests/bench/history" "$hotdrift"

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port)
pg_start "$tmp" -c listen_addresses=127.0.0.1 -c port="$port" \
	-c shared_preload_libraries=pg_stat_statements -c shared_buffers=512MB -c max_wal_size=4GB || {
	skip 'a fleet on PostgreSQL' "$pg_why"
	finish
}
pg_url="$pg_url&port=$port"
sql() { psql -qAt "$pg_url" -c "$1"; }
sql 'ALTER SYSTEM SET fsync = off' && sql 'ALTER SYSTEM SET full_page_writes = off' &&
	sql 'SELECT pg_reload_conf()' >/dev/null || exit 1
sql 'CREATE SCHEMA counts' && sql 'CREATE EXTENSION pg_stat_statements SCHEMA counts' || exit 1
far=$(free_port)
mkfifo ready
python3 "$here/delay.py" "$far" "$port" "$DELAY" >ready &
proxy=$!
read -r _ <ready
far_url="postgresql://hotdrift@127.0.0.1:$far/postgres?sslmode=disable"

# make_runs N: let the history have N runs.
make_runs() {
	local real=$(($1 < BASE ? $1 : BASE))

	[ "$have" -ge "$real" ] ||
		"$O/tests/bench/history" "$pg_url" "$real" "$SYMBOLS" "$SEED" "$TARGETS" "$MACHINES" >made || return 1
	have=$real
	[ "$1" -le "$BASE" ] && { sql 'VACUUM ANALYZE'; return; }
	[ $((BASE % 100 + BASE % TARGETS + $1 % 100 + $1 % TARGETS)) = 0 ] || return 1
	psql -qX "$pg_url" -v base="$BASE" -v size="$1" -v targets="$TARGETS" -v machines="$MACHINES" \
		-v seed="$SEED" -f "$here/fleet.sql" >/dev/null 2>messages || { cat messages; return 1; }
}

# ran COMMAND...: run hotdrift, and set cpu_s.  The verdicts FAIL (1) and INCONCLUSIVE (3) are no errors.
ran() {
	local status=0 TIMEFORMAT='%3U %3S'

	{ time "$hotdrift" "$@" >answer 2>messages; } 2>cpu || status=$?
	cpu_s=$(awk '{ print $1 + $2 }' cpu)
	case $status in 0 | 1 | 3) ;; *) return 1 ;; esac
}
now() { date +%s%N; }
# Print the CPU time of all processes of the server that ended, in seconds, when no other client is connected.
server_cpu() {
	until [ "$(sql "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")" = 1 ]; do :; done
	awk -v hz="$(getconf CLK_TCK)" '{ print ($16 + $17) / hz }' "/proc/$(head -n 1 "$pg_data/postmaster.pid")/stat"
}
# measure NAME COMMAND...: print a row of the table, and append it to rows.$size.
measure() {
	local name=$1 began near far_ns counted cpu
	shift

	sql 'SELECT counts.pg_stat_statements_reset()' >/dev/null
	cpu=$(server_cpu)
	began=$(now)
	ran "$@" --db "$pg_url" || { fail "$size runs: $name" "$(head -n 1 messages)"; return; }
	near=$(($(now) - began))
	cpu=$(server_cpu | awk -v before="$cpu" '{ print $1 - before }')
	# The server counts a statement when its transaction ends, and hotdrift query closes the connection before that.
	if [ "$1" = query ] && [ "$2" = --name ]; then
		sql "$(cat "$top/schema/query_$3.sql")" >/dev/null
	elif [ "$1" = query ]; then
		sql "$2" >/dev/null
	fi
	[ -z "${SHOW:-}" ] || sql "SELECT calls, rows, shared_blks_hit + shared_blks_read, round(total_exec_time),
		left(query, 150) FROM counts.pg_stat_statements ORDER BY total_exec_time DESC LIMIT $SHOW" >&2
	counted=$(psql -qAtF '	' "$pg_url" -c "SELECT SUM(calls), SUM(rows), SUM(shared_blks_hit + shared_blks_read),
		$cpu FROM counts.pg_stat_statements WHERE query NOT LIKE '%pg_stat_%'")
	began=$(now)
	ran "$@" --db "$far_url" || { fail "$size runs: $name" "$(head -n 1 messages)"; return; }
	far_ns=$(($(now) - began))
	pass
	echo "$name	$counted	$near	$cpu_s	$far_ns" | tee -a "rows.$size" | awk -F'\t' -v d="$DELAY" '{
		printf "| %s | %d | %d | %d | %.2f | %.2f | %.2f | %.2f | %.0f |\n", $1, $2, $3, $4, $5, $7,
			$6 / 1e9, $8 / 1e9, ($8 - $6) / 1e6 / d }'
}

symbol=engine1::function0003
first='' have=0
for size in $RUNS; do
	began=$(now)
	make_runs "$size" || { fail "$size runs are made"; break; }
	printf '\n%s runs of %s targets on %s machines, %s rows of hotspot each, %s MB, made in %s s, load %s\n\n' \
		"$size" "$TARGETS" "$MACHINES" "$(sql 'SELECT round(COUNT(*) / 200.0, 1) FROM hotspot WHERE run_id IN (
			SELECT id FROM run ORDER BY id DESC LIMIT 200)')" \
		"$(sql 'SELECT pg_database_size(current_database()) / 1000000')" "$((($(now) - began) / 1000000000))" \
		"$(cut -d ' ' -f 1 /proc/loadavg)"
	printf '| command | statements | rows | blocks | server CPU s | client CPU s | s | s with %s ms | round trips |
|---|--:|--:|--:|--:|--:|--:|--:|--:|\n' "$DELAY"
	target=engine1
	last=$(sql "SELECT run_id FROM run WHERE target = '$target' ORDER BY id DESC LIMIT 1")
	measure "log" log
	measure 'log -n 10000' log -n 10000
	measure 'log -n 0' log -n 0
	measure "log --target" log --target "$target" -n 0
	measure "show latest" show "latest:$target"
	measure "history SYMBOL" history "$symbol" --target "$target"
	measure "history" history --target "$target"
	measure "gate" gate --head "$last" --no-record --target "$target"
	measure "html --target" html --target "$target" -o page.html
	measure "html" html -o page.html
	measure "query top5" query --name top5
	measure "query machines" query --name machines
	measure "v_run_summary, newest 100" query "SELECT * FROM v_run_summary ORDER BY recorded_utc DESC LIMIT 100"
	measure "v_run_summary of a target" query "SELECT * FROM v_run_summary WHERE target = '$target'"
	measure "v_top5 of a run" query "SELECT * FROM v_top5 WHERE run_id = '$last'"
	measure "v_symbol_history" query "SELECT * FROM v_symbol_history WHERE normal = '$symbol'"
	printf 'main;f%s;g 30\nmain;f 5\n' "$size" >a.folded
	measure "add" add a.folded --target added --commit none --recorded 2020-01-01T00:00:00Z
	[ "$size" -gt "$BASE" ] || measure "verify" verify
	[ -n "$first" ] || { first=$size; continue; }
	while IFS='	' read -r name count _; do
		before=$(awk -F'\t' -v n="$name" '$1 == n { print $2 }' "rows.$first")
		portions=$([ "$name" != 'log -n 0' ] || echo $((4 * (size - first) / 5000)))
		case $name in
		verify) ;;
		*) holds "$size runs: statements of $name" "$before with $first runs, $count now" \
			[ "$count" -le "$((before + before / 10 + 5 + portions))" ] ;;
		esac
	done <"rows.$size"
done

# curve TITLE COLUMN FORMAT DIVISOR: print a column of all tables, one column for each number of runs.
curve() {
	local n

	# $RUNS is split into words on purpose.
	# shellcheck disable=SC2086
	printf '\n| %s |%s\n|---|%s\n' "$1" "$(printf ' %s |' $RUNS)" "$(printf -- '--:|%.0s' $RUNS)"
	for n in $RUNS; do [ ! -f "rows.$n" ] || sed "s/^/$n	/" "rows.$n"; done |
		awk -F'\t' -v c="$2" -v f="$3" -v d="$4" -v runs="$RUNS" '
		!($2 in seen) { seen[$2] = 1; names[++n] = $2 }
		{ value[$2, $1] = sprintf(f, $(c + 1) / d) }
		END {
			k = split(runs, at, " ")
			for (i = 1; i <= n; i++) {
				line = "| " names[i] " |"
				for (j = 1; j <= k; j++) line = line " " value[names[i], at[j]] " |"
				print line
			}
		}'
}
curve 'blocks' 4 %d 1
curve 'server CPU s' 5 %.2f 1
curve 'client CPU s' 7 %.2f 1
curve "s with $DELAY ms" 8 %.2f 1e9

# at_once WRITERS MACHINES: print a row of the table of writers.
at_once() {
	"$O/tests/bench/history" "$pg_url" $(($1 * ${WRITES:-10})) "$SYMBOLS" "$1$2" "$TARGETS" "$MACHINES" "$1" "$2" \
		>waits 2>messages
	holds "$1 writers of $2 machines" "$(head -n 1 messages)" grep -q '^runs_per_s' waits
	awk -v w="$1" -v m="$2" '$1 == "runs_per_s" { r = $2 } $1 == "failed" { f = $2 } /^Lock\./ { l += $2 }
		NR > 2 { all = all (all ? ", " : "") $1 " " $2 } END {
		printf "| %d | %d | %s | %.1f | %d | %s |\n", w, m, r, l, f, all }' waits
}
if [ -n "${WRITERS:-}" ]; then
	sql 'ALTER SYSTEM RESET ALL' && sql 'SELECT pg_reload_conf()' >/dev/null
	printf '\n| writers | machines | runs/s | wait for a lock | gave up | all waits |\n|--:|--:|--:|--:|--:|---|\n'
	for n in $WRITERS; do at_once "$n" "$n"; done
	at_once "$n" 1
	if [ "$size" -gt "$BASE" ]; then
		skip 'verify after all writers' 'copies do not have the hashes that it computes'
	else
		ran verify --db "$pg_url"
		ok $? "verify after all writers: $(head -n 1 messages)"
	fi
fi
echo
finish

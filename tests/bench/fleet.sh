#!/bin/bash
# fleet.sh - make bench-fleet: measure commands on the history of many machines, over a connection with latency
#
#   RUNS="1000 10000"       numbers of runs, rising and at least 2 x TARGETS; the history grows from one to the next
#   SYMBOLS=40 TARGETS=200 MACHINES=1000 SEED=1    the arguments of history.c
#   SHOW=0                  print the N most frequent statements of each command
#   DELAY=20                round-trip time of the connection in milliseconds
#   WRITERS="1 8 32 64"     then measure these numbers of concurrent writers, each for another machine, and the last
#                           number also for one machine; unset: skip this.  WRITES=10 runs are added by each writer
#
# A private PostgreSQL server counts the statements of each command (pg_stat_statements).  The command runs directly and
# then through a proxy with a delay (delay.py); the difference of the two times is printed in round trips.  Statements
# that are sent without waiting for the answer before them share a round trip.  The script fails if a command fails, or
# if the statements of a command grow with the number of runs, except where docs/fleet.md says that they do.  Times are
# printed and not judged.
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/../suite.sh"
begin_suite bench-fleet "$(dirname "$0")/../.."
# shellcheck source=tests/pg/server.sh
. "$top/tests/pg/server.sh"
here=$top/tests/bench
RUNS=${RUNS:-1000 10000} SYMBOLS=${SYMBOLS:-40} TARGETS=${TARGETS:-200} MACHINES=${MACHINES:-1000}
SEED=${SEED:-1} DELAY=${DELAY:-20}
temporary_folder
proxy=''
trap '[ -z "$proxy" ] || kill "$proxy"; pg_stop; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
needs 'a fleet on PostgreSQL' python3 psql
needs_built "$O/tests/bench/history" "$hotdrift"

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port)
pg_start "$tmp" -c listen_addresses=127.0.0.1 -c port="$port" \
	-c shared_preload_libraries=pg_stat_statements || {
	skip 'a fleet on PostgreSQL' "$pg_why"
	finish
}
pg_url="$pg_url&port=$port"
sql() { psql -qAt "$pg_url" -c "$1"; }
sql 'ALTER SYSTEM SET fsync = off' && sql 'SELECT pg_reload_conf()' >/dev/null || exit 1
sql 'CREATE SCHEMA counts' && sql 'CREATE EXTENSION pg_stat_statements SCHEMA counts' || exit 1
far=$(free_port)
mkfifo ready
python3 "$here/delay.py" "$far" "$port" "$DELAY" >ready &
proxy=$!
read -r _ <ready
far_url="postgresql://hotdrift@127.0.0.1:$far/postgres?sslmode=disable"

# ran COMMAND...: run hotdrift; the verdicts FAIL (1) and INCONCLUSIVE (3) are no errors.
ran() {
	local status=0

	"$hotdrift" "$@" >answer 2>messages || status=$?
	case $status in 0 | 1 | 3) ;; *) return 1 ;; esac
}
now() { date +%s%N; }
# measure NAME COMMAND...: print a row of the table, and append `NAME STATEMENTS` to statements.$size.
measure() {
	local name=$1 began near far_ns count
	shift

	began=$(now)
	ran "$@" --db "$pg_url" || { fail "$size runs: $name" "$(head -n 1 messages)"; return; }
	near=$(($(now) - began))
	sql 'SELECT counts.pg_stat_statements_reset()' >/dev/null
	began=$(now)
	ran "$@" --db "$far_url" || { fail "$size runs: $name" "$(head -n 1 messages)"; return; }
	far_ns=$(($(now) - began))
	[ -z "${SHOW:-}" ] || sql "SELECT calls, left(query, 150) FROM counts.pg_stat_statements
		ORDER BY calls DESC LIMIT $SHOW" >&2
	count=$(sql "SELECT SUM(calls) FROM counts.pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'")
	pass
	echo "$name	$count" >>"statements.$size"
	awk -v n="$name" -v c="$count" -v a="$near" -v b="$far_ns" -v d="$DELAY" \
		'BEGIN { printf "| %s | %d | %.2f | %.2f | %.0f |\n", n, c, a / 1e9, b / 1e9, (b - a) / 1e6 / d }'
}

symbol=engine3::function0003
first=''
for size in $RUNS; do
	"$O/tests/bench/history" "$pg_url" "$size" "$SYMBOLS" "$SEED" "$TARGETS" "$MACHINES" >made || {
		fail "$size runs are made"
		break
	}
	sql ANALYZE
	printf '\n%s runs of %s targets on %s machines, %s rows of hotspot each, %s MB\n\n' \
		"$size" "$TARGETS" "$MACHINES" \
		"$(sed -n 's/^rows_per_run //p' made)" "$(($(sed -n 's/^bytes //p' made) / 1000000))"
	printf '| command | statements | s | s with %s ms | round trips |\n|---|--:|--:|--:|--:|\n' "$DELAY"
	target=engine1
	last=$(sql "SELECT run_id FROM run WHERE target = '$target' ORDER BY id DESC LIMIT 1")
	measure "log" log
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
	printf 'main;f%s;g 30\nmain;f 5\n' "$size" >a.folded
	measure "add" add a.folded --target "$target" --commit none --recorded 2020-01-01T00:00:00Z
	measure "verify" verify
	[ -n "$first" ] || { first=$size; continue; }
	while IFS='	' read -r name count; do
		before=$(awk -F'\t' -v n="$name" '$1 == n { print $2 }' "statements.$first")
		case $name in
		verify) ;;
		*) holds "$size runs: statements of $name" "$before with $first runs, $count now" \
			[ "$count" -le "$((before + before / 10 + 5))" ] ;;
		esac
	done <"statements.$size"
done

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
	sql 'ALTER SYSTEM RESET fsync' && sql 'SELECT pg_reload_conf()' >/dev/null
	printf '\n| writers | machines | runs/s | wait for a lock | gave up | all waits |\n|--:|--:|--:|--:|--:|---|\n'
	for n in $WRITERS; do at_once "$n" "$n"; done
	at_once "$n" 1
	ran verify --db "$pg_url"
	ok $? "verify after all writers: $(head -n 1 messages)"
fi
echo
finish

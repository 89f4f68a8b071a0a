#!/bin/bash
# run-pg.sh - test histories on a private PostgreSQL server
#
# The script starts a server (Debian's package postgresql) that listens only on a socket in a temporary folder, and
# stops it at the end.  With the server run
#   - the unit tests of the store that apply to any database, and tests/pg/server.c;
#   - a sequence of commands on SQLite and on the server, whose output must be equal;
#   - 32 concurrent writers on one history, and writers that are killed.
# Without a server all tests are skipped by name.  If HD_TEST_PG is set (a URL with a '?' in it), that server is used.
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite pg
cd "$top" || exit 1
prog=$hotdrift
writers=${WRITERS:-32}

skip_all() {
	skip "histories on a PostgreSQL server" "$1"
	finish
}

temporary_folder
server=''
as_server=''
# shellcheck disable=SC2317	# the trap calls it
stop() {
	if [ -n "$server" ]; then
		$as_server "$bin/pg_ctl" -D "$tmp/data" -m immediate -w stop > /dev/null 2>&1
	fi
	rm -rf "$tmp"
}
trap stop EXIT

start() {
	bin=$(dirname "$(command -v postgres || find /usr/lib/postgresql -name postgres -path '*/bin/*' 2> /dev/null | sort -V | tail -1)")
	[ -x "$bin/initdb" ] || skip_all "no postgres; Debian's package postgresql has it"
	"$prog" log --db "postgresql://x@/x?host=$tmp" 2>&1 | grep -q 'built without libpq' &&
		skip_all "hotdrift was built without libpq"
	if [ "$(id -u)" = 0 ]; then
		# The server refuses to run as root.
		id postgres > /dev/null 2>&1 || skip_all "root cannot run a server, and there is no user postgres"
		as_server='setpriv --reuid=postgres --regid=postgres --init-groups'
		chown postgres "$tmp"
	fi
	chmod 711 "$tmp"
	(cd "$tmp" && $as_server "$bin/initdb" -D "$tmp/data" -U hotdrift -A trust -E UTF8 --locale=C --no-sync) > \
		"$tmp/initdb.log" 2>&1 ||
		skip_all "initdb fails: $(tail -1 "$tmp/initdb.log")"
	(cd "$tmp" && $as_server "$bin/pg_ctl" -D "$tmp/data" -w -l "$tmp/data/log" -o "-c listen_addresses= -c unix_socket_directories=$tmp \
-c fsync=off -c max_connections=100" start) > "$tmp/start.log" 2>&1 ||
skip_all "the server does not start: $(tail -1 "$tmp/start.log")"
	server=yes
	HD_TEST_PG="postgresql://hotdrift@/postgres?host=$tmp"
}

needs_built "$prog"
[ -n "${HD_TEST_PG:-}" ] || start
export HD_TEST_PG

# ---- the unit tests of the store and of its users

for t in "$@"; do
	"$O/tests/unit/$t" > "$tmp/out" 2>&1
	status=$?
	n=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$tmp/out" | head -1)
	passes "${n:-0}"
	[ $status = 0 ] || { cat "$tmp/out"; ok 1 "unit/$t on the server"; }
done
"$O/tests/pg/server" > "$tmp/out" 2>&1
status=$?
n=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$tmp/out" | head -1)
passes "${n:-0}"
[ $status = 0 ] || { cat "$tmp/out"; ok 1 "pg/server"; }
grep '^questions of ' "$tmp/out"

# ---- one story, two databases

new_schema() {	# NAME: sets url
	"$psql" -q "$HD_TEST_PG" -c "CREATE SCHEMA $1" || exit 1
	url="$HD_TEST_PG&options=-csearch_path%3D$1"
}
psql=$(command -v psql || echo "${bin:-.}/psql")
[ -x "$psql" ] || skip_all "no psql"
cd "$tmp" || exit 1
mkdir story && cd story || exit 1
printf 'main;parse;read_row 30\nmain;parse 5\nmain;decode 20\nmain;hash_probe 11\nmain;emit 7\nmain;idle 3\n' > a.folded
printf "main;parse;read_row 30\nmain;parse 5\nmain;decode 40\nmain;x');DROP TABLE run\\\\x3b-- 11\nmain;\\\\x1b[2J 7\nmain;[unknown] 3\n" > b.folded
for i in $(seq 60); do printf 'main;f%s;read_row 1\nmain;f%s;read_row;parse 1\n' "$i" "$i"; done > c.folded
for i in $(seq 120); do printf 'main;f%s;decode 1\n' "$i"; done >> c.folded
for i in $(seq 200); do printf 'main;f%s;read_row 1\n' "$i"; done > d.folded
for i in $(seq 60); do printf 'main;f%s;decode 1\nmain;g%s;parse 1\n' "$i" "$i"; done >> d.folded
printf '{"a":1}' > c.json
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,100.125,80,16\n1,120,90,32\n2,110,85,16\n3,1e17,85,64\n' > \
	l.csv
printf 'timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n0,1000,1,2,3\n10,3000,1,2,3\n' \
	> m.csv
printf 'timestamp_us,watts\n0,10\n1000000,20\n2000000,30\n' > p.csv
printf 't_ns,source,domain,watts,joules_cum,stale\n0,rapl,package-0,10,0,0\n1000000000,rapl,package-0,20,14,0\n0,rapl,dram,1,,0\n1000000000,rapl,dram,1,,0\n' > w.csv
printf 'depth,"a""; DROP TABLE run\\"\n1,2\n3,4\n' > q.csv
touch -d 2026-11-20T14:01:02Z -- ./*
# The hash of a run, and so the end of its id, differs between histories; so does the name of the history.
mask() {
	sed -e "s#$1#DB#g" -e 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/g' -e 's/\b[0-9a-f]\{64\}\b/SHA/g' -e 's/^added .*/added/' \
		-e 's/"added": "[^"]*"/"added"/' \
		-e 's/"[0-9-]*T[0-9:]*Z", "serve"/"added", "serve"/' -e "s/'\\?postgresql:[^ :\"']*'\\?/DB/g" -e \
		's/"origin": "[0-9a-f]*"/"origin"/'
}
tell() {
	local db=$1 sql
	for i in 1 2; do
		"$prog" add a.folded --db "$db" --target serve --recorded 2026-11-2${i}T14:01:02Z \
			--commit 0123456789abcdef0123456789abcdef0123456$i
		"$prog" add b.folded --db "$db" --target serve --recorded 2026-11-2${i}T15:01:02Z \
			--commit 123456789abcdef0123456789abcdef01234567$i
	done
	# Two changes that exceed the noise, with their order; and all columns of a run.
	"$prog" add c.folded l.csv m.csv p.csv --db "$db" --target serve --recorded 2026-11-23T14:01:02Z --commit none \
		--work 2.5e3 --side B \
		--session 'a b' --config c.json --series 'my queue=q.csv'
	"$prog" add d.folded w.csv --db "$db" --target serve --recorded 2026-11-23T15:01:02Z --commit none --work 10
	"$prog" add d.folded --db "$db" --target serve --recorded 2026-11-23T16:01:02Z --commit none --comm main \
		--no-kernel
	"$prog" show --db "$db" latest~2
	"$prog" show --db "$db" --json latest~1
	"$prog" query --db "$db" --json 'SELECT * FROM v_series ORDER BY recorded_utc, run_id, series, ordinal'
	"$prog" query --db "$db" --json 'SELECT * FROM v_run_summary ORDER BY recorded_utc, run_id, event'
	"$prog" query --db "$db" --json 'SELECT * FROM v_symbol_history ORDER BY recorded_utc, run_id, event, rank'
	"$prog" add b.folded --db "$db" --target serve --once
	"$prog" log --db "$db"
	"$prog" log --db "$db" --json
	"$prog" log --db "$db" --top5 latest --changes
	"$prog" log --db "$db" --target nobody
	"$prog" show --db "$db"
	"$prog" show --db "$db" --json latest~2
	for sql in $("$prog" query --list --db "$db" | awk '{ print $1 }'); do
		case $sql in
		leaders | newcomers | top5-by-commit | set-changes | order-shifts | cost-per-joule)
			"$prog" query --db "$db" --csv --name "$sql" serve ;;
		symbol-history | symbol) "$prog" query --db "$db" --csv --name "$sql" read_row ;;
		growth) "$prog" query --db "$db" --csv --name "$sql" serve 2026-11-21T14:30:00Z ;;
		config-runs) "$prog" query --db "$db" --csv --name "$sql" 015abd7f ;;
		*) "$prog" query --db "$db" --csv --name "$sql" ;;
		esac
	done
	"$prog" query --db "$db" --json \
		"SELECT COALESCE(s.name, '-') AS name, SUM(h.self) AS self, COUNT(*) AS n FROM hotspot h JOIN symbol s ON s.id = h.symbol_id \
GROUP BY s.name ORDER BY 2 DESC, 1"
	"$prog" drift --db "$db" 0123456789 1234567890; echo "status $?"
	"$prog" gate --db "$db" --head latest --json; echo "status $?"
	"$prog" ack --db "$db" decode --reason "larger rows"
	"$prog" ack --db "$db" decode --withdraw
	"$prog" query --db "$db" --csv \
		"SELECT x.command, x.verdict, COUNT(*) AS runs FROM gate_result x JOIN gate_run g ON g.gate_id = x.id GROUP BY x.id, x.command, x.verdict ORDER BY 1"
	"$prog" query --db "$db" 'DELETE FROM run' > /dev/null 2>&1; echo "status $?"
	"$prog" query --db "$db" 'SELECT no_such_column FROM run' > /dev/null 2>&1; echo "status $?"
	for i in latency memory power other; do "$prog" show --db "$db" latest~2 --series=$i --csv; done
	"$prog" show --db "$db" latest~2 --series --json
	"$prog" query --db "$db" --csv 'SELECT kind, first_series, series, samples, sha256, bytes FROM v_series_csv ORDER BY kind, bytes'
	"$prog" opportunities --db "$db" --commits 9 -n 0
	"$prog" opportunities --db "$db" --json --target serve --weights cpu=2,memory=1 --any-object \
		--commit 0123456789abcdef0123456789abcdef01234561
	"$prog" opportunities --db "$db" --target nobody; echo "status $?"
	"$prog" show --db "$db" nothing; echo "status $?"
}
new_schema story
tell h.db 2>&1 | mask h.db > sqlite.out
tell "$url" 2>&1 | mask '&&&' > server.out
diff sqlite.out server.out > diff.out
ok $? "the same commands print the same: $(head -20 diff.out)"
claim "the story is told" [ "$(wc -l < server.out)" -gt 100 ]
claim "opportunities are ranked" [ "$(grep -c 'hot targets\|"hotdrift.opportunities"' server.out)" = 2 ]

# The views can be read without hotdrift.
views="SELECT target, top5, CAST(p99_us AS BIGINT), CAST(peak_rss_bytes AS BIGINT), CAST(joules AS BIGINT), selection FROM v_run_summary
	ORDER BY recorded_utc"
series="SELECT kind, name, stat, CAST(value AS BIGINT) FROM v_series WHERE stat IN ('joules', 'peak_rss', 'p95') ORDER BY run_id, series, ordinal"
for sql in "$views" "$series"; do
	sqlite3 h.db "$sql" > sqlite.views
	"$psql" -qAt "$url" -c "$sql" > server.views
	cmp -s sqlite.views server.views && [ "$(wc -l < server.views)" -ge 7 ]
	ok $? "psql and sqlite3 read the same: $(diff sqlite.views server.views | head -5)"
done

# Copy a file to the server and back to a file: the history must be equal.
new_schema merged
"$prog" merge --db "$url" h.db > merge.out 2>&1 && "$prog" merge --db back.db "$url" >> merge.out 2>&1
ok $? "merging into the server and out of it: $(cat merge.out)"
for db in h.db back.db "$url"; do
	"$prog" verify --db "$db" --head "$(sqlite3 h.db 'SELECT run_hash FROM run WHERE seq = 4')" > verify.out 2>&1
	ok $? "the chain holds: $(cat verify.out)"
	"$prog" log --db "$db" --json | grep -v '"db"' > "log.out"
	[ -f first.out ] || cp log.out first.out
	cmp -s first.out log.out
	ok $? "the same runs in $db"
done

# The same by push: as a whole, repeated, and from several machines at once.
new_schema pushed
pids=()
for i in 1 2 3 4; do
	"$prog" add a.folded --db "m$i.db" --target "m$i" --commit none > /dev/null 2>&1
	"$prog" merge --db "m$i.db" h.db > /dev/null 2>&1
	"$prog" push --db "m$i.db" --busy-ms 60000 "$url" > "push$i.out" 2>&1 &
	pids+=($!)
done
bad=0
for p in "${pids[@]}"; do wait "$p" || bad=$((bad + 1)); done
ok $bad "four machines push at once what each has and what they share: $(cat push*.out | grep error | head -3)"
shared=$(sqlite3 h.db 'SELECT COUNT(*) FROM run')
"$prog" push --db m1.db "$url" 2>&1 | grep -q ": 0 added, $((shared + 1)) known"
ok $? "pushed again nothing is added"
claim "each run is there once: $("$psql" -qAt "$url" -c 'SELECT COUNT(*), COUNT(DISTINCT run_id) FROM run')" \
	[ "$("$psql" -qAt "$url" -c 'SELECT COUNT(*), COUNT(DISTINCT run_id) FROM run')" = \
	"$((shared + 4))|$((shared + 4))" ]
"$prog" verify --db "$url" > verify.out 2>&1
ok $? "and the chains hold: $(cat verify.out)"

# ---- many writers, and some that die

new_schema writers
pids=()
for i in $(seq "$writers"); do
	printf 'main;f%s 1\nmain;g 2\n' "$i" > "w$i.folded"
	"$prog" add "w$i.folded" --db "$url" --busy-ms 60000 --target "t$((i % 4))" > "w$i.out" 2>&1 &
	pids+=($!)
done
said=''
for i in 1 2 3 4; do	# what is read is of one moment, though others write
	"$prog" verify --db "$url" > verify.out 2>&1 ||
		grep -q 'database is empty\|not one of hotdrift\|older hotdrift' verify.out || said=$(cat verify.out)
done
claim "verify is not misled by who writes: $said" [ -z "$said" ]
bad=0
for p in "${pids[@]}"; do wait "$p" || bad=$((bad + 1)); done
ok $bad "$writers writers at once: $bad of them failed: $(cat w*.out | grep error | head -3)"
count() { "$psql" -qAt "$url" -c "$1"; }
claim "nothing is lost or doubled: $(count 'SELECT COUNT(*), count(distinct run_id), max(seq) FROM run')" \
	[ "$(count 'SELECT COUNT(*), COUNT(DISTINCT run_id), MAX(seq) FROM run')" = "$writers|$writers|$writers" ]
claim "symbols of all writers are shared: $(count "SELECT COUNT(*) FROM symbol")" \
	[ "$(count "SELECT COUNT(*) FROM symbol")" = $((writers + 1)) ]

# The same recording again with --once: the id of the run is printed and no run is added.
"$prog" add w1.folded --db "$url" --target t1 --once > again.out 2>&1
ok $? "--once finds it"
claim "--once adds none" [ "$(count 'SELECT COUNT(*) FROM run')" = "$writers" ]

before=$(count 'SELECT COUNT(*) FROM run')
added=0
for i in $(seq "${KILLS:-20}"); do
	printf 'main;f%s 1\n' "$i" > k.folded
	: > k.out	# the process can be killed before the shell in it has emptied the file
	"$prog" add k.folded --db "$url" --target killed > k.out 2>&1 &
	pid=$!
	# Kill it at times that cover the whole run, one after the other.
	awk -v n="$i" 'BEGIN { for (i = 0; i < n * 40000; i++) x += i }'
	kill -KILL "$pid" 2> /dev/null
	wait "$pid" 2> /dev/null
	[ -s k.out ] && grep -q '^run ' k.out && added=$((added + 1))
done
after=$(count 'SELECT COUNT(*) FROM run')
claim "what was told to be added is there: $added told, $((after - before)) there" [ "$((after - before))" -ge \
	"$added" ]
claim "a killed writer leaves no half of a run" \
	[ "$(count 'SELECT COUNT(*) FROM run r WHERE NOT EXISTS (SELECT 1 FROM event e JOIN hotspot h ON h.run_id = e.run_id WHERE e.run_id = r.id)')" = 0 ]
"$prog" add w1.folded --db "$url" > again.out 2>&1
ok $? "the next one is not kept waiting: $(cat again.out)"
finish

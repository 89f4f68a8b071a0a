#!/bin/bash
# run-pg.sh - test histories on a private PostgreSQL server
#
# The script starts a server (Debian's package postgresql) that listens only on a socket in a temporary folder, and
# stops it at the end.  With the server run
#   - the unit tests of the store that apply to any database, and tests/pg/server.c;
#   - a sequence of commands on SQLite and on the server, whose output must be equal;
#   - 32 concurrent writers on one history, and writers that are killed;
#   - partitions of the large tables, also on a second server (tests/pg/partitions.sh);
#   - the same commands through PgBouncer in transaction mode, if pgbouncer is installed.
# Without a server the suite is reported as skipped.  If HD_TEST_PG is set (a URL with a '?'), that server is used.
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
# shellcheck source=tests/pg/server.sh
. tests/pg/server.sh
pooler='' second_data=''
trap '[ -z "$pooler" ] || kill "$pooler"; pg_stop; pg_data=$second_data; pg_stop; rm -rf "$tmp"' EXIT
start() {
	"$prog" log --db "postgresql://x@/x?host=$tmp" 2>&1 | grep -q 'built without libpq' &&
		skip_all "hotdrift was built without libpq"
	pg_start "$tmp" -c listen_addresses= -c fsync=off || skip_all "$pg_why"
	HD_TEST_PG=$pg_url
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

# ---- the same commands on SQLite and on the server give the same output

new_schema() {	# NAME: sets url
	"$psql" -q "$HD_TEST_PG" -c "CREATE SCHEMA $1" || exit 1
	url="$HD_TEST_PG&options=-csearch_path%3D$1"
}
count() { "$psql" -qAt "$url" -c "$1"; }	# SQL: print its result
psql=$(command -v psql || echo "${pg_bin:-.}/psql")
[ -x "$psql" ] || skip_all "no psql"
cd "$tmp" || exit 1
mkdir story && cd story || exit 1
printf 'main;parse;read_row 30\nmain;parse 5\nmain;decode 20\nmain;hash_probe 11\nmain;emit 7\nmain;idle 3\n' > a.folded
cat > b.folded <<'END'
main;parse;read_row 30
main;parse 5
main;decode 40
main;x');DROP TABLE run\x3b-- 11
main;\x1b[2J 7
main;[unknown] 3
END
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
cat > w.csv <<'END'
t_ns,source,domain,watts,joules_cum,stale
0,rapl,package-0,10,0,0
1000000000,rapl,package-0,20,14,0
0,rapl,dram,1,,0
1000000000,rapl,dram,1,,0
END
printf 'depth,"a""; DROP TABLE run\\"\n1,2\n3,4\n' > q.csv
touch -d 2026-11-20T14:01:02Z -- ./*
# Mask what differs between histories: the name of the history, the hash of a run, and so the end of its id.
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
	# The next runs have two changes that exceed the noise, a change of the order, and all columns of a run.
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
		"SELECT COALESCE(s.name, '-') AS name, SUM(h.self) AS self, COUNT(*) AS n FROM hotspot h
		JOIN symbol s ON s.id = h.symbol_id GROUP BY s.name ORDER BY 2 DESC, 1"
	"$prog" drift --db "$db" 0123456789 1234567890; echo "status $?"
	"$prog" gate --db "$db" --head latest --json; echo "status $?"
	"$prog" ack --db "$db" decode --reason "larger rows"
	"$prog" ack --db "$db" decode --withdraw
	"$prog" query --db "$db" --csv \
		"SELECT x.command, x.verdict, COUNT(*) AS runs FROM gate_result x JOIN gate_run g ON g.gate_id = x.id
		GROUP BY x.id, x.command, x.verdict ORDER BY 1"
	"$prog" query --db "$db" 'DELETE FROM run' > /dev/null 2>&1; echo "status $?"
	"$prog" query --db "$db" 'SELECT no_such_column FROM run' > /dev/null 2>&1; echo "status $?"
	for i in latency memory power other; do "$prog" show --db "$db" latest~2 --series=$i --csv; done
	"$prog" show --db "$db" latest~2 --series --json
	"$prog" query --db "$db" \
		--csv 'SELECT kind, first_series, series, samples, sha256, bytes FROM v_series_csv ORDER BY kind, bytes'
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
views="SELECT target, top5, CAST(p99_us AS BIGINT), CAST(peak_rss_bytes AS BIGINT), CAST(joules AS BIGINT), selection
	FROM v_run_summary ORDER BY recorded_utc"
series="SELECT kind, name, stat, CAST(value AS BIGINT) FROM v_series WHERE stat IN ('joules', 'peak_rss', 'p95')
	ORDER BY run_id, series, ordinal"
for sql in "$views" "$series"; do
	sqlite3 h.db "$sql" > sqlite.views
	"$psql" -qAt "$url" -c "$sql" > server.views
	cmp -s sqlite.views server.views && [ "$(wc -l < server.views)" -ge 7 ]
	ok $? "psql and sqlite3 read the same: $(diff sqlite.views server.views | head -5)"
done

# The queries of the dashboard run on the views, and those of a series have a time.
if command -v python3 > /dev/null; then
	python3 "$top/tests/ci/validate.py" dashboard "$top/docs/grafana/hotdrift.json" > dashboard.sql
	ok $? "the dashboard is consistent"
	"$psql" -qAt "$url" -c "UPDATE event SET name = 'samples' WHERE name <> 'samples'" > /dev/null
	rows=0 n=0
	while IFS= read -r sql; do
		"$psql" -qAt -v ON_ERROR_STOP=1 "$url" -c "$sql" > rows.out 2>&1
		ok $? "a query of the dashboard: $sql: $(head -2 rows.out)"
		n=$((n + 1)) rows=$((rows + ($(wc -l < rows.out) > 0)))
	done < dashboard.sql
	claim "most queries of the dashboard have rows: $rows of $n" [ "$rows" -ge 9 ]
else
	skip "the dashboard's queries" "python3 is not installed"
fi

# Merge the history of a file into the server and back into a file: both must be equal.
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

# Push histories to the server: whole ones, repeatedly, and from several machines at once.
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
claim 'the JIT compiler of the server is off' [ "$("$prog" query --db "$url" \
	"SELECT current_setting('jit')" 2>&1 | tail -1)" = off ]

# ---- the number of statements does not grow with the number of runs

# Run a command and print how many statements it sends.  The private server logs each one before it answers.
statements() {
	local at

	at=$(wc -c < "$pg_data/log")
	"$prog" "$@" --db "$url%20-clog_statement%3Dall" > counted.out 2>&1
	tail -c "+$((at + 1))" "$pg_data/log" | grep -c ' LOG:  \(statement\|execute\)'
}
count_all() {	# FILE: write a line `NUMBER COMMAND` for each command
	local command

	for command in 'log -n 0' 'show latest' 'history -n 0' 'history step' 'gate --head latest --no-record' \
		'html -o page.html' 'verify'; do
		# The words of a command are separate arguments.
		# shellcheck disable=SC2086
		echo "$(statements $command) $command"
	done > "$1"
}
# Add runs $1 to $2 to c.db.  Each has a commit, a session and symbols of its own, and every third one a configuration.
add_runs() {
	local i

	for i in $(seq "$1" "$2"); do
		printf '{"size":%s}' $((i % 3 == 1 ? i : 0)) > size.json
		printf 'main;step %s\nmain;f%s 200\nmain;g%s;emit 100\n' $((1000 + i % 7)) "$i" "$i" > step.folded
		"$prog" add step.folded --db c.db --target serve --session "s$i" --config size.json --recorded \
			"$(printf '2026-11-%02dT%02d:00:00Z' $((1 + i / 20)) $((i % 20)))" --commit \
			"$(printf '%040x' "$i")" || return 1
	done > add.out 2>&1
}
# Add the chains 0a, 0b and 0c, of 300, 3,000 and 300 tombstones without entries in the journal.
add_tombstones() {	# URL
	"$psql" -qAt "$1" -c "INSERT INTO chain (origin, is_local, created_utc, kind)
			SELECT o, 0, '', 'runs' FROM unnest(ARRAY['0a', '0b', '0c']) o;
		DO \$\$
		DECLARE o TEXT; n INT; prev TEXT; hash TEXT; empty TEXT := encode(sha256(''), 'hex');
		BEGIN
			FOREACH o IN ARRAY ARRAY['0a', '0b', '0c'] LOOP
				prev := repeat('0', 64);
				n := CASE o WHEN '0b' THEN 3000 ELSE 300 END;
				FOR i IN 1 .. n LOOP
					hash := encode(sha256(convert_to(
						format(E'hotdrift chain 1\\n%s\\n%s\\n%s\\n%s\\n', o, i, prev, empty),
						'UTF8')), 'hex');
					INSERT INTO tombstone (origin, seq, run_id, content_hash, prev_hash, run_hash,
						reason, pruned_utc)
						VALUES (o, i, 'pruned-' || substr(hash, 1, 32), empty, prev, hash, '',
						'');
					prev := hash;
				END LOOP;
				UPDATE chain SET head_seq = n, head_hash = prev WHERE origin = o;
			END LOOP;
		END \$\$"
}
if [ -n "$pg_data" ]; then
	new_schema counted
	add_runs 1 20 && "$prog" merge --db "$url" c.db >> add.out 2>&1 && count_all few.statements &&
		add_runs 21 80 && "$prog" merge --db "$url" c.db >> add.out 2>&1
	ok $? "histories of 20 and of 80 runs are made: $(tail -1 add.out)"
	count_all many.statements
	cmp -s few.statements many.statements
	ok $? "a command sends as many statements for 80 runs as for 20: $(diff few.statements many.statements)"
	printf 'main;new;symbols 7\nmain;emit 3\n' > new.folded
	for i in 'a run of new symbols' 'the same recording' 'a run of a new commit'; do
		commit=none
		[ "$i" != 'a run of a new commit' ] || commit=$(printf '%040x' 4711)
		n=$(statements add new.folded --target serve --commit "$commit")
		claim "$i is added: $(tail -1 counted.out)" grep -q '^run ' counted.out
		claim "add sends at most 8 statements for $i: $n" [ "$n" -le 8 ]
		claim "they are counted" [ "$n" -ge 3 ]
	done
	claim "statements are counted" [ "$(awk '$1 > 2' many.statements | wc -l)" = 7 ]

	new_schema chains
	for i in $(seq 5); do HOTDRIFT_ORIGIN=m$i "$prog" add a.folded --db "$url"; done > add.out 2>&1
	few=$(statements verify)
	for i in $(seq 6 50); do HOTDRIFT_ORIGIN=m$i "$prog" add a.folded --db "$url"; done >> add.out 2>&1
	many=$(statements verify)
	claim "verify reads 50 chains: $(tail -1 add.out)" grep -q '^50 runs in 50 chains$' counted.out
	claim "it sends as many statements for 50 chains as for 5: $few and $many" [ "$few" = "$many" ]
	claim "these are counted: $few" [ "$few" -gt 20 ]
	"$prog" prune --db "$url" --keep 45 > prune.out 2>&1 && few=$(statements verify) &&
		"$prog" prune --db "$url" --keep 5 > prune.out 2>&1 && many=$(statements verify)
	claim "prune leaves tombstones" [ "$(count 'SELECT COUNT(*) FROM tombstone')" = 45 ]
	claim "verify sends as many statements for 45 tombstones as for 5: $few and $many" [ "$few" = "$many" ]

	# Several connections read one snapshot.  What verify prints does not depend on their number.
	new_schema parallel
	for i in $(seq 8); do
		HOTDRIFT_ORIGIN=m$i "$prog" add a.folded --db "$url" --target serve --commit none
	done > add.out 2>&1
	# One chain of 3,000 tombstones is divided into parts, and chains of one entry are read together.
	add_tombstones "$url" > /dev/null
	ok $? "chains are made"
	sql_of_chain() {
		printf "UPDATE tombstone SET run_hash = content_hash WHERE origin = '%s' AND seq = %s" "$1" "$2"
	}
	# Compare the output of verify with 1, 2, 4 and 64 connections.
	same_for_all() {	# WHAT
		local n

		for n in 1 2 4 64; do
			"$prog" verify --db "$url" -j "$n" > "verify.$n" 2>&1
			echo "status $?" >> "verify.$n"
			cmp -s verify.1 "verify.$n"
			ok $? "verify -j $n reports the same: $1: $(diff verify.1 "verify.$n" | head -3)"
		done
		for n in 1 2; do	# the server refuses further connections of this role
			count "ALTER ROLE few CONNECTION LIMIT $n"
			{ "$prog" verify --db "${url/hotdrift@/few@}" -j 4 2>&1; echo "status $?"; } |
				sed 's/few@/hotdrift@/' > verify.few
			cmp -s verify.1 verify.few
			ok $? "verify with at most $n connections: $1: $(diff verify.1 verify.few | head -3)"
		done
	}
	count "CREATE ROLE few LOGIN; GRANT USAGE ON SCHEMA parallel TO few;
		GRANT SELECT ON ALL TABLES IN SCHEMA parallel TO few"
	same_for_all "rows that the journal lacks"
	claim "the tombstones have no entry: $(cat verify.1)" grep -q 'chain 0a 0: it was inserted by hand' verify.1
	count "$(sql_of_chain 0b 2900); $(sql_of_chain 0b 700); $(sql_of_chain 0c 5)"
	same_for_all "the first of three altered entries"
	claim "it is the first one: $(cat verify.1)" \
		grep -q '(700 of its chain): its hash does not match' verify.1
	count "DELETE FROM tombstone WHERE origin = '0b' AND seq IN (512, 513)"
	same_for_all "missing entries"
	claim "the entry after them is named: $(cat verify.1)" grep -q '(514 of its chain): a run before it is' verify.1
	count "UPDATE hotspot SET self = self + 1 WHERE run_id = 5"
	same_for_all "an altered run"
	claim "the run is named: $(cat verify.1)" grep -q '(1 of its chain): its content was changed' verify.1
	count "UPDATE hotspot SET self = self - 1 WHERE run_id = 5;
		DELETE FROM tombstone; DELETE FROM chain WHERE origin IN ('0a', '0b', '0c')"
	same_for_all "a valid history"
	claim "it is valid: $(cat verify.1)" grep -q '^8 runs in 8 chains$' verify.1

	# verify --since reads what was added after the heads of its file.
	for i in 1 2 3; do
		"$prog" verify --db "$url" --since heads.txt > since.out 2>&1
		ok $? "verify --since: $(cat since.out)"
		claim "it reads what is new: $(head -1 since.out)" \
			grep -q "^$([ $i = 1 ] && echo 8 || echo $((2 - 2 * (i - 2)))) runs in " since.out
		if [ $i = 1 ]; then
			for n in 3 9; do
				HOTDRIFT_ORIGIN=m$n "$prog" add b.folded --db "$url" --target serve --commit none
			done > add.out 2>&1
		fi
	done
	for i in 3 5; do HOTDRIFT_ORIGIN=m$i "$prog" add b.folded --db "$url" --target serve --commit none; done \
		> add.out 2>&1
	count "UPDATE hotspot SET self = self + 1 WHERE run_id = (SELECT MIN(id) FROM run)"
	cp heads.txt heads.old
	"$prog" verify --db "$url" --since heads.txt > since.out 2>&1
	ok $? "an altered run that was verified before is not read: $(cat since.out)"
	count "UPDATE hotspot SET self = self + 1 WHERE run_id = (SELECT MAX(id) FROM run)"
	"$prog" verify --db "$url" --since heads.old > since.out 2>&1
	claim "an altered new run is found: $(cat since.out)" \
		grep -q '(2 of its chain): its content was changed' since.out
	count "UPDATE hotspot SET self = self - 1 WHERE run_id = (SELECT MAX(id) FROM run);
		UPDATE run SET run_hash = content_hash WHERE id = (SELECT MAX(id) - 1 FROM run)"
	"$prog" verify --db "$url" --since heads.txt > since.out 2>&1
	claim "a head that was rewritten is found: $(cat since.out)" \
		grep -q 'not the one that was verified before' since.out
else
	skip "statements are counted" "HD_TEST_PG is set, so there is no private server with a log"
fi

# ---- many writers, and some that die

new_schema writers
pids=()
for i in $(seq "$writers"); do
	printf 'main;f%s 1\nmain;g 2\n' "$i" > "w$i.folded"
	"$prog" add "w$i.folded" --db "$url" --busy-ms 60000 --target "t$((i % 4))" > "w$i.out" 2>&1 &
	pids+=($!)
done
said=''
for i in 1 2 3 4; do	# a reader sees one state of the database, although others write
	"$prog" verify --db "$url" > verify.out 2>&1 ||
		grep -q 'database is empty\|not one of hotdrift\|older hotdrift' verify.out || said=$(cat verify.out)
done
claim "verify is not misled by who writes: $said" [ -z "$said" ]
bad=0
for p in "${pids[@]}"; do wait "$p" || bad=$((bad + 1)); done
ok $bad "$writers writers at once: $bad of them failed: $(cat w*.out | grep error | head -3)"
claim "nothing is lost or doubled: $(count 'SELECT COUNT(*), count(distinct run_id), max(seq) FROM run')" \
	[ "$(count 'SELECT COUNT(*), COUNT(DISTINCT run_id), MAX(seq) FROM run')" = "$writers|$writers|$writers" ]
claim "symbols of all writers are shared: $(count "SELECT COUNT(*) FROM symbol")" \
	[ "$(count "SELECT COUNT(*) FROM symbol")" = $((writers + 1)) ]

chains() { count "SELECT COUNT(*) FROM chain WHERE kind = 'runs' AND is_local = 1"; }
claim "one machine has one chain: $(chains)" [ "$(chains)" = 1 ]

# Other machines have chains of their own.  They share symbols, the commit and its entry in the journal.
pids=()
for i in $(seq "$writers"); do
	HOTDRIFT_ORIGIN=machine$i "$prog" add "w$i.folded" --db "$url" --busy-ms 60000 --target other \
		--commit 0123456789abcdef0123456789abcdef01234567 > "o$i.out" 2>&1 &
	pids+=($!)
done
bad=0
for p in "${pids[@]}"; do wait "$p" || bad=$((bad + 1)); done
ok $bad "$writers machines at once: $bad of them failed: $(cat o*.out | grep error | head -3)"
claim "each machine has a chain: $(chains)" [ "$(chains)" = $((writers + 1)) ]
claim "each of these chains has its run" \
	[ "$(count "SELECT COUNT(DISTINCT origin) FROM run WHERE target = 'other' AND seq = 1")" = "$writers" ]
claim "the shared rows are there once" \
	[ "$(count 'SELECT (SELECT COUNT(*) FROM symbol), (SELECT COUNT(*) FROM commit_info)')" = "$((writers + 1))|1" ]
"$prog" verify --db "$url" > verify.out 2>&1
ok $? "all chains hold: $(cat verify.out)"
foreign_keys="SELECT c.conrelid::regclass, c.conname FROM pg_constraint c WHERE c.contype = 'f'
	AND c.connamespace = current_schema()::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_index i
	WHERE i.indrelid = c.conrelid AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] = c.conkey) ORDER BY 1, 2"
# hotspot_by_era finds the rows of a symbol, and no command deletes symbols or objects (docs/fleet.md).
count "$foreign_keys" > foreign-keys.out
printf 'hotspot_0|hotspot_object_id_fkey\nhotspot_0|hotspot_symbol_id_fkey\n' | diff - foreign-keys.out > diff.out
ok $? "all other foreign keys have an index: $(cat diff.out)"

# The same recording again with --once: the id of the run is printed and no run is added.
"$prog" add w1.folded --db "$url" --target t1 --once > again.out 2>&1
ok $? "--once finds it"
claim "--once adds none" [ "$(count 'SELECT COUNT(*) FROM run')" = $((2 * writers)) ]

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
	[ "$(count 'SELECT COUNT(*) FROM run r WHERE NOT EXISTS (
		SELECT 1 FROM event e JOIN hotspot h ON h.run_id = e.run_id WHERE e.run_id = r.id)')" = 0 ]
"$prog" add w1.folded --db "$url" > again.out 2>&1
ok $? "the next one is not kept waiting: $(cat again.out)"

# ---- partitions of the large tables

if [ -n "$pg_data" ]; then
	# shellcheck source=tests/pg/partitions.sh
	. "$top/tests/pg/partitions.sh"
else
	skip "partitions" "HD_TEST_PG is set, so this script did not start the server"
fi

# ---- through PgBouncer in transaction mode, where each transaction may get another connection

# The pooler listens on a socket in $tmp.  A startup parameter `options` is not accepted, so the history has a database.
start_pooler() {
	local at

	mkdir "$tmp/pool"
	printf '%s\n' '[databases]' "pooled = host=$tmp dbname=pooled user=hotdrift" '[pgbouncer]' \
		'pool_mode = transaction' 'default_pool_size = 2' 'auth_type = any' 'listen_addr =' \
		"unix_socket_dir = $tmp/pool" > "$tmp/pool.ini"
	[ -z "$pg_user" ] || chown postgres "$tmp/pool"
	# $pg_user is split into words on purpose.
	# shellcheck disable=SC2086
	$pg_user pgbouncer "$tmp/pool.ini" > pool.log 2>&1 &
	pooler=$!
	url="postgresql://hotdrift@/pooled?host=$tmp/pool&port=6432"
	for at in $(seq 500); do
		"$psql" -qAt "$url" -c 'SELECT 1' > ready.out 2>&1 && return
		kill -0 "$pooler" 2> /dev/null || break
	done
	echo "$at attempts: $(tail -1 ready.out)" >> pool.log
	return 1
}
if [ -z "$pg_data" ]; then
	skip "PgBouncer" "HD_TEST_PG is set, so this script did not start the server"
elif ! command -v pgbouncer > /dev/null; then
	skip "PgBouncer" "no pgbouncer; Debian's package pgbouncer has it"
else
	direct="postgresql://hotdrift@/pooled?host=$tmp"
	count "CREATE DATABASE pooled TEMPLATE template0" && start_pooler
	ok $? "PgBouncer starts: $(tail -2 pool.log)"
	"$prog" add w1.folded --db "$url" --target serve > pooled.out 2>&1
	ok $? "the schema and a run are added through it: $(cat pooled.out)"
	pids=()
	for i in $(seq 2 9); do
		"$prog" add "w$i.folded" --db "$url" --busy-ms 60000 --target serve > "p$i.out" 2>&1 &
		pids+=($!)
	done
	bad=0
	for p in "${pids[@]}"; do wait "$p" || bad=$((bad + 1)); done
	ok $bad "8 writers on 2 connections: $bad of them failed: $(cat p*.out | grep error | head -3)"
	for i in 'log -n 0' 'show latest' 'history' 'gate --head latest --no-record' 'verify' \
		"query --name leaders serve"; do
		# The words of a command are separate arguments.
		# shellcheck disable=SC2086
		"$prog" $i --db "$direct" 2>&1 | mask '&&&' > direct.out
		# shellcheck disable=SC2086
		"$prog" $i --db "$url" 2>&1 | mask '&&&' > pooled.out
		cmp -s direct.out pooled.out && [ -s pooled.out ]
		ok $? "$i prints the same through it: $(diff direct.out pooled.out | head -4)"
	done
	# Threads that get no connection of the pool end when the others have read everything.
	add_tombstones "$direct" > chains.out
	for i in "$direct" "$url"; do "$prog" verify -j 4 --db "$i" 2>&1; done | sed 's/.*: chain/chain/' > pooled.out
	claim "verify -j 4 on 2 connections prints the same: $(cat pooled.out)" \
		[ "$(uniq pooled.out | wc -l) $(grep -c 'inserted by hand' pooled.out)" = '1 2' ]
	"$psql" -qAt "$direct" -c "DELETE FROM tombstone; DELETE FROM chain WHERE origin IN ('0a', '0b', '0c')"
	claim "9 runs are there" [ "$("$psql" -qAt "$direct" -c 'SELECT COUNT(*) FROM run')" = 9 ]
	"$prog" query --db "$url" 'DELETE FROM run' > /dev/null 2>&1
	claim "a query cannot write" [ $? = 2 ]
	state="SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
		current_setting('bytea_output'), (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'),
		(SELECT COUNT(*) FROM pg_prepared_statements)"
	claim "no setting, lock or statement stays with a connection" \
		[ "$("$psql" -qAt "$url" -c "$state")" = '0|0|hex|0|0' ]
fi
finish

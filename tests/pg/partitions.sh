# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# the sourcing script sets and reads the variables
# partitions.sh - test the partitions of the large tables; sourced by tests/run-pg.sh
#
# The script needs the private server, because it makes roles, and because other transactions of the same database delay
# what prune drops.  It starts a second server for partitions on two servers.

runs=1048576	# in a partition
next_run() { count "SELECT setval('run_ids', $1, false)" > /dev/null; }	# the next run gets this id
# Print the numbers of the partitions of a table, in one line.
partitions() {
	count "SELECT string_agg(substr(c.relname, length('$1_') + 1), ' ' ORDER BY c.relname) FROM pg_inherits i
		JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = '$1'::regclass"
}
# Write what commands print about the history into the files NAME.COMMAND.
tell_page() {
	local sql

	"$prog" log --db "$url" -n 0 > "$1.log" 2>&1
	"$prog" show --db "$url" --json latest > "$1.show" 2>&1
	{ "$prog" history --db "$url" -n 0 && "$prog" history --db "$url" read_row; } > "$1.history" 2>&1
	"$prog" gate --db "$url" --head latest --no-record > "$1.gate" 2>&1
	for sql in v_run_summary v_symbol_history v_series v_series_csv v_top5; do
		"$prog" query --db "$url" --csv "SELECT * FROM $sql x ORDER BY CAST(x AS TEXT)"
	done > "$1.query" 2>&1
}
same_page() {	# BEFORE AFTER WHAT
	local i

	for i in log show history gate query; do
		cmp -s "$1.$i" "$2.$i" && [ "$(wc -l < "$2.$i")" -ge 3 ]
		ok $? "$i prints the same $3: $(diff "$1.$i" "$2.$i" | head -3)"
	done
}
verified() {	# WHAT [OPTION...]
	local what=$1

	shift
	"$prog" verify --db "$url" "$@" > verify.out 2>&1
	ok $? "$what: $(cat verify.out)"
}
# A session of psql beside the commands.  ask sets `answer` to the last line that the SQL returns.
open_session() {
	coproc SESSION { "$psql" -qAtX "$url" 2>&1; }
	session=$SESSION_PID session_out=${SESSION[0]} session_in=${SESSION[1]}
}
ask() {
	local line

	echo "$1; SELECT 'end of the answer';" >&"$session_in"
	while read -r line <&"$session_out" && [ "$line" != 'end of the answer' ]; do answer=$line; done
}
close_session() {
	exec {session_in}>&-
	wait "$session"
}
# Undo 019_partitions.sql in a database that has one partition.
to_schema_18() {
	count "DO \$\$
	DECLARE t TEXT; views TEXT[] := '{}';
	BEGIN
		SELECT array_agg(format('CREATE OR REPLACE VIEW %s AS %s', oid::regclass, pg_get_viewdef(oid)))
			INTO views FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'v';
		FOREACH t IN ARRAY ARRAY['event', 'hotspot', 'series', 'series_summary', 'benchmark_cover'] LOOP
			EXECUTE format('ALTER TABLE %1\$s DETACH PARTITION %1\$s_0', t);
			EXECUTE format('ALTER TABLE %1\$s RENAME TO old_%1\$s', t);
			EXECUTE format('ALTER TABLE %1\$s_0 RENAME TO %1\$s', t);
		END LOOP;
		FOREACH t IN ARRAY views LOOP EXECUTE t; END LOOP;
		DROP TABLE old_event, old_hotspot, old_series, old_series_summary, old_benchmark_cover;
		DROP FUNCTION make_partition, drop_partition;
		DELETE FROM schema_version WHERE version = 19;
	END \$\$"
}

# A database of schema version 18, without partitions, is upgraded to one with partitions.  Rights and views
# of other schemas are kept.
new_schema upgraded
printf '0123456789abcdef secret' > key.txt && chmod 600 key.txt
"$prog" merge --db "$url" h.db > merge.out 2>&1 && "$prog" add c.folded --db "$url" --target serve --key key.txt \
	--recorded 2026-11-24T14:01:02Z --commit none >> merge.out 2>&1
ok $? "a history is made: $(tail -1 merge.out)"
tell_page before
head=$(count 'SELECT run_hash FROM run ORDER BY id DESC LIMIT 1')
applied=$(count 'SELECT applied_utc FROM schema_version WHERE version = 19')
count "CREATE ROLE dev LOGIN; CREATE ROLE ci LOGIN; GRANT USAGE ON SCHEMA upgraded TO dev, ci" && to_schema_18
ok $? "the schema is that of version 18"
count "GRANT SELECT ON ALL TABLES IN SCHEMA upgraded TO dev;
	GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA upgraded TO ci;
	GRANT USAGE ON ALL SEQUENCES IN SCHEMA upgraded TO ci;
	CREATE SCHEMA dashboard;
	CREATE VIEW dashboard.costs WITH (security_barrier) AS SELECT run_id, self FROM hotspot"
claim "it has no partitions" [ "$(count "SELECT relkind FROM pg_class WHERE oid = 'hotspot'::regclass")" = r ]
"$prog" log --db "$url" > older.out 2>&1
claim "commands that read refuse it: $(cat older.out)" grep -q 'made by an older hotdrift' older.out
"$prog" merge --db "$url" h.db > merge.out 2>&1
ok $? "a command that writes upgrades it: $(cat merge.out)"
claim "the old table is the first partition" [ "$(partitions hotspot) $(partitions benchmark_cover)" = '0 0' ]
# The journal has the entry of the first upgrade, which this one repeats.
count "UPDATE schema_version SET applied_utc = '$applied' WHERE version = 19" > /dev/null
verified "the chains and the signature hold after the upgrade" --head "$head" --key key.txt
tell_page after
same_page before after "after the upgrade"
costs='SELECT COUNT(*), SUM(self) FROM'
claim "a view of another schema reads all partitions" [ "$(count "$costs dashboard.costs;
	SELECT reloptions FROM pg_class WHERE oid = 'dashboard.costs'::regclass")" = "$(count "$costs hotspot;
	SELECT '{security_barrier=true}'")" ]
as() { echo "${url/hotdrift@/$1@}"; }
"$prog" log --db "$(as dev)" -n 0 > dev.log 2>&1
claim "a role that could read still can" cmp -s after.log dev.log

# A role that does not own the tables adds runs on both sides of a border, with 16 writers at once.
next_run $((runs - 8))
pids=()
for i in $(seq 16); do
	printf 'main;border%s 3\n' "$i" > "b$i.folded"
	HOTDRIFT_ORIGIN=border$((i % 8)) "$prog" add "b$i.folded" --db "$(as ci)" --busy-ms 60000 --target border \
		--recorded 2026-11-24T15:00:00Z > "border$i.out" 2>&1 &
	pids+=($!)
done
bad=0
for p in "${pids[@]}"; do wait "$p" || bad=$((bad + 1)); done
ok $bad "16 writers at the border of a partition: $bad of them failed: $(cat border*.out | grep error | head -3)"
claim "their runs are in both partitions: $(partitions event)" [ "$(partitions event)
$(count "SELECT COUNT(*), COUNT(DISTINCT e.run_id / $runs), COUNT(DISTINCT e.tableoid) FROM event e JOIN run r
	ON r.id = e.run_id WHERE r.target = 'border'")" = "0 1
16|2|2" ]
verified "a history with two partitions is valid"

# Add a run that is newer than the ones before, so that prune keeps it.
add_border() {
	minute=$((minute + 1))
	"$prog" add a.folded --db "$url" --target border --recorded "$(printf '2026-11-25T00:%02d:00Z' $minute)" \
		> add.out 2>&1
}
minute=0
# The next partition is made before it is needed.  Meanwhile, a writer that stopped does not stop the others.
next_run $((runs + runs / 2 - 1))
add_border
claim "the first half of a partition makes no other one" [ "$(partitions hotspot)" = '0 1' ]
open_session
ask "BEGIN; SELECT pg_advisory_xact_lock_shared(1751413348, hashtext(current_schema()))"
add_border
ok $? "a run is added beside a writer that stopped: $(tail -1 add.out)"
claim "the partition waits for that writer" [ "$(partitions hotspot)" = '0 1' ]
close_session
next_run $((runs + runs / 2 + 1024))
add_border
claim "the second half makes the next partition: $(partitions hotspot)" [ "$(partitions hotspot)" = '0 1 2' ]
next_run $((2 * runs))
n=1
[ -z "$pg_data" ] || n=$(statements add a.folded --target border --recorded 2026-11-25T00:30:00Z)
claim "the first run in it needs no other statement: $n" [ "$n" -le 8 ]
minute=30
add_border

# prune drops the partitions in which no run remains, unless another transaction may still read them.
count "SELECT id FROM run WHERE target <> 'border' ORDER BY id" > stay.before
open_session
ask "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT COUNT(*) FROM run"
"$prog" prune --db "$url" --target border --keep 2 > prune.out 2>&1
ok $? "prune beside a reader: $(tail -1 prune.out)"
ask "SELECT COUNT(*) FROM event WHERE run_id >= $runs AND run_id < 2 * $runs"
close_session
claim "the reader sees the rows of its state: $answer" [ "$answer" -ge 4 ]
claim "the partition is empty and still there: $(partitions event)" [ "$(partitions event)
$(count 'SELECT COUNT(*) FROM event_1')" = '0 1 2
0' ]
add_border && add_border
"$prog" prune --db "$url" --target border --keep 2 > prune.out 2>&1
ok $? "prune without a reader: $(tail -1 prune.out)"
claim "the empty partition is dropped, of each table: $(partitions event)" \
	[ "$(for t in event hotspot series series_summary benchmark_cover; do partitions $t; done | sort -u)" = '0 2' ]
count "SELECT id FROM run WHERE target <> 'border' ORDER BY id" > stay.after
claim "prune keeps the runs of other targets" cmp -s stay.before stay.after
verified "the history is valid after prune" --head "$head" --key key.txt
next_run $((3 * runs))
add_border
rows=$(count 'SELECT COUNT(*), SUM(self) FROM hotspot_0')
"$prog" prune --db "$url" --target border --keep 1 > prune.out 2>&1
claim "prune drops a full partition: $(partitions event)" [ "$(partitions event)" = '0 3' ]
claim "no row of another partition is lost" [ "$(count 'SELECT COUNT(*), SUM(self) FROM hotspot_0')" = "$rows" ]
verified "the history is valid after that"

# verify reports each change of a partition: the change, how it is undone, and what is reported.
while IFS= read -r sql && IFS= read -r undo && IFS= read -r report; do
	count "$sql" > change.out 2>&1
	ok $? "$sql: $(cat change.out)"
	"$prog" verify --db "$url" > verify.out 2>&1
	status=$?
	claim "verify reports: $sql: $(tail -1 verify.out)" [ $status = 1 ]
	claim "verify says '$report': $(tail -1 verify.out)" grep -q "$report" verify.out
	count "$undo" > change.out 2>&1
	ok $? "$undo: $(cat change.out)"
done <<'END'
CREATE TABLE event_x PARTITION OF event FOR VALUES FROM (2097152) TO (3145728)
DROP TABLE event_x
partition event_x
CREATE TABLE event_2 PARTITION OF event FOR VALUES FROM (1048576) TO (1048577)
DROP TABLE event_2
other bounds
CREATE TABLE event_2 PARTITION OF event DEFAULT
DROP TABLE event_2
other bounds
CREATE TABLE event_9 (LIKE event)
DROP TABLE event_9
event_9
SELECT make_partition(4194304); DROP TABLE series_summary_4
DROP TABLE hotspot_4, event_4, benchmark_cover_4, series_4
lacks the partition series_summary_4
CREATE INDEX more ON hotspot_3 (self)
DROP INDEX more
partition hotspot_3 was changed
CREATE INDEX more ON hotspot (self)
DROP INDEX more
was changed
ALTER TABLE series_summary_3 DROP CONSTRAINT series_summary_3_pkey
ALTER TABLE series_summary_3 ADD PRIMARY KEY (run_id, series, ordinal)
partition series_summary_3 was changed
ALTER TABLE hotspot_3 DROP CONSTRAINT hotspot_3_symbol_id_fkey
ALTER TABLE hotspot_3 ADD FOREIGN KEY (symbol_id) REFERENCES symbol (id)
partition hotspot_3 was changed
ALTER TABLE event_3 DISABLE TRIGGER ALL
ALTER TABLE event_3 ENABLE TRIGGER ALL
partition event_3 was changed
CREATE TRIGGER more BEFORE UPDATE ON event_3 EXECUTE FUNCTION suppress_redundant_updates_trigger()
DROP TRIGGER more ON event_3
trigger 'more'
CREATE RULE more AS ON INSERT TO event DO INSTEAD NOTHING
DROP RULE more ON event
table event was changed
ALTER TABLE event DETACH PARTITION event_3
ALTER TABLE event ATTACH PARTITION event_3 FOR VALUES FROM (3145728) TO (4194304)
event_3
ALTER FUNCTION make_partition SECURITY INVOKER
ALTER FUNCTION make_partition SECURITY DEFINER
make_partition
END
verified "the history is valid again"
count "DROP TABLE hotspot_3, event_3, benchmark_cover_3, series_summary_3, series_3" > change.out 2>&1
"$prog" verify --db "$url" > verify.out 2>&1
claim "verify misses a partition that has runs: $(tail -1 verify.out)" grep -q 'lacks the partition event_3' verify.out

# A partition on another server gives the same answers.
if [ "$(count "SELECT COUNT(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'")" != 1 ]; then
	skip "partitions on two servers" "no postgres_fdw; Debian's package postgresql has it"
else
	first_url=$pg_url first_data=$pg_data
	mkdir "$tmp/second" && pg_start "$tmp/second" -c listen_addresses= -c fsync=off
	ok $? "a second server starts: $pg_why"
	second_url=$pg_url second_data=$pg_data pg_url=$first_url pg_data=$first_data
	there() { "$psql" -qAtX "$second_url" -c "$1"; }
	new_schema placed
	"$prog" merge --db "$url" h.db > merge.out 2>&1 && "$prog" add c.folded l.csv --db "$url" --target serve \
		--recorded 2026-11-24T14:01:02Z --commit none >> merge.out 2>&1
	ok $? "a history is made: $(tail -1 merge.out)"
	tell_page one
	count "CREATE EXTENSION postgres_fdw SCHEMA public;
		CREATE SERVER second FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$tmp/second', dbname 'postgres');
		CREATE USER MAPPING FOR PUBLIC SERVER second OPTIONS (user 'hotdrift')"
	PATH=$(dirname "$psql"):$PATH "$top/docs/fleet/place-partition.sh" 0 second "$url" "$second_url" \
		> place.out 2>&1
	ok $? "partition 0 is moved to the second server: $(cat place.out)"
	claim "its rows are there" [ "$(there 'SELECT COUNT(*) > 5 FROM hotspot_0')" = t ]
	tell_page two
	same_page one two "with a partition on another server"
	verified "the chains hold on two servers"
	pids=()
	for i in $(seq 8); do
		printf 'main;shared 3\nmain;remote%s 3\n' "$i" > "f$i.folded"
		HOTDRIFT_ORIGIN=remote$i "$prog" add "f$i.folded" --db "$url" --busy-ms 60000 --target remote \
			--commit none > "f$i.out" 2>&1 &
		pids+=($!)
	done
	bad=0
	for p in "${pids[@]}"; do wait "$p" || bad=$((bad + 1)); done
	ok $bad "8 writers of the other server: $bad of them failed: $(cat f*.out | grep error | head -3)"
	# The other server does not check that symbols are there, so add counts them.
	claim "each run has its symbols" [ "$(count "SELECT COUNT(*), COUNT(DISTINCT h.symbol_id) FROM hotspot h
		JOIN run r ON r.id = h.run_id JOIN symbol s ON s.id = h.symbol_id
		WHERE r.target = 'remote'")" = '16|9' ]
	next_run "$runs"
	"$prog" add a.folded --db "$url" --target remote --commit none > add.out 2>&1
	claim "new partitions are on the first server: $(partitions event)" [ "$(partitions event)
$(there "SELECT COUNT(*) FROM event_0 WHERE run_id >= $runs")" = '0 1
0' ]
	verified "a history on two servers is valid"
	# Rows of a transaction that was committed there and not here.
	there "INSERT INTO event_0 SELECT 99999, event, name, name_raw, unit, unit_raw, weight, samples, lost
		FROM event_0 ORDER BY run_id LIMIT 1"
	"$prog" prune --db "$url" --target remote --keep 1 > prune.out 2>&1
	ok $? "prune deletes rows of the other server: $(tail -1 prune.out)"
	claim "no row remains there without a run" [ "$(there "SELECT COUNT(*) FROM event_0 WHERE run_id NOT IN
		($(count "SELECT string_agg(CAST(id AS TEXT), ',') FROM run"))")" = 0 ]
	verified "a history on two servers is valid after prune"
fi

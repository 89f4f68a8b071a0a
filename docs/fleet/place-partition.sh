#!/bin/sh
# place-partition.sh N SERVER URL REMOTE-URL - move partition N of the large tables to another PostgreSQL server
#
#     psql "$URL" -c 'CREATE EXTENSION postgres_fdw' \
#         -c "CREATE SERVER second FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'db2', dbname 'hotdrift')" \
#         -c "CREATE USER MAPPING FOR PUBLIC SERVER second OPTIONS (user 'ci')"
#     place-partition.sh 0 second "$URL" postgresql://ci@db2/hotdrift
#
# The tables of the other server are made in its first schema.  They get the primary keys, indexes and those references
# that stay inside the partition, which are checked at COMMIT, because a run arrives in several statements.  No run may
# be added meanwhile.  If a step fails, the history is as it was, and the new tables of the other server can be
# dropped.
set -eu

[ $# = 4 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
n=$1 server=$2 url=$3 remote=$4
tables='event hotspot series series_summary benchmark_cover'

here() { psql -qAtX -v ON_ERROR_STOP=1 "$url" -c "$1"; }
there() { psql -qAtX -v ON_ERROR_STOP=1 "$remote" -c "$1"; }

there "DO \$\$ BEGIN CREATE DOMAIN blob AS bytea; EXCEPTION WHEN duplicate_object THEN END \$\$"
schema=$(there 'SELECT current_schema()')
attach=''
for t in $tables; do
	p=${t}_$n
	bounds=$(here "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = '$p'::regclass AND relkind = 'r'")
	[ -n "$bounds" ] || { echo "place-partition.sh: $p is not a partition of this server" >&2; exit 1; }
	there "$(here "SELECT format('CREATE TABLE $p (%s, %s)',
		(SELECT string_agg(format('%I %s%s', attname, format_type(atttypid, atttypmod),
			CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END), ', ' ORDER BY attnum)
			FROM pg_attribute WHERE attrelid = '$p'::regclass AND attnum > 0 AND NOT attisdropped),
		(SELECT string_agg(pg_get_constraintdef(oid) || CASE contype WHEN 'f' THEN
			' DEFERRABLE INITIALLY DEFERRED' ELSE '' END, ', ') FROM pg_constraint
			WHERE conrelid = '$p'::regclass AND (contype = 'p' OR confrelid IN
				(to_regclass('event_$n'), to_regclass('series_$n')))))")"
	here "COPY $p TO STDOUT" | there "COPY $p FROM STDIN"
	rows="SELECT COUNT(*) FROM $p"
	if [ "$(here "$rows")" != "$(there "$rows")" ]; then
		echo "place-partition.sh: not all rows of $p were copied" >&2
		exit 1
	fi
	attach="$attach CREATE FOREIGN TABLE $p PARTITION OF $t $bounds SERVER $server OPTIONS (schema_name '$schema');"
done
there "CREATE INDEX ON hotspot_$n ((run_id / 32), symbol_id, run_id)"
here "BEGIN; DROP TABLE hotspot_$n, event_$n, benchmark_cover_$n, series_summary_$n, series_$n; $attach COMMIT"
here "ANALYZE event_$n, hotspot_$n, series_$n, series_summary_$n, benchmark_cover_$n"

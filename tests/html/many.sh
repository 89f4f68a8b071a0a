#!/bin/sh
# many.sh DB RUNS SYMBOLS - make a database of many synthetic runs, for measurements
#
# `hotdrift add` adds one run.  SQL copies it RUNS - 1 times; each copy has SYMBOLS symbols whose shares wander, and one
# symbol in five moves by a third at some run.  Each copy has latency, memory, energy and a verdict.  The script sets
# the chain's head to the last copy, because every command counts the runs of a chain.  The hashes are only numbers, so
# `verify` rejects the database.  The result is the same each time.
set -eu
db=$1 runs=$2 symbols=$3
hotdrift=${HOTDRIFT:-hotdrift}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-many.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 6' HUP INT TERM

awk -v n="$symbols" \
	'BEGIN { for (i = 1; i <= n; i++) printf "app;main;phase_%d;function_%04d %d\n", i % 7, i, 1000000 / i + 50 }' \
	>"$tmp/run.folded"
"$hotdrift" add --db "$db" --target many --commit none --recorded 2024-01-01T00:00:00Z "$tmp/run.folded" >/dev/null
columns() { sqlite3 "$db" "SELECT group_concat(name, ', ') FROM pragma_table_info('$1') WHERE name NOT IN ($2)"; }
run=$(columns run \
	"'id', 'run_id', 'recorded_utc', 'seq', 'content_hash', 'prev_hash', 'run_hash', 'commit_id', 'branch'")
event=$(columns event "'run_id'")
sqlite3 "$db" "
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
BEGIN;
CREATE TEMP TABLE n AS WITH RECURSIVE c (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM c WHERE i < $runs) SELECT i FROM c;
INSERT INTO commit_info (id, sha, parents, committed_utc, subject)
SELECT i, printf('%040x', i * 2654435761 + 1e15), '', strftime('%Y-%m-%dT%H:%M:%SZ', 1704067200 + i * 3600,
  'unixepoch'), 'change number ' || i FROM n;
INSERT INTO run (id, run_id, recorded_utc, seq, content_hash, prev_hash, run_hash, commit_id, branch, $run)
SELECT i, 'many-' || i, strftime('%Y-%m-%dT%H:%M:%SZ', 1704067200 + i * 3600, 'unixepoch'), i, printf('%064x', i),
  printf('%064x', i), printf('%064x', i),
       i, CASE i % 4 WHEN 0 THEN 'topic' ELSE 'main' END, $run
  FROM n JOIN run ON run.id = 1;
INSERT INTO event (run_id, $event) SELECT i, $event FROM n JOIN event ON run_id = 1;
CREATE TEMP TABLE h AS SELECT rank, symbol_id, object_id, vaddr, self, total, samples FROM hotspot WHERE run_id = 1;
INSERT INTO hotspot (run_id, event, rank, symbol_id, object_id, vaddr, self, total, samples)
SELECT i, 0, rank, symbol_id, object_id, vaddr, x, x, samples FROM (
SELECT i, row_number() OVER (PARTITION BY i ORDER BY x DESC, symbol_id) AS rank, symbol_id, object_id, vaddr, x,
  samples FROM (
SELECT i, symbol_id, object_id, vaddr, samples,
       CAST(self * (1 + 0.03 * sin(i * 12.9898 + rank * 78.233) + 0.02 * sin(i * 39.425 + rank)
            + CASE WHEN rank % 5 = 0 AND i > (rank * 977) % $runs THEN 0.33 ELSE 0 END) AS INTEGER) AS x, samples
  FROM n, h));
INSERT INTO series (run_id, series, kind, name, unit, samples)
SELECT i, k, kind, name, unit, 1000 FROM n, (SELECT 0 k, 'latency' kind, 'wall_time_us' name, 'us' unit UNION ALL
  SELECT 1, 'memory', 'peak_rss_bytes', 'bytes'
       UNION ALL SELECT 2, 'power', 'watts', 'W');
INSERT INTO series_summary (run_id, series, ordinal, stat, value)
SELECT i, k, o, stat, base * (1 + 0.04 * sin(i * 12.9898 + k) + CASE WHEN i > $runs / 2 THEN 0.1 ELSE 0 END)
  FROM n, (SELECT 0 k, 0 o, 'p50' stat, 21000 base UNION ALL SELECT 0, 1, 'p95', 41000 UNION ALL SELECT 0,
    2, 'p99', 58000
       UNION ALL SELECT 1, 0, 'peak_rss', 3.1e8 UNION ALL SELECT 1, 1, 'mean_rss', 2.8e8 UNION ALL SELECT 2, 0,
         'joules', 940);
INSERT INTO drift_event (id, base_run, head_run, event, kind, verdict, found_utc)
SELECT i, i - 1, i, 0, 'score', CASE WHEN i % 97 = 0 THEN 'FAIL' WHEN i % 31 = 0 THEN 'INCONCLUSIVE' ELSE 'PASS' END,
  '2026-01-01T00:00:00Z' FROM n;
UPDATE chain SET (head_seq, head_hash) = (SELECT seq, run_hash FROM run WHERE id = $runs) WHERE origin = (SELECT origin
  FROM run WHERE id = 1);
COMMIT;" >/dev/null

-- fleet.sql - copy the runs of tests/bench/history.c inside the server until there are `size` of them
--
--     psql -v base=2000 -v size=100000 -v targets=200 -v machines=1000 -v seed=1 -f fleet.sql
--
-- base, size, and the present number of runs are multiples of 100 and of targets, and at least 2 x targets.  Run i, for
-- i >= base, is a copy of run i % base: the same events, symbols, costs and series.  The time, commit, machine, objects
-- and the place in the chain of run i are those that history.c would give it.  The same arguments make the same rows.
--
-- What is not real: the costs repeat after `base` runs; content_hash and run_hash are digests of the seed and of i, so
-- that `verify` would report each copy (prev_hash is the run_hash of the run before); the text of a stack_blob does not
-- have its digest; copies have no entries in the journal.
--
-- Foreign keys are not checked row by row.  At the end, one query for each foreign key checks all rows.

\set ON_ERROR_STOP on
SET synchronous_commit = off;
SET work_mem = '256MB';
SET maintenance_work_mem = '512MB';
BEGIN;
SET LOCAL session_replication_role = replica;

SELECT COUNT(*) AS have FROM run WHERE session = 'job' \gset

CREATE FUNCTION pg_temp.digest(what TEXT, i BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS
	$$ SELECT encode(sha256(convert_to(what || ':' || i, 'UTF8')), 'hex') $$;

-- ---- the runs that are copied: base run number j ----

CREATE TEMP TABLE base_run AS
SELECT row_number() OVER (ORDER BY recorded_utc) - 1 AS j, r.*
  FROM (SELECT * FROM run WHERE session = 'job' ORDER BY recorded_utc LIMIT :base) r;
CREATE UNIQUE INDEX base_run_j ON base_run (j);

CREATE TEMP TABLE base_common AS	-- the objects that all targets share
SELECT DISTINCT o.id
  FROM base_run r
  JOIN hotspot h ON h.run_id = r.id
  JOIN object o ON o.id = h.object_id
 WHERE o.path = '/usr/lib/libengine.so.1';

-- ---- machines and chains: machine m is called 'bench' || m ----

INSERT INTO machine
SELECT x.*
  FROM machine b
 CROSS JOIN generate_series(0, :machines - 1) m
 CROSS JOIN LATERAL jsonb_populate_record(b, jsonb_build_object('id', nextval('machine_ids'), 'hostname', 'bench' || m,
                                                                'key', pg_temp.digest(:'seed' || ':machine', m))) x
 WHERE b.hostname = 'bench0' AND NOT EXISTS (SELECT 1 FROM machine WHERE hostname = 'bench' || m);
INSERT INTO chain
SELECT x.*
  FROM chain b
 CROSS JOIN generate_series(0, :machines - 1) m
 CROSS JOIN LATERAL jsonb_populate_record(b, jsonb_build_object('origin', left(pg_temp.digest(:'seed' || ':chain', m), 32),
                                                                'writer', 'bench' || m, 'head_seq', NULL,
                                                                'head_hash', NULL)) x
 WHERE b.writer = 'bench0' AND NOT EXISTS (SELECT 1 FROM chain WHERE writer = 'bench' || m);
CREATE TEMP TABLE machine_number AS
SELECT m, x.id, c.origin
  FROM generate_series(0, :machines - 1) m
  JOIN machine x ON x.hostname = 'bench' || m
  JOIN chain c ON c.writer = 'bench' || m;
CREATE UNIQUE INDEX machine_number_m ON machine_number (m);

-- ---- the new runs i: five of a commit, 25 of a build ----

INSERT INTO commit_info (id, sha)
SELECT nextval('commit_info_ids'), lpad(to_hex(c), 40, '0')
  FROM generate_series(:have / 5 + 1, (:size - 1) / 5 + 1) c
    ON CONFLICT (sha) DO NOTHING;

CREATE TEMP TABLE made AS
SELECT i, i % :base AS j, (SELECT MAX(id) FROM run) + 1 + i - :have AS id,
       lpad(to_hex(i / 5 + 1), 40, '0') AS sha, lpad(to_hex(i / 25 + 2748), 40, '0') AS build_id,
       to_char(to_timestamp(1700000000 + i * 30) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS recorded_utc,
       'engine' || i % :targets AS target, i / 7 % :machines AS m, 7 * (i / (7 * :machines)) + i % 7 + 1 AS seq,
       CASE WHEN i % 7 > 0 THEN i - 1 ELSE i - 7 * :machines + 6 END AS before,
       pg_temp.digest(:'seed' || ':run', i) AS run_hash,
       (SELECT MAX(id) FROM object) + 1 + i - :have AS own_object,
       (SELECT MAX(id) FROM object) + 1 + :size - :have + i / 25 - :have / 25 AS common_object
  FROM generate_series(CAST(:have AS BIGINT), :size - 1) i;
CREATE UNIQUE INDEX made_i ON made (i);
ANALYZE base_run, machine_number, made;

INSERT INTO object (id, key, path, build_id, kernel)
SELECT own_object, pg_temp.digest(:'seed' || ':own', i), '/opt/app/bin/' || target, build_id, 0 FROM made
 UNION ALL
SELECT common_object, pg_temp.digest(:'seed' || ':common', MIN(i)), '/usr/lib/libengine.so.1', build_id, 0 FROM made
 GROUP BY common_object, build_id;
SELECT setval('object_ids', (SELECT MAX(id) FROM object)) AS objects,
       setval('run_ids', (SELECT MAX(id) FROM made)) AS runs \gset

-- A server whose large tables have partitions needs those of the new runs.
SELECT format('SELECT make_partition(%s) AS unused', k * 1048576)
  FROM (SELECT MIN(id) / 1048576 AS first, MAX(id) / 1048576 AS last FROM made) r CROSS JOIN generate_series(first, last) k
 WHERE to_regproc('make_partition') IS NOT NULL
\gexec

-- ---- copies ----
--
-- Each table that has rows of a run is copied with the columns that it has, in the order of the runs.  A row of
-- `changed` is a column whose value is not that of the base run; n is the row of made, b the row that is copied.

CREATE TEMP TABLE changed (source TEXT, name TEXT, value TEXT);
INSERT INTO changed VALUES
	('run', 'id', 'n.id'),
	('run', 'run_id', $$regexp_replace(n.recorded_utc, '[-:]', '', 'g') || '-' || left(n.sha, 7) || '-' || left(n.run_hash, 8)$$),
	('run', 'recorded_utc', 'n.recorded_utc'),
	('run', 'added_utc', 'n.recorded_utc'),
	('run', 'target', 'n.target'),
	('run', 'commit_id', '(SELECT id FROM commit_info WHERE sha = n.sha)'),
	('run', 'machine_id', '(SELECT id FROM machine_number WHERE m = n.m)'),
	('run', 'origin', '(SELECT origin FROM machine_number WHERE m = n.m)'),
	('run', 'seq', 'n.seq'),
	('run', 'content_hash', 'pg_temp.digest(n.run_hash, 0)'),
	('run', 'run_hash', 'n.run_hash'),
	('run', 'prev_hash', $$CASE WHEN n.seq = 1 THEN repeat('0', 64) ELSE COALESCE((SELECT run_hash FROM made
		WHERE i = n.before), (SELECT run_hash FROM run WHERE seq = n.seq - 1 AND
		origin = (SELECT origin FROM machine_number WHERE m = n.m))) END$$),
	('hotspot', 'object_id', $$CASE WHEN b.object_id IN (SELECT id FROM base_common) THEN n.common_object
		ELSE n.own_object END$$);
INSERT INTO changed
SELECT a.table_name, 'run_id', 'n.id'
  FROM information_schema.columns a
  JOIN (VALUES ('artifact'), ('dropped'), ('run_warning'), ('event'), ('hotspot'), ('series'), ('series_summary')) t (name)
    ON t.name = a.table_name
 WHERE a.table_schema = current_schema() AND a.column_name = 'run_id';
SELECT format('INSERT INTO %1$I (%2$s) SELECT %3$s FROM made n CROSS JOIN LATERAL (SELECT x.* FROM base_run r JOIN %1$I x ON '
              'x.%4$I = r.id WHERE r.j = n.j OFFSET 0) b ORDER BY n.i', a.table_name,
              string_agg(quote_ident(a.column_name), ', ' ORDER BY a.ordinal_position),
              string_agg(COALESCE(c.value, 'b.' || quote_ident(a.column_name)), ', ' ORDER BY a.ordinal_position),
              CASE a.table_name WHEN 'run' THEN 'id' ELSE 'run_id' END)
  FROM information_schema.columns a
  LEFT JOIN changed c ON c.source = a.table_name AND c.name = a.column_name
 WHERE a.table_schema = current_schema() AND a.table_name IN (SELECT source FROM changed)
 GROUP BY a.table_name
 ORDER BY a.table_name <> 'run', a.table_name
\gexec

UPDATE chain c SET head_seq = r.seq, head_hash = r.run_hash
  FROM run r, machine_number n
 WHERE c.origin = n.origin AND r.origin = n.origin AND r.seq = (SELECT MAX(seq) FROM run WHERE origin = n.origin);
COMMIT;

VACUUM ANALYZE;

-- ---- every reference has its row ----

DO $$
DECLARE
	k RECORD;
	missing BIGINT;
BEGIN
	FOR k IN
		SELECT conname, conrelid::regclass AS child, confrelid::regclass AS parent,
		       (SELECT string_agg(format('p.%I = c.%I', pa.attname, ca.attname), ' AND ')
		          FROM unnest(conkey, confkey) u (child, parent)
		          JOIN pg_attribute ca ON ca.attrelid = conrelid AND ca.attnum = u.child
		          JOIN pg_attribute pa ON pa.attrelid = confrelid AND pa.attnum = u.parent) AS equal,
		       (SELECT string_agg(format('c.%I IS NOT NULL', ca.attname), ' AND ')
		          FROM unnest(conkey) u (child)
		          JOIN pg_attribute ca ON ca.attrelid = conrelid AND ca.attnum = u.child) AS given
		  FROM pg_constraint
		 WHERE contype = 'f' AND conparentid = 0
	LOOP
		EXECUTE format('SELECT COUNT(*) FROM %s c WHERE %s AND NOT EXISTS (SELECT 1 FROM %s p WHERE %s)',
			k.child, k.given, k.parent, k.equal) INTO missing;
		IF missing > 0 THEN
			RAISE EXCEPTION '% rows of % have no row of % (%)', missing, k.child, k.parent, k.conname;
		END IF;
	END LOOP;
END $$;

-- 019_partitions.sql - the large tables of a server, divided into partitions by runs
--
-- Only PostgreSQL gets this file; CockroachDB divides tables by itself.  event, hotspot, series, series_summary and
-- benchmark_cover are partitioned by run_id, which is the first column of all their keys.  Partition N of a table has
-- its name and the suffix _N.  It holds the runs whose id is at least N * 1048576 and less than (N + 1) * 1048576.  The
-- first partition has no lower bound.
--
-- Keys and references belong to the partitions, not to the tables: a table with a primary key or a reference cannot
-- have partitions on other servers (postgres_fdw).  hotspot_N refers to event_N, and series_summary_N and
-- benchmark_cover_N refer to series_N.

-- Make the partition of each table that holds this run, unless it is there.  Returns the number of partitions that were
-- made.  Roles that add runs need not own the tables, so the function has the rights of its owner.
CREATE FUNCTION make_partition(run bigint) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	k CONSTANT BIGINT := run / 1048576;
	bounds CONSTANT TEXT := format('FOR VALUES FROM (%s) TO (%s)', k * 1048576, (k + 1) * 1048576);
	t TEXT;
BEGIN
	IF run NOT BETWEEN 0 AND (SELECT last_value FROM run_ids) + 1048576 THEN
		RAISE EXCEPTION 'run % is too far from the newest one for a partition', run;
	END IF;
	IF EXISTS (SELECT FROM pg_class WHERE relname = 'hotspot_' || k
		    AND relnamespace = current_schema()::regnamespace) THEN
		RETURN 0;
	END IF;
	-- This lock excludes all writers, because a new reference to a table excludes the writers of that table.
	PERFORM pg_advisory_xact_lock(1751413348, hashtext(current_schema()));
	IF EXISTS (SELECT FROM pg_class WHERE relname = 'hotspot_' || k
		    AND relnamespace = current_schema()::regnamespace) THEN
		RETURN 0;
	END IF;
	EXECUTE format('
		CREATE TABLE event_%1$s (LIKE event, PRIMARY KEY (run_id, event),
			FOREIGN KEY (run_id) REFERENCES run (id), FOREIGN KEY (stacks) REFERENCES stack_blob (sha256));
		CREATE INDEX ON event_%1$s (stacks);
		CREATE TABLE hotspot_%1$s (LIKE hotspot, PRIMARY KEY (run_id, event, rank),
			FOREIGN KEY (run_id, event) REFERENCES event_%1$s (run_id, event),
			FOREIGN KEY (symbol_id) REFERENCES symbol (id), FOREIGN KEY (object_id) REFERENCES object (id));
		CREATE INDEX ON hotspot_%1$s ((run_id / 32), symbol_id, run_id);
		CREATE TABLE series_%1$s (LIKE series, PRIMARY KEY (run_id, series),
			FOREIGN KEY (run_id) REFERENCES run (id), FOREIGN KEY (csv) REFERENCES stack_blob (sha256));
		CREATE INDEX ON series_%1$s (csv);
		CREATE TABLE series_summary_%1$s (LIKE series_summary, PRIMARY KEY (run_id, series, ordinal),
			FOREIGN KEY (run_id, series) REFERENCES series_%1$s (run_id, series));
		CREATE TABLE benchmark_cover_%1$s (LIKE benchmark_cover, PRIMARY KEY (run_id, series, ordinal),
			FOREIGN KEY (run_id, series) REFERENCES series_%1$s (run_id, series))', k);
	FOREACH t IN ARRAY ARRAY['event', 'hotspot', 'series', 'series_summary', 'benchmark_cover'] LOOP
		EXECUTE format('ALTER TABLE %1$s ATTACH PARTITION %1$s_%2$s %3$s', t, k, bounds);
	END LOOP;
	RETURN 5;
END
$$;

-- Drop partition k of each table.  Returns 1; 0 if nothing was dropped.  A transaction that began before would no
-- longer see the rows, so none may be under way, except those that wait for the lock of all writers.  Only the owner
-- may drop the partitions.
CREATE FUNCTION drop_partition(k bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('DROP TABLE hotspot_%1$s, event_%1$s, benchmark_cover_%1$s, series_summary_%1$s, series_%1$s',
		k);
	IF EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		    WHERE l.locktype = 'virtualxid' AND l.granted AND a.datname = current_database()
		      AND l.pid <> pg_backend_pid()
		      AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
		      AND NOT EXISTS (SELECT FROM pg_locks w
				       WHERE w.pid = l.pid AND w.locktype = 'advisory' AND NOT w.granted)) THEN
		RAISE lock_not_available;
	END IF;
	RETURN 1;
EXCEPTION WHEN lock_not_available OR deadlock_detected OR insufficient_privilege THEN
	RETURN 0;
END
$$;

DO $$
DECLARE
	large CONSTANT TEXT[] := ARRAY['event', 'hotspot', 'series', 'series_summary', 'benchmark_cover'];
	k CONSTANT BIGINT := (SELECT GREATEST((SELECT MAX(id) FROM run), last_value) / 1048576 FROM run_ids);
	t TEXT;
	x RECORD;
	views TEXT[] := '{}';
BEGIN
	-- The tables may be large.
	PERFORM set_config('statement_timeout', '0', true);

	-- Views refer to tables by oid and not by name, so they must be created again after the tables are renamed.
	FOR x IN SELECT DISTINCT c.oid, c.oid::regclass AS name, c.relkind, c.reloptions
		   FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class c ON c.oid = r.ev_class
		  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
		    AND c.oid <> d.refobjid
		    AND d.refobjid = ANY (large::regclass[]::oid[])
	LOOP
		IF x.relkind <> 'v' THEN
			RAISE EXCEPTION
			'% reads a table that must be divided into partitions: drop it and create it again afterwards',
				x.name;
		END IF;
		views := views || format('CREATE OR REPLACE VIEW %s%s AS %s', x.name,
			' WITH (' || array_to_string(x.reloptions, ', ') || ')', pg_get_viewdef(x.oid));
	END LOOP;

	EXECUTE 'REVOKE ALL ON FUNCTION make_partition(BIGINT) FROM PUBLIC';
	EXECUTE format('ALTER FUNCTION make_partition(BIGINT) SET search_path = %I, pg_temp', current_schema());
	-- Wait for other sessions for less than deadlock_timeout (1 s), after which the server looks for deadlocks.
	EXECUTE 'ALTER FUNCTION drop_partition(BIGINT) SET lock_timeout = ''200ms''';

	-- The table that is there becomes the first partition.
	FOREACH t IN ARRAY large LOOP
		EXECUTE format('ALTER TABLE %1$s RENAME TO %1$s_%2$s', t, k);
		EXECUTE format('CREATE TABLE %1$s (LIKE %1$s_%2$s) PARTITION BY RANGE (run_id)', t, k);
		EXECUTE format('ALTER TABLE %1$s ATTACH PARTITION %1$s_%2$s FOR VALUES FROM (MINVALUE) TO (%3$s)',
			t, k, (k + 1) * 1048576);
		FOR x IN SELECT a.privilege_type AS what,
			        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::TEXT END AS who,
			        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS more,
			        c.relowner::regrole AS owner
			   FROM pg_class c, aclexplode(COALESCE(c.relacl, acldefault('r', c.relowner))) a
			  WHERE c.oid = to_regclass(t || '_' || k)
		LOOP
			EXECUTE format('ALTER TABLE %s OWNER TO %s', t, x.owner);
			EXECUTE format('GRANT %s ON %s TO %s%s', x.what, t, x.who, x.more);
			IF t = 'hotspot' AND x.what = 'INSERT' THEN
				EXECUTE format('GRANT EXECUTE ON FUNCTION make_partition(BIGINT) TO %s', x.who);
				EXECUTE format('ALTER FUNCTION make_partition(BIGINT) OWNER TO %s', x.owner);
			END IF;
		END LOOP;
	END LOOP;
	FOREACH t IN ARRAY views LOOP
		EXECUTE t;
	END LOOP;
END
$$;

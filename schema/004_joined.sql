-- 004_joined.sql - more about a run: its work, its selection, and series in addition to hotspots
--
-- Runs that were added before have NULL in all new columns.  Their hashes do not change, because NULL in these columns
-- is not hashed (src/trust/content_hash.c).

ALTER TABLE run ADD COLUMN work DOUBLE PRECISION;	-- units of work that it did (requests, tokens, rows); NULL: not known
ALTER TABLE run ADD COLUMN selection TEXT;		-- '--comm=serve --event=cycles:u': only these samples count; NULL: all
ALTER TABLE run ADD COLUMN selection_raw BLOB;
ALTER TABLE run ADD COLUMN side TEXT;			-- its side in a comparison, such as 'base'; NULL: none

-- If the folded stacks of an event are stored, a symbol below 0.01 % of the event by self and inline_self, and below
-- 1 % by total, is only in these stacks and has no row in hotspot.  One row represents all such symbols, with the sums
-- of their self, samples and inline_self.  The total of this row is its self, without callees.  It ranks last, and
-- never among the first five.  Its symbol is the only one that has a name and no linkage name:
--     symbol (object NULL, linkage NULL, name '[rest]')
ALTER TABLE event ADD COLUMN symbols BIGINT;		-- number of symbols that have samples, with those of the rest
ALTER TABLE event ADD COLUMN rest_symbols BIGINT;	-- symbols of the rest; 0: there is no such row
ALTER TABLE event ADD COLUMN effective_samples DOUBLE PRECISION;	-- (sum w)^2 / sum w^2 over the weights w; NULL: not known

-- From this version on, hotspot.vaddr of a named symbol that ranks after the first five has no leading zeros: 0x401000.

CREATE INDEX run_by_time ON run (recorded_utc);

-- These views are created again below.
DROP VIEW v_top5;
DROP VIEW v_symbol_history;
DROP VIEW v_run_summary;

-- Table hotspot is the largest part of a database.  SQLite stores a table and its primary key as two trees, unless the
-- table is declared WITHOUT ROWID.  With one tree, the file is a third smaller, and each row is written only once.
/*SQLite
CREATE TABLE hotspot_by_key (
	run_id        BIGINT NOT NULL,
	event         BIGINT NOT NULL,
	rank          BIGINT NOT NULL,
	symbol_id     BIGINT NOT NULL REFERENCES symbol (id),
	object_id     BIGINT NOT NULL REFERENCES object (id),
	vaddr         TEXT,
	self          BIGINT NOT NULL,
	total         BIGINT NOT NULL,
	samples       BIGINT NOT NULL,
	inline_self   BIGINT,
	inline_total  BIGINT,
	PRIMARY KEY (run_id, event, rank),
	FOREIGN KEY (run_id, event) REFERENCES event (run_id, event)
) WITHOUT ROWID;
INSERT INTO hotspot_by_key SELECT run_id, event, rank, symbol_id, object_id, vaddr, self, total, samples, inline_self, inline_total
  FROM hotspot ORDER BY run_id, event, rank;
DROP TABLE hotspot;
ALTER TABLE hotspot_by_key RENAME TO hotspot;
CREATE INDEX hotspot_by_symbol ON hotspot (symbol_id, run_id);
*/

-- ---- the public query surface ----

-- CROSS JOIN makes SQLite read the tables in the order in which they are written.  Other databases ignore the order.

-- The costliest five of every event of every run.
CREATE VIEW v_top5 AS
SELECT r.run_id, r.recorded_utc, r.target, r.mode, r.status, c.sha AS commit_sha, r.dirty,
       e.event, e.name AS event_name, e.unit, h.rank, o.path AS object, s.linkage, s.name AS symbol, h.vaddr,
       h.self, CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS self_pct,
       h.total, CAST(h.total AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS total_pct, h.samples
  FROM run r
  CROSS JOIN event e
  CROSS JOIN hotspot h
  CROSS JOIN symbol s
  CROSS JOIN object o
  LEFT JOIN commit_info c ON c.id = r.commit_id
 WHERE e.run_id = r.id AND h.run_id = r.id AND h.event = e.event AND h.rank <= 5 AND s.id = h.symbol_id AND o.id = h.object_id;

-- One symbol through time.  Entries with one name in one object are summed.  Their largest total is used, because they
-- may call each other.
CREATE VIEW v_symbol_history AS
SELECT s.object, s.linkage, s.name AS symbol, s.normal, r.target, r.mode, r.run_id, r.recorded_utc, r.status,
       c.sha AS commit_sha, r.dirty, m.fingerprint AS machine, f.sha256 AS config, r.inline_mode,
       e.event, e.name AS event_name, e.unit, MIN(h.rank) AS rank, CAST(SUM(h.self) AS BIGINT) AS self,
       CAST(SUM(h.self) AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS self_pct, MAX(h.total) AS total,
       CAST(MAX(h.total) AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS total_pct, CAST(SUM(h.samples) AS BIGINT) AS samples,
       r.selection
  FROM symbol s
  CROSS JOIN run r
  CROSS JOIN hotspot h
  CROSS JOIN event e
  LEFT JOIN commit_info c ON c.id = r.commit_id
  LEFT JOIN machine m ON m.id = r.machine_id
  LEFT JOIN config f ON f.id = r.config_id
 WHERE h.symbol_id = s.id AND h.run_id = r.id AND e.run_id = h.run_id AND e.event = h.event
 GROUP BY h.run_id, e.event, h.symbol_id, s.object, s.linkage, s.name, s.normal, r.target, r.mode, r.run_id, r.recorded_utc,
          r.status, c.sha, r.dirty, m.fingerprint, f.sha256, r.inline_mode, e.name, e.unit, e.weight, r.selection;

-- One line per statistic of a series of a run.  Kinds of series are latency, memory, power, gpu, results, ...
CREATE VIEW v_series AS
SELECT r.run_id, r.recorded_utc, r.target, r.mode, r.status, c.sha AS commit_sha, r.dirty, m.fingerprint AS machine,
       f.sha256 AS config, r.work, t.series, t.kind, t.name, t.unit, t.samples, x.stat, x.value, x.lo, x.hi, x.ordinal
  FROM series t
  JOIN run r ON r.id = t.run_id
  JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
  LEFT JOIN commit_info c ON c.id = r.commit_id
  LEFT JOIN machine m ON m.id = r.machine_id
  LEFT JOIN config f ON f.id = r.config_id;

-- One line per run and event; a run without a recording has one line, without an event.
CREATE VIEW v_run_summary AS
SELECT r.run_id, r.recorded_utc, r.added_utc, r.target, r.mode, r.status, r.exit_status, c.sha AS commit_sha, r.dirty,
       r.branch, c.subject, f.sha256 AS config, m.fingerprint AS machine, m.cpu_model, m.kernel, r.inline_mode,
       e.event, e.name AS event_name, e.unit, e.weight, e.samples, e.lost, r.samples_read, r.samples_kept,
       COALESCE(e.symbols, (SELECT COUNT(*) FROM hotspot h WHERE h.run_id = r.id AND h.event = e.event AND h.samples > 0)) AS symbols,
       s1.name AS top_symbol, o1.path AS top_object, h1.vaddr AS top_vaddr,
       CAST(h1.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS top_pct, r.run_hash,
       r.selection, r.work, r.session, r.boot_id, r.side,
       COALESCE(s1.name, h1.vaddr) || COALESCE('; ' || COALESCE(s2.name, h2.vaddr), '') ||
       COALESCE('; ' || COALESCE(s3.name, h3.vaddr), '') || COALESCE('; ' || COALESCE(s4.name, h4.vaddr), '') ||
       COALESCE('; ' || COALESCE(s5.name, h5.vaddr), '') AS top5,
       CAST(COALESCE(h1.self, 0) + COALESCE(h2.self, 0) + COALESCE(h3.self, 0) + COALESCE(h4.self, 0) + COALESCE(h5.self, 0)
            AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS top5_pct,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'latency' AND t.name = 'wall_time_us' AND x.stat = 'p50') AS p50_us,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'latency' AND t.name = 'wall_time_us' AND x.stat = 'p95') AS p95_us,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'latency' AND t.name = 'wall_time_us' AND x.stat = 'p99') AS p99_us,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'memory' AND t.name = 'peak_rss_bytes' AND x.stat = 'peak_rss') AS peak_rss_bytes,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'memory' AND t.name = 'peak_rss_bytes' AND x.stat = 'mean_rss') AS mean_rss_bytes,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'power' AND t.name = 'watts' AND x.stat = 'joules') AS joules,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'power' AND t.name = 'watts' AND x.stat = 'mean') AS mean_watts,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'power' AND t.name = 'watts' AND x.stat = 'peak') AS peak_watts
  FROM run r
  LEFT JOIN event e ON e.run_id = r.id
  LEFT JOIN hotspot h1 ON h1.run_id = r.id AND h1.event = e.event AND h1.rank = 1
  LEFT JOIN symbol s1 ON s1.id = h1.symbol_id
  LEFT JOIN object o1 ON o1.id = h1.object_id
  LEFT JOIN hotspot h2 ON h2.run_id = r.id AND h2.event = e.event AND h2.rank = 2
  LEFT JOIN symbol s2 ON s2.id = h2.symbol_id
  LEFT JOIN hotspot h3 ON h3.run_id = r.id AND h3.event = e.event AND h3.rank = 3
  LEFT JOIN symbol s3 ON s3.id = h3.symbol_id
  LEFT JOIN hotspot h4 ON h4.run_id = r.id AND h4.event = e.event AND h4.rank = 4
  LEFT JOIN symbol s4 ON s4.id = h4.symbol_id
  LEFT JOIN hotspot h5 ON h5.run_id = r.id AND h5.event = e.event AND h5.rank = 5
  LEFT JOIN symbol s5 ON s5.id = h5.symbol_id
  LEFT JOIN commit_info c ON c.id = r.commit_id
  LEFT JOIN machine m ON m.id = r.machine_id
  LEFT JOIN config f ON f.id = r.config_id;

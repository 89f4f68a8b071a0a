-- 009_sampling.sql - how each event was sampled, the previous run of each run, and symbols by eras
--
-- Runs are not compared if their events were requested at different rates, or if they were throttled or shared their
-- counters beyond a limit (docs/gate.md).  All columns are NULL if the recording does not contain the value, as in runs
-- that were added before.

ALTER TABLE event ADD COLUMN frequency_hz BIGINT;	-- requested samples per second; NULL: fixed period, or unknown
ALTER TABLE event ADD COLUMN period BIGINT;		-- fixed period, in units of the event; NULL: none, or unknown
ALTER TABLE event ADD COLUMN throttled BIGINT;		-- times that the kernel stopped a counter until the next tick
ALTER TABLE event ADD COLUMN unthrottled BIGINT;	-- times that the kernel started such a counter again
ALTER TABLE event ADD COLUMN silent DOUBLE PRECISION;	-- share (0 to 1) of the time in which counters were stopped so
ALTER TABLE event ADD COLUMN enabled_ns BIGINT;		-- time in which counters were enabled: a sum over counters
ALTER TABLE event ADD COLUMN running_ns BIGINT;		-- time in which these counted; less if events took turns

-- A run has rows of a thousand symbols.  In an index by symbol, each row was on a page of its own, and all these pages
-- were read and written for every run that was added.  Now the rows of 32 runs, an era, are together, and sorted by
-- symbol.  A query for a symbol must search each era: WHERE h.run_id / 32 = ... AND h.symbol_id = ..., as the views
-- do.
DROP INDEX hotspot_by_symbol;
CREATE INDEX hotspot_by_era ON hotspot ((run_id / 32), symbol_id, run_id);

-- ---- the public query surface ----

-- One symbol through time.  Entries with one name in one object are summed.  Their largest total is used, because they
-- may call each other.
DROP VIEW v_symbol_history;
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
 WHERE h.symbol_id = s.id AND h.run_id / 32 = r.id / 32 AND h.run_id = r.id AND e.run_id = h.run_id AND e.event = h.event
 GROUP BY h.run_id, e.event, h.symbol_id, s.object, s.linkage, s.name, s.normal, r.target, r.mode, r.run_id, r.recorded_utc,
          r.status, c.sha, r.dirty, m.fingerprint, f.sha256, r.inline_mode, e.name, e.unit, e.weight, r.selection;

-- Each event that has samples of each run with the status ok, and the same event of the previous such run with the same
-- target, mode, inline mode, selection and machine.  Ids of rows and numbers of events are for joining hotspots.
CREATE VIEW v_step AS
SELECT r.target, r.id, r.run_id, r.recorded_utc, r.commit_id, e.event, e.name AS event_name, e.weight,
       LAG(r.id) OVER w AS base_id, LAG(e.event) OVER w AS base_event, LAG(e.weight) OVER w AS base_weight, LAG(r.run_id) OVER w AS base_run_id
  FROM run r
  JOIN event e ON e.run_id = r.id
  LEFT JOIN machine m ON m.id = r.machine_id
 WHERE r.status = 'ok' AND e.samples > 0
WINDOW w AS (PARTITION BY r.target, r.mode, r.inline_mode, COALESCE(r.selection, ''), COALESCE(m.fingerprint, ''), e.name, e.unit
             ORDER BY r.recorded_utc, r.id);

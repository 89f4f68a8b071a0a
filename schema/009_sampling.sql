-- 009_sampling.sql - how each event was sampled, and which runs follow which
--
-- Runs whose events were asked for at different rates are not compared, nor runs that were throttled or shared their
-- counters beyond a limit (docs/gate.md).  All columns are NULL where the recording does not tell, as in runs from before.

ALTER TABLE event ADD COLUMN frequency_hz BIGINT;	-- asked for: samples a second; NULL: the period was fixed
ALTER TABLE event ADD COLUMN period BIGINT;		-- fixed, in units of the event; NULL: a frequency was asked for
ALTER TABLE event ADD COLUMN throttled BIGINT;		-- times that the kernel stopped a counter until the next tick
ALTER TABLE event ADD COLUMN unthrottled BIGINT;	-- and let it go on
ALTER TABLE event ADD COLUMN silent DOUBLE PRECISION;	-- the part of the recording in which those counters were stopped
ALTER TABLE event ADD COLUMN enabled_ns BIGINT;		-- summed over the counters whose times were recorded;
ALTER TABLE event ADD COLUMN running_ns BIGINT;		-- less than enabled_ns: they were shared with other events

-- ---- the public query surface ----

-- Each event of each good run, beside the one that it follows: the run before it of the same target, mode, inline mode,
-- selection, machine and event.  Ids of rows and numbers of events are for joining hotspots.
CREATE VIEW v_step AS
SELECT r.target, r.id, r.run_id, r.recorded_utc, r.commit_id, e.event, e.name AS event_name, e.weight,
       LAG(r.id) OVER w AS base_id, LAG(e.event) OVER w AS base_event, LAG(e.weight) OVER w AS base_weight, LAG(r.run_id) OVER w AS base_run_id
  FROM run r
  JOIN event e ON e.run_id = r.id
  LEFT JOIN machine m ON m.id = r.machine_id
 WHERE r.status = 'ok' AND e.samples > 0
WINDOW w AS (PARTITION BY r.target, r.mode, r.inline_mode, COALESCE(r.selection, ''), COALESCE(m.fingerprint, ''), e.name, e.unit
             ORDER BY r.recorded_utc, r.id);

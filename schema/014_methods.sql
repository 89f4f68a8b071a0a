-- 014_methods.sql - how the energy of a run was measured
--
-- Joules of a counter, of an integral and of other sources are different quantities, which 'gate' does not compare.

ALTER TABLE series ADD COLUMN method TEXT;	-- 'counter of intel-rapl package-0', in visible form; NULL: not a power series, or a run from before

-- One line per statistic of a series of a run: latency, memory, power, gpu, results, other.
DROP VIEW v_series;
CREATE VIEW v_series AS
SELECT r.run_id, r.recorded_utc, r.target, r.mode, r.status, c.sha AS commit_sha, r.dirty, m.fingerprint AS machine,
       f.sha256 AS config, r.work, t.series, t.kind, t.name, t.unit, t.samples, x.stat, x.value, x.lo, x.hi, x.ordinal, t.method
  FROM series t
  JOIN run r ON r.id = t.run_id
  JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
  LEFT JOIN commit_info c ON c.id = r.commit_id
  LEFT JOIN machine m ON m.id = r.machine_id
  LEFT JOIN config f ON f.id = r.config_id;

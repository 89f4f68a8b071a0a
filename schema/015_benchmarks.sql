-- 015_benchmarks.sql - micro-benchmarks beside the profile of the same commit
--
-- A micro-benchmark is a series of kind 'benchmark': name is that of the benchmark, method its tool (criterion,
-- google-benchmark, hotdrift), unit 'ns', csv the samples as iterations,time_ns.  Its statistics (series_summary) are n, mean,
-- p50, std (with n - 1), slope, r2, cpu, elements_per_s, bytes_per_s, as far as they are known; times are nanoseconds per iteration.

-- Which symbols a micro-benchmark covers: by the rules of hotdrift.ini (covers), or else by the words of its name.
CREATE TABLE benchmark_cover (
	run_id        BIGINT NOT NULL,
	series        BIGINT NOT NULL,
	ordinal       BIGINT NOT NULL,            -- 0, 1, ...
	symbol        TEXT NOT NULL,              -- a normalised name, or the end of one after ::
	symbol_raw    BLOB,
	PRIMARY KEY (run_id, series, ordinal),
	FOREIGN KEY (run_id, series) REFERENCES series (run_id, series)
);

-- One line per micro-benchmark of a run.
CREATE VIEW v_benchmark AS
SELECT r.run_id, r.recorded_utc, r.target, r.status, c.sha AS commit_sha, r.dirty, m.fingerprint AS machine,
       t.name AS benchmark, t.method AS tool, t.samples,
       a.value AS mean_ns, a.lo AS mean_lo_ns, a.hi AS mean_hi_ns,
       (SELECT x.value FROM series_summary x WHERE x.run_id = t.run_id AND x.series = t.series AND x.stat = 'p50') AS p50_ns,
       (SELECT x.value FROM series_summary x WHERE x.run_id = t.run_id AND x.series = t.series AND x.stat = 'std') AS std_ns,
       (SELECT x.value FROM series_summary x WHERE x.run_id = t.run_id AND x.series = t.series AND x.stat = 'slope') AS slope_ns,
       (SELECT x.value FROM series_summary x WHERE x.run_id = t.run_id AND x.series = t.series AND x.stat = 'r2') AS r2,
       (SELECT x.value FROM series_summary x WHERE x.run_id = t.run_id AND x.series = t.series AND x.stat = 'elements_per_s') AS elements_per_s,
       (SELECT x.value FROM series_summary x WHERE x.run_id = t.run_id AND x.series = t.series AND x.stat = 'bytes_per_s') AS bytes_per_s
  FROM series t
  JOIN run r ON r.id = t.run_id
  LEFT JOIN series_summary a ON a.run_id = t.run_id AND a.series = t.series AND a.stat = 'mean'
  LEFT JOIN commit_info c ON c.id = r.commit_id
  LEFT JOIN machine m ON m.id = r.machine_id
 WHERE t.kind = 'benchmark';

-- The hundred costliest symbols of each event of a run, with the micro-benchmarks of the same target and commit that cover
-- them.  A cover is the whole normalised name of a symbol, or its last part: 'row' covers 'Parser::row'.
CREATE VIEW v_benchmark_hotspot AS
SELECT c.sha AS commit_sha, p.target, p.run_id, p.recorded_utc, p.mode, e.event, e.name AS event_name, h.rank, s.name AS symbol,
       s.normal, s.object, CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS self_pct,
       CAST(h.total AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0) AS total_pct,
       t.name AS benchmark, t.method AS tool, b.run_id AS benchmark_run, a.value AS mean_ns, a.lo AS mean_lo_ns, a.hi AS mean_hi_ns
  FROM benchmark_cover k
  CROSS JOIN series t
  CROSS JOIN run b
  CROSS JOIN commit_info c
  CROSS JOIN run p
  CROSS JOIN event e
  CROSS JOIN hotspot h
  CROSS JOIN symbol s
  LEFT JOIN series_summary a ON a.run_id = t.run_id AND a.series = t.series AND a.stat = 'mean'
 WHERE t.run_id = k.run_id AND t.series = k.series AND b.id = k.run_id AND b.status = 'ok' AND c.id = b.commit_id
   AND p.commit_id = b.commit_id AND p.target = b.target AND p.status = 'ok'
   AND e.run_id = p.id AND h.run_id = p.id AND h.event = e.event AND h.rank <= 100 AND s.id = h.symbol_id
   AND (s.normal = k.symbol
        OR (length(s.normal) > length(k.symbol) + 2
            AND substr(s.normal, length(s.normal) - length(k.symbol) - 1) = '::' || k.symbol));

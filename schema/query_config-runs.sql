-- CONFIG: the runs of one configuration, by its fingerprint, the start of it, or its canonical text, newest first
SELECT s.recorded_utc, s.run_id, s.target, s.status, s.commit_sha, s.config, s.event_name, s.top5, s.p95_us,
       s.peak_rss_bytes, s.joules
  FROM config f
  JOIN v_run_summary s ON s.config = f.sha256
 WHERE SUBSTR(f.sha256, 1, LENGTH(CAST($1 AS TEXT))) = CAST($1 AS TEXT) OR f.canonical = CAST($1 AS TEXT)
 ORDER BY s.recorded_utc DESC, s.run_id, s.event

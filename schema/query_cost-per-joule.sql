-- TARGET: cost and work per joule of each run, and joules of the costliest symbol, newest first
SELECT s.recorded_utc, s.commit_sha, s.run_id, s.event_name, s.joules, s.mean_watts, s.work,
       s.work / NULLIF(s.joules, 0) AS work_per_joule,
       s.joules / NULLIF(s.work, 0) AS joules_per_work, s.weight / NULLIF(s.joules, 0) AS cost_per_joule,
       s.unit AS cost_unit,
       COALESCE(s.top_symbol, s.top_vaddr) AS top_symbol, s.joules * s.top_pct / 100 AS top_joules
  FROM v_run_summary s
 WHERE s.target = $1 AND s.joules IS NOT NULL
 ORDER BY s.recorded_utc DESC, s.run_id, s.event

-- every run and event with its costliest symbol, newest first
SELECT s.run_id, s.recorded_utc, s.target, s.mode, s.status, s.commit_sha, s.dirty, s.event_name, s.samples, s.lost,
       s.weight, s.unit,
       s.symbols, s.top_pct, COALESCE(s.top_symbol, s.top_vaddr) AS top_symbol
  FROM v_run_summary s
 ORDER BY s.recorded_utc DESC, s.run_id, s.event

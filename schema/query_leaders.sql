-- TARGET: the costliest symbol at each commit of a target, oldest first
SELECT s.recorded_utc, s.commit_sha, s.subject, s.event_name, s.top_pct,
       COALESCE(s.top_symbol, s.top_vaddr) AS top_symbol,
       s.top_object, s.run_id
  FROM v_run_summary s
 WHERE s.target = $1 AND s.status = 'ok'
 ORDER BY s.recorded_utc, s.run_id, s.event

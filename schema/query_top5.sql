-- the five costliest symbols of every target's latest run
SELECT t.target, t.recorded_utc, t.commit_sha, t.event_name, t.rank, t.symbol, t.vaddr, t.object, t.self_pct,
       t.total_pct, t.samples
  FROM v_top5 t
 WHERE t.run_id = (SELECT r.run_id FROM run r WHERE r.target = t.target ORDER BY r.recorded_utc DESC, r.id DESC LIMIT 1)
 ORDER BY t.target, t.event, t.rank

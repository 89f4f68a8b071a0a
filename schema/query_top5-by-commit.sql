-- TARGET: the five costliest symbols at each commit, in its last good run, newest first
SELECT t.recorded_utc, t.commit_sha, t.dirty, t.event_name, t.rank, COALESCE(t.symbol, t.vaddr) AS symbol, t.object,
       t.self_pct, t.total_pct,
       t.run_id
  FROM run r
  JOIN v_top5 t ON t.run_id = r.run_id
 WHERE r.target = $1 AND r.status = 'ok'
   AND NOT EXISTS (SELECT 1 FROM run n
                    WHERE n.commit_id = r.commit_id AND n.target = r.target AND n.mode = r.mode AND n.status = 'ok'
                      AND (n.recorded_utc > r.recorded_utc OR (n.recorded_utc = r.recorded_utc AND n.id > r.id)))
 ORDER BY t.recorded_utc DESC, t.run_id, t.event, t.rank

-- the five costliest symbols of every target's latest run
WITH RECURSIVE named AS (	-- one index lookup for each target, not a row for each run
	SELECT MIN(target) AS target FROM run
	UNION ALL
	SELECT (SELECT MIN(r.target) FROM run r WHERE r.target > n.target) FROM named n WHERE n.target IS NOT NULL
)
SELECT t.target, t.recorded_utc, t.commit_sha, t.event_name, t.rank, t.symbol, t.vaddr, t.object, t.self_pct,
       t.total_pct, t.samples
  FROM named n
  CROSS JOIN v_top5 t
 WHERE t.run_id = (SELECT r.run_id FROM run r WHERE r.target = n.target ORDER BY r.recorded_utc DESC, r.id DESC LIMIT 1)
 ORDER BY t.target, t.event, t.rank

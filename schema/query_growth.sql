-- TARGET SINCE: the symbols that grew most, by points of self, from a run, commit or time to the latest commit
WITH good AS (
	SELECT r.id, r.recorded_utc, r.run_id, r.commit_id, r.mode, r.inline_mode,
	       COALESCE(r.selection, '') AS selection,
	       COALESCE(m.fingerprint, '') AS machine, c.sha
	  FROM run r
	  LEFT JOIN commit_info c ON c.id = r.commit_id
	  LEFT JOIN machine m ON m.id = r.machine_id
	 WHERE r.target = $1 AND r.status = 'ok'
), head AS (
	SELECT * FROM good ORDER BY recorded_utc DESC, id DESC LIMIT 1
), base AS (
	SELECT g.* FROM good g, head h
	 WHERE g.mode = h.mode AND g.inline_mode = h.inline_mode AND g.selection = h.selection AND g.machine = h.machine
	   AND (g.run_id = CAST($2 AS TEXT) OR SUBSTR(g.sha, 1, LENGTH(CAST($2 AS TEXT))) = CAST($2 AS TEXT)
	        OR (SUBSTR(CAST($2 AS TEXT), 5, 1) = '-' AND g.recorded_utc <= CAST($2 AS TEXT)))
	 ORDER BY g.recorded_utc DESC, g.id DESC LIMIT 1
), side AS (
	SELECT 0 AS head, g.id FROM good g, base b
	 WHERE g.id = b.id OR (g.commit_id = b.commit_id AND g.mode = b.mode AND g.inline_mode = b.inline_mode
	                       AND g.selection = b.selection
	                       AND g.machine = b.machine)
	UNION ALL
	SELECT 1 AS head, g.id FROM good g, head h
	 WHERE g.id = h.id OR (g.commit_id = h.commit_id AND g.mode = h.mode AND g.inline_mode = h.inline_mode
	                       AND g.selection = h.selection
	                       AND g.machine = h.machine)
), runs AS (
	SELECT e.name, e.unit, COUNT(DISTINCT CASE WHEN d.head = 0 THEN d.id END) AS base_runs,
	       COUNT(DISTINCT CASE WHEN d.head = 1 THEN d.id END) AS head_runs
	  FROM side d
	  CROSS JOIN event e
	 WHERE e.run_id = d.id
	 GROUP BY e.name, e.unit
), cost AS (
	SELECT e.name, e.unit, h.symbol_id,
	       SUM(CASE WHEN d.head = 0 THEN CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0)
	           ELSE 0 END) AS base_sum,
	       SUM(CASE WHEN d.head = 1 THEN CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0)
	           ELSE 0 END) AS head_sum
	  FROM side d
	  CROSS JOIN event e
	  CROSS JOIN hotspot h
	 WHERE e.run_id = d.id AND h.run_id = e.run_id AND h.event = e.event
	 GROUP BY e.name, e.unit, h.symbol_id
)
SELECT k.name AS event_name, s.name AS symbol, s.object, k.base_sum / n.base_runs AS base_pct,
       k.head_sum / n.head_runs AS head_pct,
       k.head_sum / n.head_runs - k.base_sum / n.base_runs AS points, n.base_runs, n.head_runs
  FROM runs n
  CROSS JOIN cost k
  CROSS JOIN symbol s
 WHERE k.name = n.name AND k.unit = n.unit AND n.base_runs > 0 AND n.head_runs > 0 AND s.id = k.symbol_id
   AND s.linkage IS NOT NULL
   AND k.head_sum / n.head_runs > k.base_sum / n.base_runs
 ORDER BY points DESC, s.name, s.object
 LIMIT 50

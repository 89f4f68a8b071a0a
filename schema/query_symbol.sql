-- SYMBOL: one symbol: where it occurs, its cost, and its expectations, findings and acknowledgements
WITH era AS (
	SELECT DISTINCT id / 32 AS n FROM run
), wanted AS (
	SELECT s.id, s.object, s.linkage, s.name, s.normal FROM symbol s
	 WHERE s.linkage IS NOT NULL AND (s.normal = $1 OR s.name = $1 OR s.linkage = $1)
)
SELECT x.what, x.target, x.event_name, x.object, x.linkage, x.first_utc, x.last_utc, x.n, x.least_pct, x.most_pct,
       x.best_rank, x.detail
  FROM (SELECT 1 AS place, 'cost' AS what, r.target, e.name AS event_name, w.object, w.linkage,
               MIN(r.recorded_utc) AS first_utc,
               MAX(r.recorded_utc) AS last_utc, COUNT(DISTINCT r.id) AS n,
               MIN(CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0)) AS least_pct,
               MAX(CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(e.weight, 0)) AS most_pct, MIN(h.rank) AS best_rank,
               w.name AS detail
          FROM wanted w
          CROSS JOIN era t
          CROSS JOIN hotspot h
          JOIN run r ON r.id = h.run_id
          JOIN event e ON e.run_id = h.run_id AND e.event = h.event
         WHERE h.run_id / 32 = t.n AND h.symbol_id = w.id
         GROUP BY r.target, e.name, w.object, w.linkage, w.name
        UNION ALL
        SELECT 2, 'found', r.target, e.name, w.object, w.linkage, d.found_utc, d.found_utc, 1, d.base_pct, d.head_pct,
               NULL,
               d.kind || ' ' || d.verdict || ' in ' || r.run_id
          FROM wanted w
          JOIN drift_event d ON d.symbol_id = w.id
          JOIN run r ON r.id = d.head_run
          LEFT JOIN event e ON e.run_id = d.head_run AND e.event = d.event
        UNION ALL
        SELECT 3, 'acknowledged', a.target, a.event, a.object, a.symbol, a.created_utc, a.expires_utc, 1, NULL,
               a.level_pct, NULL, a.reason
          FROM acknowledgement a
         WHERE a.symbol = $1 OR a.symbol IN (SELECT normal FROM wanted) OR a.symbol IN (SELECT linkage FROM wanted)
        UNION ALL
        SELECT 4, 'expected', p.target, p.event, p.object, p.symbol, p.created_utc, p.expires_utc, 1, p.at_least,
               p.at_most, NULL,
               p.measure || COALESCE(': ' || p.reason, '')
          FROM expectation p
         WHERE p.symbol = $1 OR p.symbol IN (SELECT normal FROM wanted) OR p.symbol IN (SELECT linkage FROM wanted)) x
 ORDER BY x.place, x.most_pct DESC, x.target, x.event_name, x.object, x.linkage

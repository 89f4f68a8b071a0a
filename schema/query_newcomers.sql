-- TARGET: symbols and the run in which each was first among the five costliest
SELECT MIN(t.recorded_utc) AS first_utc, COUNT(*) AS times, t.event_name, t.symbol, t.object, MIN(t.rank) AS best_rank,
       MAX(t.self_pct) AS most_pct
  FROM v_top5 t
 WHERE t.target = $1 AND t.symbol IS NOT NULL
 GROUP BY t.event_name, t.symbol, t.object
 ORDER BY first_utc DESC, most_pct DESC, t.symbol

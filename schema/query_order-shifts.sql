-- TARGET: when one of the five costliest passed another, or entered them, by more than noise and 0.5 points
SELECT x.recorded_utc, c.sha AS commit_sha, x.event_name, x.passes, x.passed, x.u0 * 100 AS passes_was_pct,
       x.u1 * 100 AS passes_now_pct,
       x.d0 * 100 AS passed_was_pct, x.d1 * 100 AS passed_now_pct, x.run_id, x.base_run_id
  FROM (SELECT p.*, u.name AS passes, d.name AS passed, uh.rank AS rank_now, db.rank AS rank_was,
               COALESCE(CAST(ub.self AS DOUBLE PRECISION), 0) / NULLIF(p.base_weight, 0) AS u0,
               CAST(uh.self AS DOUBLE PRECISION) / NULLIF(p.weight, 0) AS u1,
               CAST(db.self AS DOUBLE PRECISION) / NULLIF(p.base_weight, 0) AS d0,
               COALESCE(CAST(dh.self AS DOUBLE PRECISION), 0) / NULLIF(p.weight, 0) AS d1,
               (SELECT CASE WHEN e.unit = 'samples' THEN e.weight ELSE COALESCE(e.effective_samples, e.samples) END
                  FROM event e
                 WHERE e.run_id = p.id AND e.event = p.event) AS counted,
               (SELECT CASE WHEN e.unit = 'samples' THEN e.weight ELSE COALESCE(e.effective_samples, e.samples) END
                  FROM event e
                 WHERE e.run_id = p.base_id AND e.event = p.base_event) AS base_counted
          FROM v_step p
          JOIN hotspot uh ON uh.run_id = p.id AND uh.event = p.event AND uh.rank <= 5
          JOIN hotspot db ON db.run_id = p.base_id AND db.event = p.base_event AND db.rank <= 5
               AND db.symbol_id <> uh.symbol_id
          JOIN symbol u ON u.id = uh.symbol_id AND u.linkage IS NOT NULL
          JOIN symbol d ON d.id = db.symbol_id AND d.linkage IS NOT NULL
          LEFT JOIN hotspot ub ON ub.run_id = p.base_id AND ub.event = p.base_event AND ub.rank = (
                    SELECT MIN(z.rank) FROM hotspot z
                     WHERE z.run_id / 32 = p.base_id / 32 AND z.symbol_id = uh.symbol_id AND z.run_id = p.base_id
                       AND z.event = p.base_event)
          LEFT JOIN hotspot dh ON dh.run_id = p.id AND dh.event = p.event AND dh.rank = (
                    SELECT MIN(z.rank) FROM hotspot z
                     WHERE z.run_id / 32 = p.id / 32 AND z.symbol_id = db.symbol_id AND z.run_id = p.id
                       AND z.event = p.event)
         WHERE p.target = $1 AND (ub.rank IS NULL OR ub.rank > db.rank) AND (dh.rank IS NULL OR dh.rank > uh.rank)
           AND (ub.rank <= 5 OR dh.rank <= 5)) x
  LEFT JOIN commit_info c ON c.id = x.commit_id
 WHERE x.u1 - x.d1 >= 0.005 AND x.d0 - x.u0 >= 0.005
   AND (x.u1 - x.d1) * (x.u1 - x.d1)
       >= 3.84 * ((x.u1 * (1 - x.u1) + x.d1 * (1 - x.d1)) / NULLIF(x.counted, 0) + 0.0009 * (x.u1 * x.u1 + x.d1 * x.d1))
   AND (x.d0 - x.u0) * (x.d0 - x.u0)
       >= 3.84 * ((x.u0 * (1 - x.u0) + x.d0 * (1 - x.d0)) / NULLIF(x.base_counted, 0) + 0.0009
                  * (x.u0 * x.u0 + x.d0 * x.d0))
 ORDER BY x.recorded_utc DESC, x.run_id, x.event, x.rank_now, x.rank_was

-- TARGET: when the set of the five costliest symbols changed between comparable good runs, and whether that is noise
SELECT x.recorded_utc, c.sha AS commit_sha, x.event_name, x.change, COALESCE(s.name, x.vaddr) AS symbol, s.object,
       x.rank, x.self_pct, x.was_pct,
       CASE WHEN 1.0 * (x.self_pct - x.was_pct) * (x.self_pct - x.was_pct)
                 > 10.83 * (x.self_pct * (100 - x.self_pct) / NULLIF(x.counted, 0) + x.was_pct * (100 - x.was_pct)
                            / NULLIF(x.base_counted, 0)
                           + 0.0009 * (x.self_pct * x.self_pct + x.was_pct * x.was_pct)) THEN 'no'
                           ELSE 'yes' END AS within_noise,
       x.run_id, x.base_run_id
  FROM (SELECT p.*, 'entered' AS change, h.symbol_id, h.vaddr, h.rank,
               CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(p.weight, 0) AS self_pct,
               COALESCE((SELECT CAST(SUM(b.self) AS DOUBLE PRECISION) FROM hotspot b
                          WHERE b.run_id / 32 = p.base_id / 32
                            AND b.symbol_id = h.symbol_id AND b.run_id = p.base_id AND b.event = p.base_event),
                            0) * 100 / NULLIF(p.base_weight, 0) AS was_pct,
               (SELECT CASE WHEN e.unit = 'samples' THEN e.weight ELSE COALESCE(e.effective_samples, e.samples) END
                  FROM event e
                 WHERE e.run_id = p.id AND e.event = p.event) AS counted,
               (SELECT CASE WHEN e.unit = 'samples' THEN e.weight ELSE COALESCE(e.effective_samples, e.samples) END
                  FROM event e
                 WHERE e.run_id = p.base_id AND e.event = p.base_event) AS base_counted
          FROM v_step p
          JOIN hotspot h ON h.run_id = p.id AND h.event = p.event AND h.rank <= 5
         WHERE p.target = $1 AND p.base_id IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM hotspot b WHERE b.run_id = p.base_id AND b.event = p.base_event AND b.rank <= 5
                              AND b.symbol_id = h.symbol_id AND (b.vaddr = h.vaddr OR EXISTS (
                                  SELECT 1 FROM symbol y WHERE y.id = h.symbol_id AND y.linkage IS NOT NULL)))
        UNION ALL
        SELECT p.*, 'left' AS change, h.symbol_id, h.vaddr, h.rank,
               COALESCE((SELECT CAST(SUM(b.self) AS DOUBLE PRECISION) FROM hotspot b WHERE b.run_id / 32 = p.id / 32
                            AND b.symbol_id = h.symbol_id AND b.run_id = p.id AND b.event = p.event),
                            0) * 100 / NULLIF(p.weight, 0) AS self_pct,
               CAST(h.self AS DOUBLE PRECISION) * 100 / NULLIF(p.base_weight, 0) AS was_pct,
               (SELECT CASE WHEN e.unit = 'samples' THEN e.weight ELSE COALESCE(e.effective_samples, e.samples) END
                  FROM event e
                 WHERE e.run_id = p.id AND e.event = p.event) AS counted,
               (SELECT CASE WHEN e.unit = 'samples' THEN e.weight ELSE COALESCE(e.effective_samples, e.samples) END
                  FROM event e
                 WHERE e.run_id = p.base_id AND e.event = p.base_event) AS base_counted
          FROM v_step p
          JOIN hotspot h ON h.run_id = p.base_id AND h.event = p.base_event AND h.rank <= 5
         WHERE p.target = $1
           AND NOT EXISTS (SELECT 1 FROM hotspot b WHERE b.run_id = p.id AND b.event = p.event AND b.rank <= 5
                              AND b.symbol_id = h.symbol_id AND (b.vaddr = h.vaddr OR EXISTS (
                                  SELECT 1 FROM symbol y WHERE y.id = h.symbol_id AND y.linkage IS NOT NULL)))) x
  JOIN symbol s ON s.id = x.symbol_id
  LEFT JOIN commit_info c ON c.id = x.commit_id
 ORDER BY x.recorded_utc DESC, x.run_id, x.event, x.change, x.rank

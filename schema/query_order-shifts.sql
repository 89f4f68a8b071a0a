-- TARGET: when two of the five costliest changed places by more than counting noise and 0.5 points, newest first; gate judges
SELECT p.recorded_utc, c.sha AS commit_sha, p.event_name, u.name AS passes, d.name AS passed,
       CAST(ub.self AS DOUBLE PRECISION) * 100 / NULLIF(p.base_weight, 0) AS passes_was_pct,
       CAST(uh.self AS DOUBLE PRECISION) * 100 / NULLIF(p.weight, 0) AS passes_now_pct,
       CAST(db.self AS DOUBLE PRECISION) * 100 / NULLIF(p.base_weight, 0) AS passed_was_pct,
       CAST(dh.self AS DOUBLE PRECISION) * 100 / NULLIF(p.weight, 0) AS passed_now_pct, p.run_id, p.base_run_id
  FROM v_step p
  JOIN hotspot uh ON uh.run_id = p.id AND uh.event = p.event AND uh.rank <= 5
  JOIN hotspot dh ON dh.run_id = p.id AND dh.event = p.event AND dh.rank > uh.rank
  JOIN hotspot db ON db.run_id = p.base_id AND db.event = p.base_event AND db.rank <= 5 AND db.symbol_id = dh.symbol_id
  JOIN hotspot ub ON ub.run_id = p.base_id AND ub.event = p.base_event AND ub.rank > db.rank AND ub.symbol_id = uh.symbol_id
  JOIN symbol u ON u.id = uh.symbol_id AND u.linkage IS NOT NULL
  JOIN symbol d ON d.id = dh.symbol_id AND d.linkage IS NOT NULL
  LEFT JOIN commit_info c ON c.id = p.commit_id
 WHERE p.target = $1 AND (uh.rank <= 5 AND dh.rank <= 5) AND (ub.rank <= 5 AND db.rank <= 5)
   AND (uh.self - dh.self) * 200.0 >= p.weight AND (db.self - ub.self) * 200.0 >= p.base_weight
   AND 1.0 * (uh.samples - dh.samples) * (uh.samples - dh.samples) >= 3.84 * (uh.samples + dh.samples)
   AND 1.0 * (db.samples - ub.samples) * (db.samples - ub.samples) >= 3.84 * (db.samples + ub.samples)
 ORDER BY p.recorded_utc DESC, p.run_id, p.event, uh.rank, dh.rank

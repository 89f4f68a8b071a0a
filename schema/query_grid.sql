-- TARGET: the settings of its grids (docs/grids.md), the newest grid first, with latency, memory and energy
SELECT r.session, r.side AS setting, r.status,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'latency' AND t.name = 'wall_time_us' AND x.stat = 'p95') AS p95_us,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'memory' AND t.name = 'peak_rss_bytes'
           AND x.stat = 'peak_rss') AS peak_rss_bytes,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'memory' AND t.name = 'kv_cache_bytes'
           AND x.stat = 'mean') AS kv_cache_bytes,
       (SELECT MIN(x.value) FROM series t JOIN series_summary x ON x.run_id = t.run_id AND x.series = t.series
         WHERE t.run_id = r.id AND t.kind = 'power' AND t.name = 'watts' AND x.stat = 'joules') AS joules,
       c.sha AS commit_sha, f.sha256 AS config, r.run_id
  FROM run r
  LEFT JOIN commit_info c ON c.id = r.commit_id
  LEFT JOIN config f ON f.id = r.config_id
 WHERE r.target = $1 AND r.mode = 'grid' AND r.side IS NOT NULL
 ORDER BY r.session DESC, r.id

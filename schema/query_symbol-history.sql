-- SYMBOL: one symbol through time, newest first; its displayed, normalised or linkage name
SELECT h.recorded_utc, h.commit_sha, h.dirty, h.status, h.target, h.event_name, h.rank, h.self_pct, h.total_pct, h.self,
       h.unit,
       h.samples, h.object, h.symbol, h.run_id
  FROM v_symbol_history h
 WHERE h.normal = $1 OR h.symbol = $1 OR h.linkage = $1
 ORDER BY h.recorded_utc DESC, h.run_id, h.event, h.rank

-- samples that were lost or dropped, and warnings, newest first
SELECT r.recorded_utc, r.run_id, r.target, x.what, x.amount, x.message
  FROM (SELECT run_id, code AS what, count AS amount, message FROM run_warning
         UNION ALL SELECT run_id, 'dropped.' || reason, samples, NULL FROM dropped
         UNION ALL SELECT run_id, 'lost while recording: ' || name, lost, NULL FROM event WHERE lost > 0) x
  JOIN run r ON r.id = x.run_id
 ORDER BY r.recorded_utc DESC, r.run_id, x.what

-- the machines, and the number of runs on each
SELECT m.fingerprint, m.cpu_model, m.cpus_online, m.smt, m.kernel, m.governor, m.hostname, m.source,
       COUNT(r.id) AS runs,
       MAX(r.recorded_utc) AS last_utc
  FROM machine m
  JOIN run r ON r.machine_id = m.id
 GROUP BY m.id, m.fingerprint, m.cpu_model, m.cpus_online, m.smt, m.kernel, m.governor, m.hostname, m.source
 ORDER BY last_utc DESC, m.fingerprint, m.id

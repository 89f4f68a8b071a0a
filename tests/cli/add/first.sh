# the first run creates the database; the last part of an id differs between databases, so it is masked
printf 'main;parse;read_row 30\nmain;decode 20\nmain;idle 5\n' >a.folded
mask() { sed 's/nocommit-[0-9a-f]\{8\}/nocommit-XXXXXXXX/; s/"hash": "[0-9a-f]*"/"hash": "X"/'; }
hotdrift add a.folded --target serve --recorded 2026-11-20T14:01:02Z | mask
hotdrift add a.folded --target serve --recorded 2026-11-20T14:01:03Z --json 2>&1 | mask
hotdrift add a.folded --once | mask
hotdrift query "SELECT COUNT(*) AS runs FROM run"
hotdrift query "SELECT COUNT(*) AS texts, SUM(bytes) AS bytes FROM stack_blob"
hotdrift query "SELECT target, mode, status, top_symbol, top_pct FROM v_run_summary ORDER BY recorded_utc"
ls results

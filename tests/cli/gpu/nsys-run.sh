# add stores a capture as a run of mode gpu
command -v sqlite3 >/dev/null || { echo "sqlite3 is not installed"; exit 77; }
sqlite3 export.sqlite <"$FIXTURES/../tests/gpu/small.sql"
hotdrift add --db history.db --target train --commit none --recorded 2026-01-01T00:00:00Z export.sqlite >/dev/null
hotdrift query --db history.db \
	'SELECT r.mode, e.name, e.unit, e.samples, e.weight FROM run r JOIN event e ON e.run_id = r.id ORDER BY e.event'

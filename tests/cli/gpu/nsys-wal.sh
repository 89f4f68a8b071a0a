# an export of Nsight Systems whose newest rows are in a write-ahead log: a warning, and the command that fixes it
command -v sqlite3 >/dev/null || { echo "sqlite3 is not installed"; exit 77; }
sqlite3 source.sqlite <"$FIXTURES/../tests/gpu/small.sql"
sqlite3 source.sqlite >/dev/null <<'END'
PRAGMA journal_mode = WAL;
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 500 WHERE start = 1000;
.system cp source.sqlite "my export.sqlite"; cp source.sqlite-wal "my export.sqlite-wal"
END
hotdrift fold --event gpu-kernels 'my export.sqlite' | grep main.train
hotdrift fold --strict --event gpu-kernels 'my export.sqlite' >/dev/null || echo "strict: $?"
sqlite3 'my export.sqlite' 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
hotdrift fold --strict --event gpu-kernels 'my export.sqlite' | grep main.train

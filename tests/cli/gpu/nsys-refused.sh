# hotdrift rejects databases that are not exports, damaged files, and options that need data which a capture lacks
command -v sqlite3 >/dev/null || { echo "sqlite3 is not installed"; exit 77; }
try() { status=0; hotdrift "$@" >out || status=$?; echo "status $status, $(wc -l <out) lines"; }
sqlite3 export.sqlite <"$FIXTURES/../tests/gpu/small.sql"
hotdrift add --db history.db --recorded 2026-01-01T00:00:00Z export.sqlite >/dev/null
sqlite3 other.sqlite 'CREATE TABLE t (a)'
sqlite3 virtual.sqlite \
	'CREATE TABLE StringIds (id, value); CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING fts4(start, end)'
printf 'SQLite format 3\0 and no more' >short.sqlite
try top history.db
try top other.sqlite
try top virtual.sqlite
try top short.sqlite
try top --cpu 1 export.sqlite
try report --by comm,prev_pid export.sqlite
try top --filter 'a > 1' export.sqlite
try top --event cycles export.sqlite

# options select the evaluated runs by commit, session and target; the report has the number of excluded runs
# shellcheck source=/dev/null disable=SC2154	# the file sets `commit`
. "$(dirname "$0")/matrix.inc"
old=1111111111111111111111111111111111111111
printf 'main;read_row 90\nmain;decode 10\n' >old.folded
printf 'main;read_row 10\nmain;decode 90\n' >new.folded
add() { hotdrift add --db h.db --target serve "$@" >/dev/null 2>&1; }
add old.folded --commit $old --recorded 2026-09-01T12:00:00Z --session one
add new.folded --commit "$commit" --recorded 2026-10-01T12:00:00Z --session two
add new.folded --commit "$commit" --recorded 2026-10-01T12:01:00Z --session two
add old.folded --commit "$commit" --recorded 2026-10-01T12:02:00Z --session three --status failed
add old.folded --commit "$commit" --recorded 2026-10-01T12:03:00Z --session two --mode async
rows() { hotdrift opportunities --db h.db "$@" --csv 2>&1 | cut -d , -f 2,7-9 || echo "status $?"; }
hotdrift opportunities --db h.db
rows --commits 2
rows --session one
rows --commit 1111
rows --commit "$commit"
rows --weights cpu=1,async=1
try() { hotdrift opportunities "$@" 2>&1 || echo "status $?"; }
try --db h.db --session nobody
try --db h.db --target sevre
try --db h.db --commit 2222222
try --db h.db --commits 0
try --db h.db --commit 1111 --session one
try --db h.db --json --csv
try --db h.db --hot 0
try --db h.db --hot nan
try --db h.db --weights cpu
try --db h.db --weights gpu=1
# a database that does not exist, and one without a usable run
try --db nothing.db
hotdrift add old.folded --db failed.db --target a --commit none --status failed --recorded 2026-10-01T12:00:00Z \
	>/dev/null
try --db failed.db

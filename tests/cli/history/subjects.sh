# each point has the commit's time of day and subject
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual
git commit -q --allow-empty -m 'parser: check every row once more'
runs usual
hotdrift history parse_row --db h.db
hotdrift history -n 1 --db h.db

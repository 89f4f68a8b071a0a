# runs that were recorded as base or head of a comparison are in one history; of two builds of a commit, the newest is
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual --session one --side base
commit head
runs usual --session one --side head
hotdrift history parse_row --db h.db | grep -v '^target'
runs usual --session two --side base
hotdrift history parse_row --db h.db | grep -v '^target'

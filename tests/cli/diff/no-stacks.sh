# runs that were added without their stacks are ignored, also in the cost of one run
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual
commit slow
# shellcheck disable=SC2034	# history.inc reads it
made=0
runs usual 2>/dev/null
add() { hotdrift add run.folded --db h.db --target serve --recorded "$1" --no-stacks >/dev/null 2>&1; }
add 2026-11-20T10:20:00Z
add 2026-11-20T10:21:00Z
hotdrift diff main HEAD --db h.db -n 3 2>&1 | mask

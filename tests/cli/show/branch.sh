# the name of a branch is its newest run, as in `top`; the message about an unknown name is that about runs
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual
export HOTDRIFT_DB=h.db
hotdrift show main -n 1 2>&1 >out | mask
mask <out | head -n 3
hotdrift add run.folded --target other --recorded 2026-11-20T12:00:00Z >/dev/null 2>&1
status hotdrift show main
hotdrift show main --target other | sed -n 2p
git checkout -q -b empty
git commit -q --allow-empty -m empty
status hotdrift show empty | sed 's/HEAD ([0-9a-f]*)/HEAD/'
status hotdrift show nobody

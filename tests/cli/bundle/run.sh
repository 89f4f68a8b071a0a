# bundle of a run bundles its recording, and says why if there is none
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
calls=$FIXTURES/recordings/calls
export HOTDRIFT_DB=results/h.db
mkdir results
status() { s=0; "$@" 2>&1 || s=$?; echo "status $s"; }
try() { status hotdrift bundle "$@" --symfs "$calls/symfs" -o run.hdb | mask; }
try latest
cp "$calls/perf.data" results/perf.data
hotdrift add results/perf.data --symfs "$calls/symfs" --target t --recorded 2026-11-20T10:00:00Z >/dev/null 2>&1
try latest
hotdrift bundle results/perf.data --symfs "$calls/symfs" -o file.hdb 2>/dev/null
cmp run.hdb file.hdb && echo same
try HEAD --target t | tail -1
try HEAD --target other
echo changed >results/perf.data
rm run.hdb
try latest
ls run.hdb 2>/dev/null || echo "nothing written"

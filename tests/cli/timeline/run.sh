# timeline of a run reads its recording, and says why if there is none
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
export HOTDRIFT_DB=results/h.db
mkdir results
try() { status hotdrift timeline "$@" -o out.csv | mask; }
status() { s=0; "$@" 2>&1 || s=$?; echo "status $s"; }
try latest
echo 'main;work 7' >results/cpu.folded
hotdrift add results/cpu.folded --target t --recorded 2026-11-20T10:00:00Z >/dev/null
try latest
try HEAD
rm results/cpu.folded
try latest
try nowhere
ls out.csv 2>/dev/null || echo "nothing written"

# annotate of a run reads its recording or bundle, if the file is still there and has not changed
calls=$FIXTURES/recordings/calls
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
try() {
	s=0
	hotdrift annotate "$@" --db results/h.db --symfs none --source-only >out 2>err || s=$?
	mask <err | grep -v '^hotdrift: warning\|^  fix:' || :
	sed -n 1,2p out
	echo "status $s"
}
mkdir -p results/1 none
cp "$calls/perf.data" results/1/perf.data
hotdrift bundle "$calls/perf.data" --symfs "$calls/symfs" -o results/1/perf.hdb 2>/dev/null
echo '== no database'
try latest
hotdrift add results/1/perf.data --symfs "$calls/symfs" --artifact results/1/perf.hdb --db results/h.db --target t \
	--recorded 2026-11-20T10:00:00Z >/dev/null 2>&1
echo '== the recording'
try latest
id=$(hotdrift query --db results/h.db --csv 'SELECT run_id FROM run' | sed 1d | tr -d '"')
try "$id" -n 1
try HEAD work
try "run:$id" absent
echo '== without it, the bundle, whose symbols it has'
mv results/1/perf.data elsewhere
try latest work
echo '== the folder of the results was moved'
mv results moved
hotdrift annotate latest work --db moved/h.db --symfs none --source-only 2>/dev/null | sed -n 1,2p
mv moved results
echo '== a changed file is not read, nor one that could block'
echo changed >results/1/perf.hdb
try latest
echo changed >results/1/perf.data
try HEAD
rm results/1/perf.data results/1/perf.hdb
mkfifo results/1/perf.data
try latest
echo '== a run of folded stacks'
echo 'main;work 7' >f.folded
hotdrift add f.folded --db results/h.db --target t --recorded 2026-11-20T11:00:00Z >/dev/null 2>&1
try latest
try nowhere

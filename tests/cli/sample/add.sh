# the results of sample become a run with its series, command, status, time and machine
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
zone intel-rapl:0 package-0 0 262143328850
add() { hotdrift add --db h.db --commit none "$@" >/dev/null; }
hotdrift sample --power=rapl --memory --interval 2 -o out -- sh -c '. ./lib.sh; set_energy intel-rapl:0 2500000' \
	2>/dev/null
add --samples out --work 10
hotdrift sample --power=constant:10 -o out -- sh -c 'exit 4' 2>/dev/null || echo "status $?"
add --samples out
hotdrift query --db h.db "SELECT DISTINCT kind, name, method FROM v_series ORDER BY kind, name, method"
hotdrift query --db h.db "SELECT t.name, t.value FROM v_series t WHERE stat = 'joules' AND work = 10"
hotdrift query --db h.db \
	"SELECT command, status, exit_status, machine_id IS NOT NULL AS has_machine FROM run ORDER BY id"
hotdrift query --db h.db \
	"SELECT COUNT(*) AS begun FROM run WHERE recorded_utc BETWEEN '2020' AND strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
# options override the sampled values; memory.csv of an earlier run in the folder is not used
ls out
printf 'timestamp_us,watts\n0,4\n1000000,4\n' >other.csv
add --samples out --power other.csv --status ok --command 'something else' --recorded 2026-01-02T03:04:05Z
hotdrift query --db h.db "SELECT r.command, r.status, r.exit_status, r.recorded_utc, s.value FROM run r
	JOIN v_series s ON s.run_id = r.run_id WHERE stat = 'joules' AND r.id = 3"
# damaged results are rejected
try() {
	s=0
	hotdrift add --db h.db --commit none "$@" || s=$?
	echo "status $s"
}
try --samples nowhere
echo '{"format": "hotdrift.energy"}' >out/sample.json
try --samples out
echo '{"format": "hotdrift.sample", "status": "ok", "started_ns": 1.5}' >out/sample.json
try --samples out
echo '{"format": "hotdrift.sample", "status": "ok", "started_ns": 15, "files": ["sample.json", "../power.csv", 3]}' \
	>out/sample.json
try --samples out
hotdrift query --db h.db "SELECT COUNT(*) AS runs FROM run"
# such a run has no samples, so the message names the commands that show its values
hotdrift top --db h.db 20260102 2>&1 | sed 's/-[0-9a-f]\{8\}/-XXXXXXXX/g'

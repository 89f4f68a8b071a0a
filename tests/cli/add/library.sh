# a report of libhotdrift becomes events and series of a run; names keep their bytes; a rejected report adds nothing
cat >report.json <<'JSON'
{"format":"hotdrift.library","version":1,"program":"serve","timestamp_us":1767225600000000,
"operations":[
 {"name":"parse","count":100,"self_ns":6000,"total_ns":9000,"mean_ns":90,"min_ns":10,"max_ns":500,
  "gflops_per_s":1.5,"gbytes_per_s":null},
 {"name":"a\\xff<b>","count":5,"self_ns":4000,"total_ns":4000,"mean_ns":800,"min_ns":1,"max_ns":2000}],
"allocations":[{"name":"cache","live_bytes":100,"live_blocks":1,"bytes":1000,"blocks":10,"peak_bytes":400}],
"memory":[{"name":"rss","snapshots":3,"peak_bytes":9000,"mean_bytes":8000,"total_bytes":24000},
 {"name":"kv_cache","snapshots":3,"peak_bytes":0,"mean_bytes":0,"total_bytes":0}],
"latency":[{"name":"wall_time_us","n":3,"mean":2,"mean_lo":1,"mean_hi":3,"std":1,"p50":2,"p95":3,"p99":3,
  "min":1,"max":3,"outliers":0}],
"power":[{"source":"rapl","domain":"package-0","joules":20,"mean_watts":10,"peak_watts":12,"duration_s":2,
  "n_samples":4,"counter":true,"added":true},
 {"source":"rapl","domain":"core","joules":5,"mean_watts":2.5,"peak_watts":3,"duration_s":2,
  "n_samples":4,"counter":true,"added":false}],
"spans":[{"name":"request","count":7,"polls":20,"busy_ns":50,"idle_ns":70,"scheduled_ns":3,"longest_poll_ns":9}]}
JSON
hotdrift add --report report.json --target serve --commit none --db h.db --json | jq \
	-c '.mode, (.events[] | [.event, .unit, .samples, .weight, .symbols]), (.series[] | [.kind, .name, .samples])'
hotdrift log --db h.db | sed 's,nocommit-[0-9a-f]*,nocommit-ID,'
hotdrift show latest --db h.db | sed -n '/^kind/,$p'
hotdrift query --db h.db "SELECT s.kind, s.name, x.stat, x.value, x.lo, x.hi FROM series s
	JOIN series_summary x ON x.run_id = s.run_id AND x.series = s.series
	WHERE s.name IN ('parse', 'wall_time_us', 'watts') ORDER BY s.series, x.ordinal"
hotdrift query --db h.db "SELECT name, method FROM series WHERE kind = 'power'"
# a CSV file of the same kind has the rows, so that the report does not add them again
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n1,5,4,1\n2,6,5,1\n' >latency.csv
hotdrift add --report report.json --latency latency.csv --commit none --db h.db --json |
	jq -c '[.mode, ([.series[] | select(.kind == "latency")] | length)]'
hotdrift verify --db h.db | head -1
refused() { status=0; hotdrift add --report "$1" --commit none --db h.db 2>&1 || status=$?; echo "status $status"; }
echo '{}' >empty.json
echo '{"format":"hotdrift.library","version":2}' >version.json
echo '{"format":"hotdrift.library","version":1,"operations":[]}' >nothing.json
echo '{"format":"hotdrift.library","version":1,"operations":[{"name":"a","count":1,"self_ns":-1,"total_ns":1}]}' \
	>negative.json
jq -c '.operations[1].name = "parse"' report.json >twice.json
for f in empty version nothing negative twice missing; do refused $f.json; done
hotdrift query --db h.db "SELECT COUNT(*) FROM run"

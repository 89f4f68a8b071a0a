# bench of one build prints its runs, metrics and statistics; the test checks only the form of the times
hotdrift bench --runs 5 --json -o bench.json -- sh -c 'i=0; while [ $i -lt 500 ]; do i=$((i+1)); done'
jq -c '[.format, .version, .warmup, .interrupted_by, .verdict, .min_speedup]' bench.json
jq -c '.sides[] | [.name, .command, .dir, .runs, .failed]' bench.json
jq -c '.metrics | to_entries[] |
	[.key, .value.unit, (.value.sides | length), .value.sides[0].n, (.value.sides[0].mean >= 0)]' bench.json
jq -c '.metrics.wall_time_us.sides[0] | [.min <= .p50, .p50 <= .p95, .p95 <= .p99, .p99 <= .max, .ci.mean[0] <= .mean,
	.mean <= .ci.mean[1], .r2 >= 0, .r2 <= 1]' bench.json
jq -c '.metrics.peak_rss_bytes.sides[0].min >= .machine.rss_floor_bytes, (.machine.cpus > 0), (.steady | type),
	(.findings | type), (.outputs | length)' bench.json
jq -c '.runs | length, (.[0] | [.side, .number, .warmup, .failed, .exit_status])' bench.json
# text and Markdown have the same rows
hotdrift bench -r 3 -w 0 -- true >text
grep -oE '^[a-z]+' text | sed 's/^unsteady$/steady/'
grep -cE '(wall time|user time|kernel time|peak RSS)$' text
hotdrift bench -r 3 --format markdown -- true | grep -c '^|'
# the values of each run are a CSV of named series
hotdrift bench -r 4 --csv runs.csv -- true >/dev/null
head -n 1 runs.csv
cut -d , -f 1-3 runs.csv | tail -n 4
hotdrift stats --json runs.csv | jq -c '[.form, .rows, .lost, (.columns | keys[])]'

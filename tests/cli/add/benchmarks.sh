# micro-benchmarks of Google Benchmark, Criterion and bench are stored beside the profile of the same commit, with the
# symbols that they cover
git init -q -b main . && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m start
cat >hotdrift.ini <<'END'
[target app]
run = true
covers = decode/* = Decoder::run
	decode/fast* = inflate_fast
END
cat >google.json <<'END'
{"context":{},"benchmarks":[
 {"name":"BM_parse_row/8","run_name":"BM_parse_row/8","run_type":"iteration","iterations":100,
  "real_time":20,"cpu_time":19,"time_unit":"ns","items_per_second":4e8},
 {"name":"BM_parse_row/8","run_name":"BM_parse_row/8","run_type":"iteration","iterations":200,
  "real_time":22,"cpu_time":20,"time_unit":"ns","items_per_second":2e8},
 {"name":"BM_bad","error_occurred":true,"error_message":"no input"}]}
END
estimate() { # estimate LOWER UPPER POINT
	printf '{"confidence_interval":{"confidence_level":0.95,"lower_bound":%s,"upper_bound":%s},' "$1" "$2"
	printf '"point_estimate":%s,"standard_error":1}' "$3"
}
criterion() { # criterion FOLDER ID MEAN
	mkdir -p "$1/new" "$1/base"
	printf '{"mean":%s,"median":%s,"median_abs_dev":%s,"slope":%s,"std_dev":%s}' "$(estimate "$3" "$3.5" "$3.2")" \
		"$(estimate 1 2 1.5)" \
		"$(estimate 1 2 1.5)" "$(estimate 3 5 4)" "$(estimate 1 2 1.5)" >"$1/new/estimates.json"
	cp "$1/new/estimates.json" "$1/base"
	printf '{"group_id":"g","full_id":"%s","throughput":{"Bytes":64}}' "$2" >"$1/new/benchmark.json"
	printf '{"sampling_mode":"Linear","iters":[1,2,3],"times":[40,81,120]}' >"$1/new/sample.json"
}
criterion criterion/decode/fast/64 decode/fast/64 41
criterion criterion/decode/slow decode/slow 80
printf 'main;Parser::parse_row 50\nmain;Decoder::run 30\nmain;inflate_fast 15\nmain;narrow 5\n' >a.folded
hotdrift add a.folded --recorded 2026-01-01T00:00:00Z --db h.db --target app >/dev/null
hotdrift add --recorded 2026-01-02T00:00:00Z --benchmarks google.json --benchmarks criterion --db h.db --target app \
	--json 2>messages |
	jq -c '.mode, (.series[] | [.kind, .name, .samples])'
cat messages
hotdrift query --db h.db "SELECT benchmark, tool, samples, mean_ns, p50_ns, slope_ns, elements_per_s, bytes_per_s
	FROM v_benchmark ORDER BY benchmark"
hotdrift query --db h.db "SELECT b.benchmark, k.ordinal, k.symbol FROM benchmark_cover k
	JOIN series s ON s.run_id = k.run_id AND s.series = k.series JOIN v_benchmark b ON b.benchmark = s.name
	ORDER BY b.benchmark, k.ordinal"
hotdrift query --db h.db \
	"SELECT rank, symbol, self_pct, benchmark, mean_ns FROM v_benchmark_hotspot ORDER BY rank, benchmark"
# the samples are stored as CSV; the content is part of the hash, is merged, and is pruned
hotdrift query --db h.db \
	"SELECT COUNT(*) FROM stack_blob x JOIN series s ON s.csv = x.sha256 WHERE s.kind = 'benchmark'"
hotdrift merge --db all.db h.db >/dev/null && hotdrift verify --db all.db | head -1
hotdrift query --db all.db "SELECT COUNT(*) FROM v_benchmark_hotspot"
sqlite3 all.db "UPDATE benchmark_cover SET symbol = 'x' WHERE symbol = 'parse_row'"
status=0; hotdrift verify --db all.db >/dev/null 2>&1 || status=$?; echo "status $status"
# another commit has no benchmark of its own
git -c user.name=t -c user.email=t@t commit -q --allow-empty -m next
hotdrift add a.folded --recorded 2026-01-03T00:00:00Z --db h.db --target app >/dev/null 2>&1
hotdrift query --db h.db "SELECT recorded_utc, COUNT(*) FROM v_benchmark_hotspot GROUP BY recorded_utc"
# results of bench; and one estimates.json
hotdrift bench -r 3 --json -o bench.json -- true
hotdrift add --recorded 2026-01-04T00:00:00Z --benchmarks bench.json \
	--benchmarks criterion/decode/slow/new/estimates.json --db h.db --target app >/dev/null
hotdrift query --db h.db "SELECT benchmark, tool, samples FROM v_benchmark
	WHERE run_id = (SELECT MAX(run_id) FROM v_benchmark) ORDER BY benchmark"
# a rejected file adds nothing
refused() { status=0; hotdrift add "$@" --db h.db --target app 2>&1 || status=$?; echo "status $status"; }
echo '{}' >empty.json
mkdir none
refused --benchmarks empty.json
refused --benchmarks none
refused --benchmarks missing.json
refused --benchmarks google.json --benchmarks google.json
sed -i 's/^covers.*/covers = decode/' hotdrift.ini
refused --benchmarks criterion
hotdrift query --db h.db "SELECT COUNT(*) FROM run"

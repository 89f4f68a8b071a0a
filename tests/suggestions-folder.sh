# shellcheck shell=bash
# suggestions-folder.sh - fill the folder in which run-suggestions.sh runs the examples of --help, with every file,
# commit, run and target that they name
repository() {
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example
	git init -q -b main .
	git config user.name a
	git config user.email a@example
	echo '*' >.git/info/exclude
	git commit -q --allow-empty -m start
}
stacks() {	# FACTOR: what parse_row costs
	printf 'app;main;parse;parse_row %d\napp;main;codec;decode 8000\napp;main;idle 9000\napp;main;emit 7000\n' "$1"
}
latency() {	# MICROSECONDS
	printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,%d,80,16\n1,%d,90,16\n2,%d,85,16\n' "$1" $(($1 + 50)) \
		$(($1 + 100))
}
run_at=0
runs() {	# FACTOR, of the commit that is checked out
	for i in 0 1 2; do
		run_at=$((run_at + 1))
		stacks $(($1 + 13 * i)) >run.folded
		latency $((400 + i)) >latency.csv
		hotdrift add run.folded latency.csv --target serve --config config.json --recorded \
			"2026-11-20T14:0$run_at:00Z" >/dev/null
	done
}
repository
echo '{"threads": 4}' >config.json
runs 1200
git tag v1.2
git commit -q --allow-empty -m 'checks UTF-8 now'
echo 1 >source
git add -f source
git commit -q -m source
git tag v1.3
runs 1800
echo 2 >source
runs 1800
mkdir results/20261120T140100Z-parser-cpu old new build
cp "$FIXTURES/recordings/calls/perf.data" perf.data
for name in before after old; do cp perf.data "$name.data"; done
hotdrift bundle perf.data -o ci.hdb 2>/dev/null
latency 400 | tee latency.csv l.csv >/dev/null
printf 'timestamp_us,watts\n0,10\n1000000,12\n2000000,11\n' >power.csv
printf 'timestamp_us,depth\n1,4\n2,5\n' >depth.csv
printf 'timestamp_us,peak_rss_bytes\n0,1000\n1000000,2000\n' >rss.csv
hotdrift sample --power=constant:65 -o out -- true 2>/dev/null
printf '[{"ph":"X","cat":"kernel","name":"gemm","ts":1,"dur":2,"args":{"device":0,"stream":7}}]' |
	gzip -c >trace.json.gz
mkdir -p results/grid/csv
printf 'setting,lambda,tau,status,run\nbaseline,,,ok,\nmincut_l0.5_t64,0.5,64,ok,\n' >results/grid/settings.csv
memory='timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes'
latency 400 >results/grid/csv/baseline.csv
latency 300 >results/grid/csv/mincut_l0.5_t64.csv
printf '%s\n1,9000,1000,0,0\n' "$memory" >results/grid/csv/baseline-memory.csv
printf '%s\n1,8000,500,0,0\n' "$memory" >results/grid/csv/mincut_l0.5_t64-memory.csv
stacks 1200 >memory.folded
hotdrift add memory.folded --db laptop.db --target serve --commit none >/dev/null
hotdrift add memory.folded --db ci.db --target serve --commit none >/dev/null
HOTDRIFT_HEAP_INTERVAL=1 HOTDRIFT_HEAP=$PWD/heap.data LD_PRELOAD=$(dirname "$HOTDRIFT")/libhotdrift-heap.so sort \
	config.json >/dev/null
mv heap.data.* heap.data
cat >ci.pem <<'END'
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
END
cat >ci.pub <<'END'
-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
END
chmod 600 ci.pem
hotdrift verify --sign --key ci.pem --anchors anchors.txt >/dev/null
hotdrift witness export latest:serve -o run.jsonl
printf 'parse_row 1..60 %%\n' >shares.txt
printf '#!/bin/sh\nexit 0\n' | tee old/parser new/parser build/parser measure.sh app >/dev/null
printf '%s\n' '#!/bin/sh' "printf 'sample_id,wall_time_us,kernel_time_us,seq_len\\n0,100,80,16\\n' >latency.csv" \
	>build/serve
printf '#!/bin/sh\nexec cat\n' | tee old/sqrt new/sqrt >/dev/null
cp measure.sh build/sort
mkdir -p target/criterion/parse/new
estimate='{"confidence_interval":{"confidence_level":0.95,"lower_bound":9,"upper_bound":11},"point_estimate":10}'
printf '{"mean":%s,"median":%s,"std_dev":%s}' "$estimate" "$estimate" "$estimate" \
	>target/criterion/parse/new/estimates.json
echo '{"full_id":"parse"}' >target/criterion/parse/new/benchmark.json
printf '{"format":"hotdrift.library","version":1,"operations":[%s]}' \
	'{"name":"parse","count":1,"self_ns":9,"total_ns":9,"mean_ns":9,"min_ns":9,"max_ns":9}' >report.json
mkdir -p ../main/build
cp old/parser ../main/build/parser
chmod +x ../main/build/parser old/parser new/parser build/parser build/serve build/sort old/sqrt new/sqrt measure.sh app
echo '{}' >big.json
hotdrift ack parse_row --reason known >/dev/null
cat >hotdrift.ini <<'END'
[hotdrift]
remote = shared.db
[target serve]
run = true
[target memgraph]
run = true
[target parser]
run = true
END

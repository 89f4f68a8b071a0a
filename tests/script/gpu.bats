#!/usr/bin/env bats
# gpu.bats - test profile.sh gpu with a stand-in for nsys, with libhotdrift-cuda.so and a stand-in for libcupti, with a
# stand-in for NVML, and without any of them

load helper

setup() {
	in_empty_folder
	unset HOTDRIFT_CUDA_LIBRARY HOTDRIFT_STANDIN_NVML FAKE_NSYS FAKE_LOG
	# Hide NVIDIA's programs and libraries of this machine.
	export HOTDRIFT_CUPTI=/is-not-there/libcupti.so HOTDRIFT_NVML=/is-not-there/libnvidia-ml.so
	fake_line nsys 'exit 127'
}

with_nsys() {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	fake nsys nsys.sql
	export FAKE_LOG=$BATS_TEST_TMPDIR/log
}

# Set the stand-in for libcupti, and ./app, which launches 600 kernels and exits with status 3.
with_cupti() {
	[ -f "$(dirname "$HOTDRIFT")/libhotdrift-cuda.so" ] ||
		skip "libhotdrift-cuda.so is for x86-64 and aarch64 Linux"
	compiled cupti.so -std=gnu11 -O1 -g -fPIC -shared -I"$TOP/tests" "$TOP/tests/gpu/standin/cupti.c" -pthread
	compiled app -std=gnu11 -O1 -g -fno-omit-frame-pointer -I"$TOP/tests" "$TOP/tests/gpu/standin/app.c" -pthread
	cp "$BATS_FILE_TMPDIR/app" .
	export HOTDRIFT_CUPTI=$BATS_FILE_TMPDIR/cupti.so
}

with_nvml() {
	compiled nvml.so -std=gnu11 -O1 -fPIC -shared "$TOP/tests/gpu/standin/nvml.c"
	export HOTDRIFT_NVML=$BATS_FILE_TMPDIR/nvml.so
}

@test "without anything that records GPUs the command is not run, and one sentence names all that was looked for" {
	run -6 profile.sh gpu -- touch ran
	[ ! -e ran ]
	[ ! -e results ]
	for what in nsys libcuda.so.1 libcupti libhotdrift-cuda.so libnvidia-ml.so.1 /dev/nvidia \
		'AMD and Intel are not supported'; do
		contains "${lines[0]}" "$what"
	done
	contains "${lines[1]}" 'doctor'
	run -6 profile.sh gpu --check -- true
	contains "$output" 'no GPU can be recorded here'
}

@test "nsys: its report and its export are kept, the kernels printed, and a run of mode gpu added" {
	with_nsys
	run -0 profile.sh gpu -- sh -c 'echo "this is the command"'
	contains "$output" 'this is the command'
	contains "$output" 'gpu-kernels: 8 samples, 12.0 ms'
	[[ $output =~ 50\.00%\ .*\ reduce ]]
	[[ $output =~ 50\.00%\ .*\ scale ]]
	dir=$(only_run)
	[ "$(grep -c -x "nsys-ui $dir/gpu_profile.nsys-rep" <<<"$output")" = 1 ]
	for file in gpu_profile.nsys-rep gpu_profile.sqlite folded.txt flamegraph.svg top5.txt \
		report.html report.md report.json info.json run.json; do
		[ -s "$dir/$file" ]
	done
	[ "$(stat -c %a "$dir"/gpu_profile.* | sort -u)" = 600 ]
	[ "$(of_run '[.mode, .recorder, .event, .status, .artifact.path] | tojson')" = \
		'["gpu","nsys","gpu-kernels","ok","gpu_profile.sqlite"]' ]
	[ "$(of_run '[.freq, .period, .call_graph, .perf_version] | tojson')" = '[null,null,null,null]' ]
	run -0 "$HOTDRIFT" log --db results/hotspots.db --json
	contains "$output" '"mode": "gpu"'
	run -0 "$HOTDRIFT" top --event gpu-copies --json "$dir/gpu_profile.sqlite"
	contains "$output" '[copy HtoD]'
	options='--trace=cuda,nvtx,osrt --cuda-memory-usage=true --cuda-graph-trace=node --force-overwrite=true'
	grep -q -x -e "profile $options --output=$PWD/$dir/gpu_profile sh -c .*" "$FAKE_LOG"
	grep -q -e '^export --type=sqlite ' "$FAKE_LOG"
}

@test "nsys: --check records nothing; gpu_profile.sh is a door; --from analyses an export" {
	with_nsys
	run -0 gpu_profile.sh --check -- touch ran
	contains "$output" 'nsys 2099.9.9.9-fake records what GPUs do here'
	[ ! -e ran ]
	sqlite3 some.sqlite <"$TOP/tests/script/fake/nsys.sql"
	run -0 gpu_profile.sh --from some.sqlite
	contains "$output" 'gpu-kernels: 8 samples'
	[ "$(of_run '[.status, .artifact.path] | tojson')" = '["fixture","gpu_profile.sqlite"]' ]
}

@test "nsys: a command that fails is kept and marked failed" {
	with_nsys
	run -6 profile.sh gpu -- sh -c 'exit 7'
	contains "$output" 'sh exited with status 7'
	[ "$(of_run '[.status, .exit_status] | tojson')" = '["failed",7]' ]
	[ -s "$(only_run)/gpu_profile.nsys-rep" ]
}

@test "nsys: without a report nothing is left; a report that cannot be exported is kept" {
	with_nsys
	FAKE_NSYS=nothing run -6 profile.sh gpu -- true
	contains "$output" 'nsys made no report of true'
	run ! only_run
	FAKE_NSYS=no-export run -6 profile.sh gpu -- true
	contains "$output" 'the report is damaged'
	contains "$output" 'nsys cannot export its report'
	[ "$(find results -name gpu_profile.nsys-rep -size +0 | wc -l)" = 1 ]
}

@test "nsys: an old one is not given what it does not know, and its report has another name" {
	with_nsys
	FAKE_NSYS=old run -0 profile.sh gpu -- true
	contains "$output" "nsys-ui $(only_run)/gpu_profile.qdrep"
	run ! grep -e '--cuda-graph-trace' "$FAKE_LOG"
}

@test "nsys: a percent sign in the path of the results is not one of its patterns" {
	with_nsys
	run -0 profile.sh gpu --results 'r%h %n' -- true
	[ "$(find 'r%h %n' -name gpu_profile.sqlite -size +0 | wc -l)" = 1 ]
}

@test "nsys: an interrupt ends the command, and what was recorded is kept" {
	with_nsys
	profile.sh gpu -- sh -c ': >begun; exec tail -f /dev/null' >out 2>&1 3>&- &
	signal_when begun TERM $!
	[ "$status" = 0 ]
	contains "$(cat out)" 'marked interrupted'
	[ "$(of_run .status)" = interrupted ]
	[ -s "$(only_run)/gpu_profile.sqlite" ]
}

@test "our library: kernels with the stacks that launched them" {
	with_cupti
	run -0 profile.sh gpu -- sh -c './app run; [ $? = 3 ]'
	contains "$output" 'app run launched'
	dir=$(only_run)
	[ "$(of_run '[.mode, .recorder, .event, .status, .artifact.path] | tojson')" = \
		'["gpu","cuda","gpu-kernels","ok","gpu.trace"]' ]
	[ ! -e "$dir/parts" ]
	[ "$(grep -c . "$dir/folded.txt")" = 6 ]
	grep -q -x '.*;main;train;gemm;.*\[GPU\];tile 240000' "$dir/folded.txt"
	grep -q -x '.*;main;eval;tree;tree;tree;tree;.*\[GPU\];leaf_kernel 54000' "$dir/folded.txt"
	contains "$output" 'softmax_rows'
	[ "$("$HOTDRIFT" query --db results/hotspots.db --csv 'SELECT mode FROM run' | tail -n 1)" = '"gpu"' ]
}

@test "our library: perf records the launches beside it, where it may, and leaves no uprobe behind" {
	need_clock_of_perf
	with_cupti
	events=/sys/kernel/tracing/uprobe_events
	[ -e "$events" ] || events=/sys/kernel/debug/tracing/uprobe_events
	command -v perf >/dev/null && [ -w "$events" ] || skip "perf may not record uprobes here"
	run -0 profile.sh gpu -- sh -c './app run; [ $? = 3 ]'
	if [ ! -e "$(only_run)/perf.data" ]; then
		contains "$output" 'recording uprobes with perf requires root'
		skip "perf may not record uprobes here"
	fi
	run -0 --separate-stderr "$HOTDRIFT" info --json "$(only_run)/perf.data"
	# The number is 621, unless the machine is so busy that perf loses some.
	[ "$(jq '[.events[] | select(.name | endswith(":gpu_launch_marker")) | .samples] | add' <<<"$output")" -gt 0 ]
	[ -s "$(only_run)/flamegraph-joined.svg" ]
	run ! grep hotdrift_ "$events"
}

@test "our library: without rights perf does not record beside it, and the stacks are there" {
	with_cupti
	fake_line perf 'exit 255'
	run -0 profile.sh gpu -- sh -c './app run; [ $? = 3 ]'
	contains "$output" 'recording uprobes with perf requires root'
	[ ! -e "$(only_run)/perf.data" ]
	grep -q -x '.*;main;train;gemm;.*\[GPU\];tile 240000' "$(only_run)/folded.txt"
}

@test "our library: a command that uses no GPU leaves nothing" {
	with_cupti
	run -6 profile.sh gpu -- true
	contains "$output" 'true did not use a GPU'
	run ! only_run
}

@test "our library: of several processes the largest trace is analysed, and the others are kept" {
	with_cupti
	fake_line perf 'exit 255'
	run -0 profile.sh gpu -- sh -c './app quiet; ./app run; [ $? = 3 ]'
	contains "$output" 'several processes used the GPU'
	[ -s "$(only_run)/gpu.trace" ]
	[ "$(find "$(only_run)" -name 'gpu-*.trace' | wc -l)" = 1 ]
	contains "$output" 'softmax_rows'
}

@test "NVML: utilisation, memory and power, and it says that there are no kernels" {
	with_nvml
	run -0 profile.sh gpu -- sleep 0.3
	contains "$output" 'no kernels are recorded'
	dir=$(only_run)
	[ "$(head -n 1 "$dir/gpu.csv")" = \
		t_ns,device,util_pct,mem_util_pct,mem_used_bytes,mem_free_bytes,mem_total_bytes ]
	[ -s "$dir/power.csv" ]
	[ "$(of_run '[.mode, .recorder, .event, .status, .artifact.path] | tojson')" = \
		'["gpu","sample",null,"ok","gpu.csv"]' ]
	run -0 "$HOTDRIFT" query --db results/hotspots.db --csv 'SELECT DISTINCT kind FROM series ORDER BY kind'
	contains "$output" gpu
	contains "$output" power
}

@test "options of perf, --pid and --server do not go with gpu" {
	run -2 profile.sh gpu --freq 99 -- true
	contains "$output" '--freq applies to perf, which does not record gpu'
	run -2 profile.sh gpu --pid 1 -- true
	contains "$output" '--pid does not apply to gpu'
	run -2 profile.sh gpu --server ./srv -- true
	contains "$output" '--server does not apply to gpu'
	run -2 profile.sh gpu --exact -- true
	contains "$output" '--exact requires mode memory'
}

@test "all says in one line that there is no GPU and no power, which is no error" {
	fake perf
	export HOTDRIFT_SYSFS=$BATS_TEST_TMPDIR/sys
	mkdir -p "$HOTDRIFT_SYSFS"
	FAKE_RECORDING=$SHIPPED/perf.data run profile.sh all --no-bundle -- true
	[ "$(grep -c 'no GPU can be recorded here' <<<"$output")" = 1 ]
	[ "$(grep -c 'no power can be measured here' <<<"$output")" = 1 ]
	lacks "$output" 'these modes failed, see above: gpu'
	lacks "$output" 'these modes failed, see above: power'
	[ "$(cat results/2*/run.json | jq -r .mode | grep -c -x -e gpu -e power)" = 0 ]
	printf '[target app]\nrun = true\nmodes = gpu power\n' >hotdrift.ini
	run -6 profile.sh all --target app
	contains "$output" 'no mode was recorded, see above'
}

@test "all has gpu and power where they can work, and its page, too" {
	with_nsys
	with_nvml
	fake perf
	FAKE_RECORDING=$SHIPPED/perf.data run profile.sh all --no-bundle -- true
	[ "$(cat results/2*/run.json | jq -r .mode | grep -c -x -e gpu -e power)" = 2 ]
	grep -q 'data-name="gpu"' results/all-*/all.html
	grep -q 'data-name="power"' results/all-*/all.html
}

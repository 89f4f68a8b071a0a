#!/usr/bin/env bats
# batch.bats - test analyze of many recordings: each gets a folder, a line of JSON and a process; a second run continues
# the first

load helper

setup() {
	in_empty_folder
	SMALL=$TOP/fixtures/recordings/calls/perf.data
	SYMFS=$TOP/fixtures/recordings/calls/symfs
}

# recordings N: r/1/perf.data to r/N/perf.data
recordings() {
	local i

	for ((i = 1; i <= $1; i++)); do
		mkdir -p "r/$i"
		cp "$SMALL" "r/$i/perf.data"
	done
}

batch() { "$HOTDRIFT" analyze --symfs "$SYMFS" "$@"; }

# folder FILE [DIR]: print the folder of this recording, as docs/fleet.md describes it
folder() {
	printf '%s/%s-%s\n' "${2:-out}" \
		"$(printf %s "$1" | tail -c 60 | LC_ALL=C tr -c 'A-Za-z0-9.-' _ | sed 's/^[.-]/_/')" \
		"$(printf %s "$1" | sha256sum | head -c 32)"
}

# of FILE JQ-EXPRESSION: print the value of the expression in the log line of this recording
of() { jq -r --arg file "$1" "select(.file == \$file) | $2" log; }

child_of() { sed -n 's/^Pid:	//p' "$(grep -lsx "PPid:	$1" /proc/[0-9]*/status)" 2>/dev/null; }

# count FOLDER: print the number of entries in FOLDER
count() { find "$1" -mindepth 1 -maxdepth 1 | wc -l; }

# Print the temporary folder of the recording that start_blocked() does not finish.
unfinished() { folder r/fifo | sed 's,/,/.,; s/$/.tmp/'; }

# Start a batch that reads first r/1/perf.data and then the FIFO r/fifo, until the child waits for the FIFO.
start_blocked() {
	recordings 1
	mkfifo r/fifo
	"$HOTDRIFT" analyze --batch --symfs "$SYMFS" -o out r/1/perf.data r/fifo "$@" >log 2>errors &
	pid=$!
	until [ -d "$(folder r/1/perf.data)" ] && [ -d "$(unfinished)" ] && [ -n "$(child_of "$pid")" ]; do
		kill -0 "$pid"
	done
}

@test "each recording has a folder with the bytes of a single analysis, and a line with its events" {
	recordings 2
	run -0 --separate-stderr batch r/1/perf.data r/2/perf.data -o out
	[ -z "$stderr" ]
	echo "$output" >log
	[ "$(jq -r .file log | xargs)" = 'r/1/perf.data r/2/perf.data' ]
	for i in 1 2; do
		batch "r/$i/perf.data" -o single >/dev/null
		diff -r -x batch.json single "$(folder "r/$i/perf.data")"
		[ "$(of "r/$i/perf.data" .output)" = "$(folder "r/$i/perf.data")" ]
		cmp "$(folder "r/$i/perf.data")/batch.json" <(sed -n "${i}p" log)
	done
	[ "$(count out)" = 2 ]
	jq -e 'select(.format == "hotdrift.batch" and .version == 1 and .status == "ok" and .exit == 0
		and .error == null and .samples == 32 and .dropped == 0 and .lost_samples == 0
		and .bytes == 8464 and .cpu_s >= 0 and .peak_bytes > 0
		and .events == [{name: "cpu-clock:u", unit: "ns", samples: 32, weight: 64128256, lost: 0}])' log
}

@test "one operand is analyzed as before, with --batch as one of many" {
	recordings 1
	run -0 batch r/1/perf.data -o single
	contains "$output" 'cpu-clock:u: 32 samples'
	[ -s single/folded.txt ]
	[ ! -e single/batch.json ]
	run -0 batch --batch r/1/perf.data -o out
	[ "$(jq -r .status <<<"$output")" = ok ]
	[ -s "$(folder r/1/perf.data)/folded.txt" ]
}

@test "a damaged, an empty and a missing recording have their errors, and the others are analyzed" {
	recordings 2
	head -c 200 "$SMALL" >r/damaged
	: >r/empty
	run -5 --separate-stderr batch r/damaged r/1/perf.data r/absent r/empty r/2/perf.data -o out
	[ "$stderr" = 'hotdrift: error: 3 of 5 recordings failed; their lines have "status": "failed" and the error' ]
	echo "$output" >log
	[ "$(jq -r .status log | xargs)" = 'failed ok failed failed ok' ]
	for file in damaged absent empty; do
		[ "$(of "r/$file" .exit)" = 5 ]
		contains "$(of "r/$file" .error)" "r/$file: "
		[ ! -e "$(folder "r/$file")" ]
	done
	[ "$(count out)" = 2 ]
}

@test "the exit status is the highest one of the recordings" {
	recordings 2
	echo 'main;[unknown] 1' >r/folded
	run -1 batch --min-quality 50 r/folded r/1/perf.data -o out
	[ "$(jq -r .exit <<<"${lines[0]}")" = 1 ]
	[ "$(jq -r .exit <<<"${lines[1]}")" = 0 ]
	run -5 batch --min-quality 50 r/folded r/absent r/2/perf.data -o out
}

@test "names with line feeds, dashes and other bytes are files, not options; no two recordings share a folder" {
	mkdir names
	cd names
	files=($'new\nline' -o -- - --batch 'a b' a_b '$(touch x)' '../names/a b' run:1 $'\xff' ';' '"')
	for file in "${files[@]}"; do
		cp "$SMALL" "./$file"
	done
	printf '%s\0' "${files[@]}" >../list
	run -0 --separate-stderr batch --files-from ../list -0 -o ../out
	[ "${#lines[@]}" = "${#files[@]}" ]
	for line in "${lines[@]}"; do
		[ "$(jq -r .status <<<"$line")" = ok ]
	done
	[ "$(jq -r .output <<<"$output" | sort -u | wc -l)" = "${#files[@]}" ]
	for file in "${files[@]}"; do
		[ -s "$(folder "$file" ../out)/folded.txt" ]
	done
	[ ! -e x ]
	[ "$(jq -r .file <<<"${lines[0]}")" = 'new\x0aline' ]
}

@test "the next run skips what is complete, and analyzes again what has changed, has failed or is not complete" {
	recordings 4
	printf 'r/%s/perf.data\n' 1 2 3 4 bad >list
	batch --files-from list -o out >log || [ $? = 5 ]
	stat -c %i out/*/folded.txt >before
	run -5 batch --files-from list -o out
	[ "$(jq -r .status <<<"$output" | xargs)" = 'skipped skipped skipped skipped failed' ]
	stat -c %i out/*/folded.txt | cmp before -
	touch -d '2001-01-01' r/2/perf.data			# older than its results, but changed
	echo >>r/3/perf.data
	rm -r "$(folder r/4/perf.data)"
	mkdir r/bad
	cp "$SMALL" r/bad/perf.data
	run -0 batch --files-from list -o out
	[ "$(jq -r .status <<<"$output" | xargs)" = 'skipped ok ok ok ok' ]
	run -0 batch --files-from list -o out
	[ "$(jq -r .status <<<"$output" | sort -u)" = skipped ]
	run -0 batch --files-from list -o out --force
	[ "$(jq -r .status <<<"$output" | sort -u)" = ok ]
	[ "$(count out)" = 5 ]
}

@test "all slices together are the whole list, also at the same time and with several processes" {
	recordings 7
	find r -name perf.data | sort >list
	batch --files-from list -o whole >/dev/null
	for i in 1 2 3; do
		batch --files-from - --slice "$i/3" -P "$i" -o out <list >"log.$i" &
	done
	wait
	diff -r -x batch.json whole out
	cat log.? | jq -r .file | sort | cmp list -
	[ "$(cat log.? | jq -r .status | sort -u)" = ok ]
	run -0 batch --files-from list --slice 8/9 -o none
	[ -z "$output" ]
	run -2 batch --files-from list --slice 0/3 -o out
}

@test "a path that is listed twice is analyzed once" {
	recordings 2
	printf 'r/%s/perf.data\n' 1 1 2 2 1 >list
	run -0 batch --files-from list -P 4 -o out
	[ "$(jq -r .status <<<"$output" | sort | uniq -c | xargs)" = '2 ok 3 skipped' ]
}

@test "outputs that cannot be written are errors, and nothing that exists is lost" {
	recordings 2
	echo mine >out
	run -6 batch r/1/perf.data r/2/perf.data -o out
	contains "$output" 'out: is not a folder'
	[ "$(cat out)" = mine ]
	rm out
	mkdir -p "$(folder r/1/perf.data)"
	echo mine >"$(folder r/1/perf.data)/notes"
	run -6 --separate-stderr batch r/1/perf.data r/2/perf.data -o out
	[ "$(jq -r .status <<<"$output" | xargs)" = 'failed ok' ]
	contains "$output" 'has no batch.json, so it is not replaced; move it away'
	[ "$(cat "$(folder r/1/perf.data)/notes")" = mine ]
	run -6 sh -c "'$HOTDRIFT' analyze --batch r/2/perf.data r/1/perf.data -o full >/dev/full"
	[ "$output" = 'hotdrift: error: standard output: No space left on device' ]
	[ "$(count full)" = 1 ]
}

@test "a batch whose log nobody reads is completed" {
	recordings 3
	batch r/*/perf.data -o out | :
	[ "$(count out)" = 3 ]
}

@test "a recording whose process is killed fails alone" {
	start_blocked r/1/perf.data "$SMALL"
	kill -KILL "$(child_of "$pid")"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 6 ]
	[ "$(jq -r .status log | xargs)" = 'ok failed skipped ok' ]
	contains "$(of r/fifo .error)" 'r/fifo: its process was killed by signal 9'
	[ "$(count out)" = 2 ]
}

@test "a recording that needs more memory than the limit fails alone" {
	! nm "$HOTDRIFT" | grep -q __asan_init || skip 'AddressSanitizer reserves memory of its own'
	recordings 1
	awk 'BEGIN { for (i = 0; i < 300000; i++) print "app;main;function_with_a_long_enough_name_" i, 1 }' >r/large
	run -6 --separate-stderr bash -c "ulimit -v 80000
		'$HOTDRIFT' analyze --only folded.txt -P 1 -j 1 r/large r/1/perf.data -o out"
	[ "$(jq -r .status <<<"$output" | xargs)" = 'failed ok' ]
	contains "$(jq -r .error <<<"${lines[0]}")" 'r/large: hotdrift: error: out of memory'
}

@test "a recording whose process ends with a status that is not ours fails with this status" {
	command -v cc >/dev/null || skip 'no compiler'
	! nm "$HOTDRIFT" | grep -q __asan_init || skip 'sanitizers must be loaded first'
	cc -D_GNU_SOURCE -shared -fPIC -o other.so -x c - <<-'END'
		#include <sys/syscall.h>
		#include <unistd.h>
		void _exit(int status)
		{
			for (;;)
				syscall(SYS_exit_group, status ? status : 99);
		}
	END
	recordings 1
	LD_PRELOAD=$PWD/other.so run -6 --separate-stderr batch --batch r/1/perf.data -o out
	[ "$(jq -r .error <<<"$output")" = 'r/1/perf.data: its process exited with status 99' ]
	[ "$(count out)" = 0 ]
}

@test "SIGTERM and SIGINT end the batch, and the next run continues" {
	for signal in TERM INT; do
		rm -rf out r
		start_blocked
		child=$(child_of "$pid")
		kill "-$signal" "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" = 6 ]
		contains "$(cat errors)" "ended by SIG$signal; the same command continues where it ended"
		! kill -0 "$child"
		[ "$(ls -A out)" = "$(basename "$(folder r/1/perf.data)")" ]
		rm r/fifo
		cp "$SMALL" r/fifo
		run -0 batch r/1/perf.data r/fifo -o out
		[ "$(jq -r .status <<<"$output" | xargs)" = 'skipped ok' ]
	done
}

@test "a batch that is killed leaves no results that are taken for complete, and the next run replaces them" {
	start_blocked
	kill -KILL "$pid"
	wait "$pid" || :
	echo half >"$(unfinished)/folded.txt"
	flock "$(unfinished)" true		# wait until the child has ended, too, because it holds this lock
	rm r/fifo
	cp "$SMALL" r/fifo
	run -0 batch r/1/perf.data r/fifo -o out
	[ "$(jq -r .status <<<"$output" | xargs)" = 'skipped ok' ]
	[ "$(count out)" = 2 ]
	contains "$(cat "$(folder r/fifo)/folded.txt")" main
}

@test "two batches do not write the same folder at the same time" {
	start_blocked
	run -6 batch --batch r/fifo -o out
	contains "$(jq -r .error <<<"${lines[0]}")" 'another process is writing it'
	cat "$SMALL" >r/fifo
	wait "$pid"
	[ "$(jq -r .status log | xargs)" = 'ok ok' ]
}

# ---- uses of the results

@test "the flame graph of many recordings has the sum of their stacks, and memory for the distinct ones only" {
	awk 'BEGIN {
		for (i = 0; i < 2000; i++)
			print "app;main;layer_" i % 40 ";function_with_a_long_enough_name_" i, i % 7 + 1
	}' >one
	mapfile -t many < <(yes one | head -n 400)
	"$HOTDRIFT" flame "${many[@]}" -o all.svg
	"$HOTDRIFT" fold one | awk '{ n = $NF; sub(/ [0-9]*$/, ""); print $0, 400 * n }' >expected
	"$HOTDRIFT" fold all.svg | cmp expected -
	grep -q 'one and 399 others' all.svg
	! nm "$HOTDRIFT" | grep -q __asan_init || skip 'AddressSanitizer reserves memory of its own'
	run -0 bash -c "ulimit -v 80000; exec '$HOTDRIFT' flame -j 1 ${many[*]} -o all.svg"
}

@test "the recordings of a batch are added to a database, once, and its results if the recordings are gone" {
	export HOTDRIFT_DB=$PWD/fleet.db
	recordings 1
	mkdir r/2
	cp "$TOP/fixtures/recordings/two-events/perf.data" r/2/
	find r -name perf.data | sort >jobs.txt
	batch --files-from jobs.txt -o out >/dev/null
	for i in 1 2; do
		xargs -d '\n' -n 1 "$HOTDRIFT" add --once --commit none --target serve <jobs.txt
	done
	[ "$("$HOTDRIFT" query --csv 'SELECT count(*) FROM run' | tail -n 1)" = 2 ]
	for results in out/*/; do
		"$HOTDRIFT" add --once --commit none --target folded "$results/folded.txt"
	done
	[ "$("$HOTDRIFT" query --csv 'SELECT count(*) FROM run' | tail -n 1)" = 4 ]
}

# ---- the examples of docs/fleet.md

# Make what the commands of docs/fleet.md use: hotdrift in PATH, nine recordings, and jobs.txt with their paths.
pasted() {
	ln -s "$HOTDRIFT" "$BATS_TEST_TMPDIR/fakes/hotdrift"
	recordings 9
	mv r recordings
	find recordings -name '*.data' | sort >jobs.txt
}

# paste BEGIN: run the line of docs/fleet.md that begins with BEGIN
paste() {
	local line

	line=$(grep -F "    $1" "$TOP/docs/fleet.md" | head -n 1)
	[ -n "$line" ]
	bash -c "$line"
}

# Check that each recording of jobs.txt has one line in log.jsonl, and its results.
all_done() {
	jq -r .file log.jsonl | sort | cmp jobs.txt -
	[ "$(jq -r .status log.jsonl | sort -u)" = ok ]
	[ "$(count out)" = 9 ]
}

@test "docs/fleet.md: a batch from a list" {
	pasted
	rm jobs.txt
	paste "find recordings -name '*.data' > jobs.txt"
	paste 'hotdrift analyze --files-from jobs.txt'
	sort -o jobs.txt jobs.txt
	all_done
}

@test "docs/fleet.md: xargs, which has one recording left for the last command" {
	pasted
	paste 'find recordings -name '"'*.data'"' -print0 | xargs'
	all_done
	rm -r out log.jsonl
	find recordings -name '*.data' -print0 | xargs -0 -n 4 -P 2 hotdrift analyze --batch -o out -- >>log.jsonl
	all_done
}

@test "docs/fleet.md: GNU parallel" {
	parallel --version 2>/dev/null | grep -q 'GNU parallel' || skip 'no GNU parallel'
	pasted
	paste 'seq 8 | parallel'
	all_done
}

@test "docs/fleet.md: the tasks of a Slurm array" {
	pasted
	for i in 1 2 3 4; do
		SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=4 SLURM_CPUS_PER_TASK=2 \
			sh "$TOP/docs/fleet/slurm-array.sh" jobs.txt out >>log.jsonl
	done
	all_done
	[ "$(grep -c SBATCH "$TOP/docs/fleet/slurm-array.sh")" = \
		"$(grep -c '^#SBATCH --[a-z-]*=[^ ]*$' "$TOP/docs/fleet/slurm-array.sh")" ]
}

@test "docs/fleet.md: the pods of a Kubernetes Job" {
	python3 -c 'import yaml' 2>/dev/null || skip 'no yaml module of python3'
	pasted
	python3 - "$TOP/docs/fleet/kubernetes-job.yaml" >pod.sh <<-'END'
		import sys, yaml
		job = yaml.safe_load(open(sys.argv[1]))
		spec = job['spec']
		container, = spec['template']['spec']['containers']
		assert (job['apiVersion'], job['kind'], spec['completionMode']) == ('batch/v1', 'Job', 'Indexed')
		assert spec['template']['spec']['restartPolicy'] == 'Never'	# podFailurePolicy requires it
		assert spec['podFailurePolicy']['rules'][0]['onExitCodes']['containerName'] == container['name']
		assert container['command'] == ['sh', '-c'] and spec['completions'] == 8
		mounts = [m['name'] for m in container['volumeMounts']]
		assert mounts == [v['name'] for v in spec['template']['spec']['volumes']]
		text, = container['args']
		print(text.replace('/data/', ''))
	END
	for i in 0 1 2 3 4 5 6 7; do
		JOB_COMPLETION_INDEX=$i sh pod.sh >>log.jsonl
	done
	all_done
}

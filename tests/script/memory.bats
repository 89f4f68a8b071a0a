#!/usr/bin/env bats
# memory.bats - test that profile.sh memory records the allocations of every process of a command and stores the run

load helper

setup() {
	in_empty_folder
	[ -f "$(dirname "$HOTDRIFT")/libhotdrift-heap.so" ] ||
		skip "libhotdrift-heap.so is for x86-64 and aarch64 Linux"
}

@test "options of perf do not go with memory, nor memory's with cpu" {
	run -2 profile.sh memory --freq 99 -- true
	contains "$output" '--freq applies to perf, which does not record memory'
	run -2 profile.sh memory --max-size 1M -- true
	contains "$output" \
		'--max-size does not apply to memory: a recording of allocations grows with distinct call stacks'
	run -2 profile.sh memory --exact --interval 4K -- true
	contains "$output" '--exact and --interval exclude each other'
	run -2 profile.sh cpu --exact -- true
	contains "$output" '--exact requires mode memory'
	run -2 profile.sh memory --adaptive --interval 4K -- true
	contains "$output" '--adaptive chooses the interval'
	run -2 profile.sh cpu --mmap -- true
	contains "$output" '--mmap requires mode memory'
	for wrong in 0 5X 9G soon; do
		run -2 profile.sh memory --interval "$wrong" -- true
		contains "$output" '--interval takes bytes'
	done
}

@test "a run has its recording, pictures by event, and a row of mode memory" {
	run -0 profile.sh memory --exact -- sort /etc/passwd
	contains "$output" 'allocated: '
	dir=$(only_run)
	for file in heap.data folded.txt flamegraph.svg flamegraph-peak.svg top5.txt report.html report.md \
		info.json dhat-heap.json run.json; do
		[ -s "$dir/$file" ]
	done
	[ ! -e "$dir/parts" ]
	[ "$(stat -c %a "$dir/heap.data")" = 600 ]
	[ "$(of_run .mode)" = memory ]
	[ "$(of_run .interval)" = 1 ]
	[ "$(of_run .artifact.path)" = heap.data ]
	[ "$(of_run .status)" = ok ]
	run -0 "$HOTDRIFT" log --db results/hotspots.db --json
	contains "$output" '"mode": "memory"'
}

@test "the command's output, input and exit status are its own" {
	run -6 --separate-stderr profile.sh memory --no-db -- sh -c 'read -r line; echo "got $line"; exit 7' <<<'a line'
	contains "$output" 'got a line'
	[ "$(of_run .exit_status)" = 7 ]
	[ "$(of_run .status)" = failed ]
}

@test "a path with an equals sign is the program, not a variable" {
	mkdir opt=3
	cp "$(type -P sleep)" opt=3/app
	run -0 profile.sh memory --no-db -- opt=3/app 0.1
	[ "$(of_run '[.target, .status] | tojson')" = '["app","ok"]' ]
	rm -r results
	run -0 profile.sh memory --no-db --rss none --ready 'sleep 0.3' \
		--server 'trap "exit 0" TERM; while :; do sleep 0.1; done' -- opt=3/app 0.1
	[ "$(of_run .status)" = ok ]
}

@test "each process has a recording, the command's own first" {
	run -0 profile.sh memory --exact --no-db -- sh -c 'sort /etc/passwd >sorted; wc -l <sorted >lines; :'
	run -0 "$HOTDRIFT" report --by comm --event allocations "$(only_run)/heap.data"
	contains "$output" sort
	contains "$output" wc
	run -0 "$HOTDRIFT" info --json "$(only_run)/heap.data"
	contains "$output" '"sh"'
}

@test "recordings of processes that cannot be put behind each other stay where they are, and the run is marked failed" {
	for most in 0 1; do	# the number of recordings that are copied before the disk is full
		rm -rf results heads
		fake_line head "case \$1:\$# in
			-c:4) echo >>heads
				[ \$(wc -l <heads) -le $most ] || { /usr/bin/head -c 600 -- \$4; exit 1; } ;;
			esac
			exec /usr/bin/head \"\$@\""
		run -6 profile.sh memory --exact --rss none --no-db -- sh -c 'sort /etc/passwd; wc /etc/passwd; :'
		contains "$output" 'could not be concatenated (is the disk full?)'
		[ "$(find results -name 'r.*' | wc -l)" = $((3 - most)) ]
		[ "$most" = 0 ] || [ "$(of_run .status)" = failed ]
		[ "$most" = 0 ] || [ "$("$HOTDRIFT" info --json "$(only_run)/heap.data" |
			jq -c '[.warnings[] | select(.code | startswith("lost"))]')" = '[]' ]
	done
}

@test "a command killed by a signal leaves what it allocated" {
	run -6 profile.sh memory --exact --no-db -- sh -c 'kill -KILL $$'
	[ -s "$(only_run)/heap.data" ]
	[ "$(of_run .status)" = failed ]
}

# A program that allocates 40 MB, creates the file `ready`, and waits for a signal.
waiting_program() {
	command -v gcc >/dev/null || skip "no compiler"
	cat >w.c <<-'END'
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	static volatile sig_atomic_t told;
	static void own(int sig) { told = sig; }
	int main(int argc, char **argv)
	{
		char *block = malloc(40000000);
		memset(block, 1, 40000000);
		if (argc > 1)
			signal(SIGTERM, own);
		fclose(fopen("ready", "w"));
		while (!told)
			pause();
		return block == NULL;
	}
	END
	gcc -O0 -g -o w w.c
}

@test "a program that is killed before the first write is reported as such, and has its resident memory" {
	waiting_program
	run profile.sh memory --exact --rss statm --no-db -- sh -c './w &
		while [ ! -e ready ]; do :; done; kill -KILL $!; wait'
	contains "$output" '(w) was killed before the recorder had written its allocations'
	lacks "$output" 'older version'
	[ -s "$(only_run)/memory.csv" ]
}

@test "a program that exits when --duration sends SIGTERM has all its allocations" {
	waiting_program
	run -0 profile.sh memory --exact --rss statm --no-db --duration 1 -- ./w handler
	lacks "$output" 'killed before'
	grep -q '^w;.*main[^;]* 40000000$' "$(only_run)/folded-leaked.txt"
	rm -r results
	run -0 profile.sh memory --exact --rss statm --no-db --duration 1 -- ./w
	contains "$output" '(w) was killed before the recorder had written its allocations'
	# it lived for a second
	awk -F, 'NR > 1 && $2 > 40000000 { found = 1 } END { exit !found }' "$(only_run)/memory.csv"
}

@test "a command that allocates less than one sample is fine, and what it allocated is told" {
	run -0 profile.sh memory --interval 4G -- sort /etc/passwd
	contains "$output" 'no allocation was sampled: '
	contains "$output" 'record with --exact, or with a smaller --interval'
	[ "$(of_run .status)" = ok ]
	[ -s "$(only_run)/flamegraph.svg" ]
}

@test "--adaptive begins with every allocation, --mmap counts what is mapped" {
	run -0 profile.sh memory --adaptive --no-db -- sort /etc/passwd
	[ "$(of_run .interval)" = 1 ]
	command -v gcc || skip "no compiler"
	printf '%s\n' '#include <stdlib.h>' '#include <sys/mman.h>' \
		'int main(void) { free(malloc(1));' \
		'return mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED; }' >m.c
	gcc -o m m.c
	run -0 profile.sh memory --exact --mmap --no-db --result-path where -- ./m
	grep 'main;.*mmap[^;]* 1048576$' "$(cat where)/folded.txt"
}

@test "a program without a dynamic linker is told, and leaves nothing behind" {
	command -v gcc || skip "no compiler"
	echo 'int main(void) { return 0; }' >s.c
	gcc -static -o static s.c || skip "no static C library"
	run -6 profile.sh memory --no-db -- ./static
	contains "$output" 'no allocation of ./static was seen'
	[ -z "$(find results -type f)" ]
}

@test "the library may lie where LD_PRELOAD cannot name it" {
	mkdir 'a b:c'
	cp "$(dirname "$HOTDRIFT")/libhotdrift-heap.so" 'a b:c/'
	export HOTDRIFT_HEAP_LIBRARY=$PWD/a\ b:c/libhotdrift-heap.so
	run -0 profile.sh memory --exact --no-db -- sort /etc/passwd
	contains "$output" 'allocated: '
	run "$HOTDRIFT" doctor --json
	[ "$(jq '.modes[] | select(.mode == "memory") | .state' <<<"$output")" = '"full"' ]
	[ -z "$(find "$TMPDIR" -name 'hotdrift-*')" ]
}

@test "--check says whether it would work" {
	run -0 profile.sh memory --check
	contains "$output" 'records allocations here'
}

@test "memory_profile.sh is a door to it" {
	run -0 memory_profile.sh --exact --no-db -- sort /etc/passwd
	[ "$(of_run .mode)" = memory ]
}

# ---- memory through time

@test "memory.csv has resident memory through time, and the row of the run its peak" {
	run -0 profile.sh memory --exact --rss statm -- sh -c 'sort /etc/passwd; sleep 0.3'
	contains "$output" 'resident memory from statm'
	dir=$(only_run)
	[ "$(head -n 1 "$dir/memory.csv")" = \
		timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes ]
	[ "$(of_run .rss_source)" = statm ]
	# Times are within the second of the run or the seconds next to it, in UNIX microseconds; classes without
	# rules are 0.
	began=$(date -d "$(of_run .time)" +%s)
	awk -F, -v began="$began" '
		NR > 1 && ($1 < (began - 2) * 1e6 || $1 > (began + 3600) * 1e6 || $3 $4 $5 != "000") { wrong = 1 }
		END { exit wrong || NR < 2 }' "$dir/memory.csv"
	run -0 "$HOTDRIFT" query --db results/hotspots.db --csv \
		"SELECT samples FROM v_series WHERE kind = 'memory' AND name = 'kv_cache_bytes' LIMIT 1"
	contains "$output" 0
	run -0 "$HOTDRIFT" query --db results/hotspots.db --csv \
		'SELECT COUNT(*) FROM v_run_summary WHERE peak_rss_bytes >= mean_rss_bytes'
	contains "$output" 8
}

@test "--rss none without rules has no timeline" {
	run -0 profile.sh memory --exact --rss none --no-db -- sort /etc/passwd
	[ ! -e "$(only_run)/memory.csv" ]
	[ "$(of_run .rss_source)" = null ]
	run -2 profile.sh memory --rss smaps -- true
	contains "$output" '--rss takes auto, rss_stat, statm or none'
	run -2 profile.sh cpu --kv-cache 'f*' -- true
	contains "$output" '--rss and classes of blocks require mode memory'
}

@test "rules of hotdrift.ini make columns of memory.csv" {
	cat >hotdrift.ini <<-'END'
		[target sorter]
		run = sort /etc/passwd
		modes = memory
		kv_cache = main,
		           nothing_like_it*
		temp_buffer = *never*
	END
	run -0 profile.sh memory --exact --rss none --no-db --target sorter
	awk -F, 'NR > 1 && $3 > 0 { live = 1 } NR > 1 && ($2 != "" || $4 != "0" || $5 != 0) { wrong = 1 }
		END { exit wrong || NR < 2 }' "$(only_run)/memory.csv"
}

@test "beside a memory CSV of the command's own the timeline has another name" {
	cat >own.sh <<-'END'
	echo timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes >own.csv
	echo 1,2,3,4,5 >>own.csv
	sort /etc/passwd; sleep 0.3
	END
	run -0 profile.sh memory --exact --exact --rss statm --memory own.csv -- sh own.sh
	[ "$(tail -n 1 "$(only_run)/memory.csv")" = 1,2,3,4,5 ]
	[ -s "$(only_run)/timeline.csv" ]
}

@test "where perf may not record rss_stat, statm is asked, or the run refused" {
	fake perf
	export FAKE_PERF=denied
	run -0 profile.sh memory --exact --no-db -- sh -c 'sort /etc/passwd; sleep 0.3'
	[ "$(of_run .rss_source)" = statm ]
	rm -r results
	run -6 profile.sh memory --rss rss_stat --no-db -- touch made
	contains "$output" '--rss rss_stat: perf may not record kmem:rss_stat here'
	[ ! -e made ]
	[ -z "$(find results -type f)" ]
}

@test "each change of resident memory is recorded where perf may" {
	need_clock_of_perf
	run profile.sh memory --exact --rss rss_stat --no-db -- sort /etc/passwd
	if [ "$status" = 6 ]; then
		contains "$output" '--rss rss_stat: '
		skip "perf may not record kmem:rss_stat here"
	fi
	[ "$status" = 0 ]
	[ "$(of_run .rss_source)" = rss_stat ]
	awk -F, 'NR > 1 && $2 > most { most = $2 } END { exit most < 100000 }' "$(only_run)/memory.csv"
}

@test "an interrupt before the command has begun is not forgotten" {
	fake_line perf 'case $* in *rss_stat*) touch attaching; exec timeout 60 tail -f /dev/null ;; esac
		echo "perf version 9.9.fake"'
	env --default-signal=INT profile.sh memory --no-db -- touch ran >out 2>&1 3>&- &
	signal_when attaching INT $!
	[ "$status" = 6 ]
	[ ! -e ran ]
	contains "$(cat out)" 'interrupted by SIGINT'
	[ -z "$(find results -type f)" ]
}

# ---- page faults

@test "page faults do not go with what is about allocations" {
	for wrong in --exact --interval=4K --adaptive --mmap --rss=statm --kv-cache=x; do
		run -2 profile.sh memory --faults $wrong -- true
		contains "$output" '--faults records page faults, not allocations'
	done
	run -2 profile.sh cpu --faults -- true
	contains "$output" '--faults requires mode memory'
}

@test "page faults have a flamegraph, a list, and a row of mode faults" {
	command -v perf || skip "perf is not installed"
	perf record -q -N -e page-faults:u -c 1 -o "$TMPDIR/probe" -- true 2>/dev/null ||
		skip "perf records no page faults here"
	run -0 profile.sh memory --faults -- sort /etc/passwd
	contains "$output" 'page-faults'
	for file in perf.data folded.txt flamegraph.svg faults.txt top5.txt run.json; do
		[ -s "$(only_run)/$file" ]
	done
	[ "$(of_run .mode)" = faults ]
	grep -q '^sort;' "$(only_run)/folded.txt"
	run -0 "$HOTDRIFT" log --db results/hotspots.db --json
	contains "$output" '"mode": "faults"'
}

@test "an unprivileged user's page faults are thinned" {
	fake perf
	fake_user
	printf '2\n' >paranoid
	export HOTDRIFT_PARANOID_FILE=$PWD/paranoid FAKE_LOG=$PWD/log FAKE_RECORDING=$SHIPPED/perf.data
	run profile.sh memory --faults --no-db -- true
	grep -q -e '-c 64 .*-e page-faults:u,major-faults:u' log
	[ "$(of_run '[.freq, .period] | tojson')" = '[null,64]' ]
}

#!/usr/bin/env bats
# profile.sh memory: allocations recorded, every process of a command, kept and remembered

load helper

setup() {
	in_empty_folder
	[ -f "$(dirname "$HOTDRIFT")/libhotdrift-heap.so" ] || skip "libhotdrift-heap.so is for x86-64 Linux"
}

@test "options of perf do not go with memory, nor memory's with cpu" {
	run -2 profile.sh memory --freq 99 -- true
	contains "$output" '--freq is for perf, which does not record memory'
	run -2 profile.sh memory --exact --interval 4K -- true
	contains "$output" '--exact and --interval exclude each other'
	run -2 profile.sh cpu --exact -- true
	contains "$output" '--exact goes with memory'
	run -2 profile.sh memory --adaptive --interval 4K -- true
	contains "$output" '--adaptive chooses the interval'
	run -2 profile.sh cpu --mmap -- true
	contains "$output" '--mmap goes with memory'
	for wrong in 0 5X 9G soon; do
		run -2 profile.sh memory --interval "$wrong" -- true
		contains "$output" '--interval takes bytes'
	done
}

@test "a run has its recording, pictures by event, and a row of mode memory" {
	run -0 profile.sh memory --exact -- sort /etc/passwd
	contains "$output" 'allocated: '
	dir=$(only_run)
	for file in heap.data folded.txt flamegraph.svg flamegraph-peak.svg top5.txt report.md info.json run.json; do
		[ -s "$dir/$file" ]
	done
	[ ! -e "$dir/parts" ]
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

@test "each process has a recording, the command's own first" {
	run -0 profile.sh memory --exact --no-db -- sh -c 'sort /etc/passwd >sorted; wc -l <sorted >lines; :'
	run -0 "$HOTDRIFT" report --by comm --event allocations "$(only_run)/heap.data"
	contains "$output" sort
	contains "$output" wc
	run -0 "$HOTDRIFT" info --json "$(only_run)/heap.data"
	contains "$output" '"sh"'
}

@test "a command killed by a signal leaves what it allocated" {
	run -6 profile.sh memory --exact --no-db -- sh -c 'kill -KILL $$'
	[ -s "$(only_run)/heap.data" ]
	[ "$(of_run .status)" = failed ]
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
		'int main(void) { free(malloc(1)); return mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED; }' >m.c
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

@test "--check says whether it would work" {
	run -0 profile.sh memory --check
	contains "$output" 'records allocations here'
}

@test "memory_profile.sh is a door to it" {
	run -0 memory_profile.sh --exact --no-db -- sort /etc/passwd
	[ "$(of_run .mode)" = memory ]
}

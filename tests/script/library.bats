#!/usr/bin/env bats
# library.bats - test that programs can link an installed libhotdrift by pkg-config, statically and dynamically, and
# that its results agree with those of hotdrift

load helper

setup() {
	in_empty_folder
	O=$(dirname "$HOTDRIFT")
	[ -e "$O/libhotdrift.so" ] || skip 'libhotdrift was not built'
	command -v pkg-config >/dev/null || skip 'no pkg-config'
	case ${SAN:-} in ?*) skip 'the library is not instrumented' ;; esac
	ROOT=$BATS_FILE_TMPDIR/root	# the tests only read the installed files
	# -o: the libraries are used as they are, whatever flags this make has
	[ -d "$ROOT" ] || make -s -C "$TOP" -o "$O/libhotdrift.a" -o "$O/libhotdrift.so" O="$O" DESTDIR="$ROOT" \
		PREFIX=/usr install-library
	export PKG_CONFIG_LIBDIR=$ROOT/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$ROOT
	export LD_LIBRARY_PATH=$ROOT/usr/lib
}

# compile COMPILER FILE OUTPUT [static]: compile FILE and link it with the installed library
compile() {
	# shellcheck disable=SC2046	# words
	if [ "${4:-}" = static ]; then
		"$1" -Wall -Wextra -Werror -o "$3" "$2" $(pkg-config --cflags hotdrift) "$ROOT/usr/lib/libhotdrift.a" \
			$(pkg-config --static --libs-only-other --libs-only-l hotdrift | sed 's/-lhotdrift//')
	else
		"$1" -Wall -Wextra -Werror -o "$3" "$2" $(pkg-config --cflags --libs hotdrift)
	fi
}

declared() {
	cc -E -P -x c "$TOP/include/hotdrift.h" | grep -oE '\bhd_[a-z0-9_]+\(' | tr -d '(' | sort -u
}

@test "the shared library exports the functions of hotdrift.h and nothing else" {
	nm -D --defined-only "$O/libhotdrift.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
	diff <(declared) exported
}

@test "all names of the static library are local, except the functions of hotdrift.h" {
	nm -g --defined-only "$O/libhotdrift.a" | awk 'NF == 3 { print $3 }' | sort >global
	diff <(declared) global
}

@test "the table of the ABI has all structures of hotdrift.h" {
	grep -oE '^struct hd_[a-z0-9_]+ \{' "$TOP/include/hotdrift.h" | sed 's/struct \(.*\) {/\1/' | sort >structures
	grep -oE 'STRUCT\(hd_[a-z0-9_]+' "$TOP/tests/unit/track/abi.c" | sed 's/STRUCT(//' | sort >pinned
	diff structures pinned
}

@test "the shared library needs the C library only and has a versioned name" {
	readelf -d "$O/libhotdrift.so" >dynamic
	grep -q 'SONAME.*\[libhotdrift.so.1\]' dynamic
	run sh -c "sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' dynamic | grep -v -e '^libc\.' -e '^libm\.' -e '^ld-'"
	[ "$output" = '' ]
}

@test "the static library calls nothing that ends the process, prints, or changes signal handlers" {
	forbidden='abort|exit|_exit|quick_exit|printf|puts|perror|fputs|signal|sigaction|raise|kill|__assert_fail'
	run sh -c "nm -u '$O/libhotdrift.a' | awk '{ print \$2 }' | grep -xE '$forbidden'"
	[ "$output" = '' ]
}

@test "a C program links both libraries by pkg-config, and hotdrift computes the same from its files" {
	compile cc "$TOP/tests/library/measures.c" shared
	compile cc "$TOP/tests/library/measures.c" static static
	run ! sh -c "readelf -d static | grep -q 'NEEDED.*hotdrift'"
	./static >static.txt
	LD_LIBRARY_PATH='' ./static >/dev/null
	./shared >shared.txt
	diff <(grep -vE 'joules|watts|rss' static.txt) <(grep -vE 'joules|watts|rss' shared.txt)
	value() { awk -v name="$1" '$1 == name { print $2 }' shared.txt; }
	command -v jq >/dev/null || skip 'no jq'

	"$HOTDRIFT" stats --json latency.csv >stats.json
	# jq 1.7 compares the digits of numbers that it has not changed; `+ 0` makes them doubles.
	jq -e --argjson mean "$(value mean)" --argjson std "$(value std)" --argjson p95 "$(value p95)" \
		--argjson lo "$(value mean_lo)" --argjson hi "$(value p95_hi)" '.columns.wall_time_us
		| .mean + 0 == $mean + 0 and .std + 0 == $std + 0 and .p95 + 0 == $p95 + 0
		and .ci.mean[0] + 0 == $lo + 0 and .ci.p95[1] + 0 == $hi + 0' stats.json

	"$HOTDRIFT" energy --json power.csv >energy.json
	jq -e --argjson joules "$(value joules)" --argjson peak "$(value peak_watts)" \
		'(.total_joules - $joules | fabs) <= 1e-9 * $joules and .peak_watts + 0 == $peak + 0' energy.json

	"$HOTDRIFT" stats --json memory.csv >memory.json
	jq -e --argjson mean "$(value kv_mean)" --argjson peak "$(value rss_peak)" \
		'.columns.kv_cache_bytes.mean + 0 == $mean + 0 and .columns.peak_rss_bytes.max == $peak' memory.json

	printf '{"lambda": 0.1, "b": [1e16, "\\u00e9"]}' >c.json
	[ "$("$HOTDRIFT" hash c.json)" = "$(value digest)" ]
}

@test "a C++ program measures a block by the class, also when an exception leaves it" {
	command -v c++ >/dev/null || skip 'no C++ compiler'
	compile c++ "$TOP/tests/library/scope.cpp" scope
	run ./scope
	[ "$status" = 0 ]
	[ "$output" = "block 2 0
thrown 1 0" ]
}

@test "clang compiles the header as C and as C++" {
	command -v clang >/dev/null || skip 'no clang'
	compile clang "$TOP/tests/library/measures.c" measures
	./measures >/dev/null
	clang -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c "$TOP/include/hotdrift.h"
	clang++ -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ "$TOP/include/hotdrift.h"
}

@test "ThreadSanitizer finds no race while eight threads use every part" {
	cc -fsanitize=thread -x c - -o probe <<<'int main(void) { return 0; }' 2>probe.err && ./probe ||
		skip 'cc has no ThreadSanitizer that runs here'
	cc -std=gnu11 -g -O1 -fsanitize=thread -D_GNU_SOURCE -DHD_VERSION='"test"' -I"$TOP/src" -I"$TOP/include" \
		"$TOP"/tests/library/threads.c "$TOP"/src/track/*.c "$TOP"/src/stats/*.c -o threads -lm -pthread
	run ./threads
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = '4 names' ]
}

@test "memgraph, built with the library, writes four reports, and its JSON becomes a run" {
	make -s -C "$TOP/fixtures/workloads/memgraph" O="$PWD/build" HOTDRIFT="$O" tracked
	MEMGRAPH_REPORTS=$PWD run -0 build/tracked/memgraph run --nodes 500 --queries 20 --candidates 50
	jq -e '.format == "hotdrift.library" and .version == 1 and .program == "memgraph"' report.json
	[ "$(jq -r '.operations[] | [.name, .count] | @tsv' report.json | sort)" = \
		"$(printf '%s\t%s\n' cosine_query 20 decay_batch 10 graph_create 2 spread_query 20)" ]
	[ "$(jq -c '[.latency[0].n, .memory[0].snapshots, .allocations[0].name,
		.allocations[0].live_blocks]' report.json)" = '[20,4,"embeddings",0]' ]
	grep -q '^  calls .* operation$' report.txt
	grep -q '^| `spread_query` | 20 |' report.md
	[ "$(grep -c '<td class="t n">spread_query</td>' report.html)" = 1 ]
	lacks "$(cat report.html)" '<script'
	run -0 "$HOTDRIFT" add --report report.json --target memgraph --commit none --db h.db
	run -0 "$HOTDRIFT" show latest --db h.db
	contains "$output" 'mode         library'
	contains "$output" 'spread_query ([libhotdrift])'
	contains "$output" 'wall_time_us'
}

@test "a thread may exit after the library was closed, and its totals are kept" {
	cc -Wall -Wextra -Werror -I"$TOP/include" "$TOP/tests/library/unload.c" -o unload -pthread -ldl
	run ./unload "$ROOT/usr/lib/libhotdrift.so"
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = 'ended 1, unbalanced 1' ]
}

#!/usr/bin/env bats
# bench.bats - test the parts of make bench without measuring: its timer, its arithmetic, and its tables of fixed
# results
# shellcheck disable=SC2034	# here, work, SIZES, ...: what run.sh sets for the parts it sources

load helper

setup() {
	in_empty_folder
	bench=$TOP/tests/bench
	here=$bench
	work=$PWD
	# shellcheck source=/dev/null
	for part in recordings measure tables; do . "$bench/lib/$part.sh"; done
}

# ---- the timer

timer() { "${CC:-gcc}" -O2 -o timer "$bench/cpu.c"; }

@test "the timer writes CPU, wall, memory and how it ended" {
	timer
	run -0 ./timer timings 0 true
	run -0 ./timer timings 0 sh -c 'exit 3'
	[ "$(awk '{ print NF, $4 }' timings)" = $'4 ok\n4 failed' ]
	awk '$1 < 0 || $2 <= 0 || $3 < 100 { exit 1 }' timings
}

@test "the timer counts the CPU time of descendants, and of orphans" {
	timer
	work='BEGIN { for (i = 0; i < 3000000; i++) n += i }'
	run -0 ./timer timings 0 sh -c 'awk "$1" & exit 0' - "$work"
	./timer timings 0 awk "$work"
	# The shell alone takes some milliseconds.  On a busy machine the same work can take several times as long.
	awk '{ cpu[NR] = $1 } END { exit !(cpu[1] > cpu[2] / 8) }' timings
}

@test "the timer stops a command at its limit, with its children, and says so" {
	timer
	run -0 ./timer timings 1 sh -c 'while :; do :; done | while :; do :; done'
	[ "$(awk '{ print $4 }' timings)" = limit ]
	awk '{ exit !($1 > 0.01 && $2 < 100) }' timings
}

# ---- arithmetic

@test "the median of an odd number of values is the middle one, of an even number between two" {
	[ "$(printf '3\n1\n200\n' | median)" = 3 ]
	[ "$(printf '1\n4\n2\n100\n' | median)" = 3 ]
	[ "$(printf '0.5\n' | median)" = 0.5 ]
	[ -z "$(median </dev/null)" ]
}

@test "the summary of a command's runs has medians and the worst status" {
	printf '1.0 2.0 100 ok\n3.0 9.0 300 ok\n2.0 4.0 200 limit\n' >timings
	[ "$(summary cpp.dw.m script timings)" = $'time\tcpp.dw.m\tscript\t2.0\t4.0\t200\t3\tlimit' ]
}

@test "recordings are chosen by size or by name" {
	ONLY='' SIZES='s l'
	contains "$(recording_names)" cpp.dw.s
	contains "$(recording_names)" sys.dw.l
	lacks "$(recording_names)" cpp.dw.m
	ONLY='cpp.dw.z.m c.fp.s nothing.dw.s'
	[ "$(recording_names)" = $'c.fp.s\ncpp.dw.z.m' ]
	[ "$(workload_of cpp.dw.z.m) $(mode_of cpp.dw.z.m) $(size_of cpp.dw.z.m)" = 'cpp dw.z m' ]
	[ "$(mode_of c.fp.s)" = fp ]
}

@test "every recording has a frequency, a size and a buffer" {
	ONLY='' SIZES='s m l'
	for name in $(recording_names); do
		[ -n "$(frequency "$(mode_of "$name")" "$(size_of "$name")")" ]
		[ -n "$(bytes_wanted "$(size_of "$name")")" ] && [ -n "$(ring_of "$(size_of "$name")")" ]
	done
}

# ---- goals

# Write goals.tsv with one goal: our-all is 8 times as fast as script-plain on a.dw.l and b.dw.l, 6 times on c.dw.l.
one_goal() {
	here=$PWD
	mkdir -p lib
	cp "$bench"/lib/*.awk lib/
	printf '# a comment\nWORK\tPEER\tour-all\tscript-plain\tcpu\tdw\tl\ta b c\t8 c=6\n' >goals.tsv
}
result() {	# RECORDING OUR_CPU PEER_CPU [STATUS]
	printf 'rec\t%s\t1000000\t1000\n' "$1"
	printf 'time\t%s\tour-all\t%s\t%s\t1024\t3\tok\n' "$1" "$2" "$2"
	printf 'time\t%s\tscript-plain\t%s\t%s\t2048\t3\t%s\n' "$1" "$3" "$3" "${4:-ok}"
}
verdict() { goal_table results.tsv | tail -1 | awk -F'|' '{ gsub(/^ *| *$/, "", $8); print $8 }'; }

@test "a goal is reached when the median reaches it and none is below two thirds" {
	one_goal
	{ result a.dw.l 1 8; result b.dw.l 1 5.4; result c.dw.l 1 9; } >results.tsv
	[ "$(verdict)" = reached ]
	contains "$(goal_table results.tsv)" '| a 8.00, b 5.40, c 9.00 | 8.00 | 5.40 | 8 c=6 |'
}

@test "a goal is missed below its median, and with one below two thirds" {
	one_goal
	{ result a.dw.l 1 7.9; result b.dw.l 1 7.9; result c.dw.l 1 60; } >results.tsv
	[ "$(verdict)" = MISSED ]
	{ result a.dw.l 1 80; result b.dw.l 1 5.3; result c.dw.l 1 80; } >results.tsv
	[ "$(verdict)" = MISSED ]
}

@test "a workload may have a goal of its own" {
	one_goal
	result c.dw.l 1 6 >results.tsv
	[ "$(verdict)" = reached ]
	result a.dw.l 1 6 >results.tsv
	[ "$(verdict)" = MISSED ]
}

@test "of workloads that stand for one another the first that was measured counts" {
	one_goal
	sed -i 's/a b c/a b|c/' goals.tsv
	{ result a.dw.l 1 8; result b.dw.l 1 9; result c.dw.l 1 1; } >results.tsv
	contains "$(goal_table results.tsv)" '| a 8.00, b 9.00 |'
	{ result a.dw.l 1 8; result c.dw.l 1 7; } >results.tsv
	contains "$(goal_table results.tsv)" '| a 8.00, c 7.00 |'
}

@test "without a recording of its size, a goal is told for a smaller one, and not judged" {
	one_goal
	{ result a.dw.m 1 2; result b.dw.s 1 50; } >results.tsv
	[ "$(verdict)" = 'below at 110 MB, not judged' ]
	result a.dw.s 1 20 >results.tsv
	[ "$(verdict)" = 'reached at 10 MB, not judged' ]
	: >results.tsv
	[ "$(verdict)" = 'not measured' ]
}

@test "a peer that was stopped counts as at least what it used; one that failed does not count" {
	one_goal
	result a.dw.l 1 120 limit >results.tsv
	[ "$(verdict)" = reached ]
	contains "$(goal_table results.tsv)" '| a >120 |'
	result a.dw.l 1 120 failed >results.tsv
	[ "$(verdict)" = 'not measured' ]
}

@test "a limit of memory may grow by the symbol data" {
	one_goal
	printf 'WORK\tLIMIT\tour-all\t1000+symbols\tmemory\tdw\tl\ta\t1\n' >goals.tsv
	{ result a.dw.l 1 1; printf 'acc\ta.dw.l\tsymbol_kib\t24\n'; } >results.tsv
	[ "$(verdict)" = reached ]
	sed -i 's/\t24$/\t23/' results.tsv
	[ "$(verdict)" = MISSED ]
}

@test "the goals name commands that are timed, and recordings that are made" {
	FLAMEGRAPH='' PERFPARSER=none ONLY='' SIZES='s m l'
	# shellcheck source=/dev/null
	. "$bench/lib/peers.sh"
	names=$(recording_names)
	grep -v '^#' "$bench/goals.tsv" >rows
	[ "$(awk -F'\t' 'NF != 9' rows | wc -l)" = 0 ]
	while IFS=$'\t' read -r _ _ ours peer metric mode size workloads _; do
		contains "$(command_rows)" "$ours|"
		[ "$metric" = memory ] || contains "$(command_rows)" "$peer|"
		for w in ${workloads//|/ }; do contains "$names" "$w.$mode.$size"; done
	done <rows
}

# ---- accuracy

accuracy_of() {	# KEY=VALUE...
	{
		printf 'rec\ta.dw.m\t1000000\t1000\n'
		printf 'same\ta.dw.m\t%s\n' "${same:-yes}"
		for kv; do printf 'acc\ta.dw.m\t%s\t%s\n' "${kv%%=*}" "${kv#*=}"; done
	} >results.tsv
	table results.tsv accuracy | tail -1
}
good=(self_diff=0.0100 equal_of=100 equal_pct=99.0 differ_known_pct=0 perf_root_pct=98 our_root_pct=98)

@test "a recording is right when stacks, roots and shares agree with perf, and threads change nothing" {
	contains "$(accuracy_of "${good[@]}")" '| reached |'
	contains "$(accuracy_of "${good[@]}" self_diff=0.0101)" 'MISSED: self |'
	contains "$(accuracy_of "${good[@]}" self_diff=none)" 'MISSED: self |'
	contains "$(accuracy_of "${good[@]}" equal_pct=98.9)" 'MISSED: stacks |'
	contains "$(accuracy_of "${good[@]}" equal_pct=0 equal_of=99)" '| reached |'
	contains "$(accuracy_of "${good[@]}" equal_pct=98.9 differ_known_pct=0.2)" '| reached |'
	contains "$(accuracy_of "${good[@]}" our_root_pct=97)" 'MISSED: root |'
	contains "$(same=no accuracy_of "${good[@]}")" 'MISSED: threads |'
}

@test "perf script's text folds, with a mask for addresses one byte late" {
	cat >script.txt <<'END'
web 1  42 
	    1000 leaf+0x10
	    2000 [unknown]
	    3000 edge+0x0
	    4000 main+0x5

web 1  42 
	ffffffff81000000 sys_read+0x0
	    5000 operator;+0x0
	    4000 main+0x5

END
	awk -f "$bench/lib/fold.awk" script.txt | sort >folded
	[ "$(cat folded)" = "$(printf '%s\t%s\n' 'web 1;main;edge;[unknown];leaf 1' 'web 1;main;?;?;leaf' \
		'web 1;main;operator:;sys_read 1' 'web 1;main;operator:;sys_read')" ]
}

compared() {
	awk -F'\t' -v late="${late:-0}" -v differences=differences \
		-f "$bench/lib/roots.awk" -f "$bench/lib/compare.awk" perf ours stitched
}

@test "stacks are compared where both reach a root, sample for sample" {
	printf 'p;main;a 6\tp;main;a\np;main;b 4\tp;main;b\np;cut 10\tp;cut\n' >perf
	printf 'p;main;a 6\np;main;c 3\np;main;b 1\np;cut;deeper 10\n' >ours
	printf 'p;main;a 6\np;main;c 3\np;main;b 1\np;main;cut;deeper 10\n' >stitched
	compared >out
	for expected in 'equal_of 10' 'equal_pct 70.0000' 'perf_root_pct 50.0000' 'our_root_pct 50.0000' \
		'our_root_stitched_pct 100.0000' 'samples_differ 0' 'differ_known_pct 0.0000'; do
		grep -qx "$expected" out
	done
	[ "$(cat differences)" = $'3\tb  ->  c' ]
}

@test "what is outside of main is not compared: perf loses it" {
	printf 'p;start_call;main;a 6\tp;start_call;main;a\n' >perf
	printf 'p;_start;start;main;a 6\n' | tee stitched >ours
	contains "$(compared)" 'equal_pct 100.0000'
	printf 'p;_start;main;edge;leaf 5\tp;_start;main;?;leaf\n' >perf
	printf 'p;main;caller;leaf 5\n' | tee stitched >ours
	contains "$(late=1 compared)" 'differ_known_pct 100.0000'
}

@test "a frame that perf looked up one byte late is a known difference, only in frame-pointer chains" {
	printf 'p;main;edge;leaf 5\tp;main;?;leaf\n' >perf
	printf 'p;main;caller;leaf 5\n' | tee stitched >ours
	contains "$(compared)" 'differ_known_pct 0.0000'
	contains "$(late=1 compared)" 'differ_known_pct 100.0000'
}

@test "shares are compared by name over perf's top 20" {
	printf '50\tf\n30\tg\n10\th\n10\t0x0000000000401000\n' >perf
	printf '250\tf\n250\tf\n290\tg\n110\th\n100\t0x0000000000001000\n' >ours
	[ "$(awk -F'\t' -f "$bench/lib/self.awk" perf ours)" = 1.0000 ]
	[ "$(awk -F'\t' -f "$bench/lib/self.awk" perf /dev/null)" = none ]
}

# ---- stack copies

# Print a perf.data without features that has one attr and one SAMPLE with an IP, two registers and a stack copy of
# 64 bytes.
one_copy() {
	perl -e '
		my ($ip, $regs, $stack) = (1, 0x3, 1 << 13 | 1 << 12 | 1);
		my $attr = pack("L2 Q5 L2 Q4 L2 Q2", 1, 112, 0, 1, $stack, 0, 0, 0, 0, 0, 0, 0, $regs, 64, 0, 0, 0);
		my $sample = pack("Q Q Q2 Q", 0x1234, 2, 7, 8, 64) .
			join("", map { pack("Q", $_) } 1 .. 8) . pack("Q", 48);
		$sample = pack("L S S", 9, 2, 8 + length $sample) . $sample;
		my $data = 104 + 128;
		print "PERFILE2", pack("Q12", 104, 128, 104, 128, $data, length $sample, 0, 0, 0, 0, 0, 0),
			$attr, pack("Q2", 0, 0), $sample;'
}

@test "a recording is cut to a smaller stack copy, and not to a larger one" {
	"${CC:-gcc}" -O2 -o cut "$bench/cut.c"
	one_copy >in.data
	./cut 32 in.data out.data
	[ "$(($(stat -c %s in.data) - $(stat -c %s out.data)))" = 32 ]
	# the words of the sample: size 32, four words of stack, number of used bytes
	[ "$(tail -c 48 out.data | od -An -v -t u8 | tr -s ' \n' ' ')" = ' 32 1 2 3 4 32 ' ]
	./cut 4096 in.data same.data
	[ "$(tail -c 80 same.data | od -An -v -t u8 | tr -s ' \n' ' ')" = ' 64 1 2 3 4 5 6 7 8 48 ' ]
}

@test "what is no such recording, or cut off itself, is refused" {
	"${CC:-gcc}" -O2 -o cut "$bench/cut.c"
	one_copy >in.data
	for n in 0 50 104 150 232 250 300; do
		head -c "$n" in.data >part.data
		run -1 ./cut 32 part.data out.data
	done
}

@test "stitching is told against the truth: what is whole, and what of it is right" {
	printf 'p;_start;main;a;b 6\np;_start;main;a;c 3\np;main;d 1\np;x;y 5\n' >truth
	printf 'p;b 6\np;a;c 3\np;main;d 1\np;x;y 5\n' >bare
	printf 'p;main;a;b 6\np;main;z;c 2\np;a;c 1\np;main;d 1\np;x;y 5\n' >stitched
	[ "$(awk -f "$bench/lib/roots.awk" -f "$bench/lib/stitch.awk" truth bare stitched)" = \
		$'10\t10.00\t90.00\t77.78\t60.00\t13.33' ]
}

# ---- the tables, and the whole script

@test "results are told in the order of the recordings, the machine first" {
	printf 'time\tsys.dw.m\t1\nrun\tcpus\t2\ntime\tc.fp.m\t2\ntime\tc.fp.s\t3\ntime\tc.fp.m\t4\n' >results.tsv
	[ "$(ordered results.tsv | cut -f 2,3 | tr '\t\n' ' ,')" = 'cpus 2,c.fp.s 3,c.fp.m 2,c.fp.m 4,sys.dw.m 1,' ]
}

@test "growth has a row for a workload measured at two sizes" {
	{ result a.dw.s 0.002 1; result a.dw.m 0.010 1; result b.dw.m 1 1; } >results.tsv
	run -0 table results.tsv growth
	contains "$output" '| a.dw | 2.00, 10.0, - | 1, 1, - |'
	lacks "$output" b.dw
}

@test "tables of times leave out what was not run and mark what was stopped or failed" {
	{ result a.dw.s 0.5 4 limit; result b.dw.s 1 2 failed; printf 'rec\tc.dw.s\t2000000\t7\n'; } >results.tsv
	run -0 table results.tsv times -v what=cpu
	contains "$output" '| a.dw.s | 1 | 1000 | 0.500 | >4.000 |'
	contains "$output" '| b.dw.s | 1 | 1000 | 1.000 | failed |'
	contains "$output" '| c.dw.s | 2 | 7 | | |'
}

@test "a step replaces its kinds of results, with ONLY those of its recordings" {
	printf 'time\ta\t1\nacc\ta\t1\nacc\tb\t1\ncount\tb\t1\n' >results.tsv
	cp results.tsv before
	printf 'acc\ta\t2\n' | ONLY='' replace_lines results.tsv acc
	[ "$(cat results.tsv)" = $'time\ta\t1\ncount\tb\t1\nacc\ta\t2' ]
	printf 'acc\ta\t2\n' | ONLY=a replace_lines before acc time
	[ "$(cat before)" = $'time\ta\t1\nacc\tb\t1\ncount\tb\t1\nacc\ta\t2' ]
	[ -z "$(ls -- *.new *.add 2>/dev/null)" ]
}

@test "make bench fails on a missed goal, and not with QUICK" {
	fake_line perf ':'
	export O=$PWD/out STEPS=none
	mkdir -p out/bench
	for cpu in 100 1; do
		printf 'run\tperf\t1\nrec\tcpp.fp.m\t1\t1\n' >out/bench/results.tsv
		printf 'time\tcpp.fp.m\tour-top\t1\t1\t1\t3\tok\n' >>out/bench/results.tsv
		printf 'time\tcpp.fp.m\treport-flat\t%s\t1\t1\t3\tok\n' "$cpu" >>out/bench/results.tsv
		if [ "$cpu" = 100 ]; then
			run -0 "$bench/run.sh"
			contains "$output" '| reached |'
		else
			run -1 "$bench/run.sh"
			contains "$output" '| MISSED |'
			QUICK=1 run -0 "$bench/run.sh"
		fi
	done
}

@test "without perf, make bench says so" {
	PERF=no-such-perf run -0 "$bench/run.sh"
	contains "$output" 'skipped: bench: everything: perf is not installed'
}

#!/usr/bin/env bats
# grid.bats - test run_bench.sh: its lists, the placeholders of a command, results.csv compared with awk, criteria,
# errors

load helper

setup() {
	in_empty_folder
	unset "${!HOTDRIFT_@}"
	db=$PWD/h.db
}

# Make a command for grids.  It computes its latencies, memory and quality from lambda and tau by integer arithmetic.
operator() {
	cat >operator <<'END'
#!/bin/bash
set -eu
l=$(awk -v l="$HOTDRIFT_LAMBDA" 'BEGIN { printf "%d", l * 100 }') t=${HOTDRIFT_TAU%%.*}
{
	echo sample_id,wall_time_us,kernel_time_us,seq_len
	for ((i = 0; i < HOTDRIFT_SAMPLES; i++)); do
		echo "$i,$((1000 - 5 * l + t + i % 7)),$((900 - 5 * l)),64"
	done
} >"$HOTDRIFT_LATENCY_CSV"
{
	echo timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes
	for ((i = 0; i < HOTDRIFT_SAMPLES; i++)); do
		echo "$((1000000 + i)),$((800000 - 1000 * l + i % 3)),$((100000 - 700 * l + 10 * (i % 5))),10,20"
	done
} >"$HOTDRIFT_MEMORY_CSV"
{
	echo coherence_delta,accuracy
	for ((i = 0; i < HOTDRIFT_SAMPLES; i++)); do echo "0.$((10 + l + i % 3)),$((i % 4 && 1))"; done
} >"$HOTDRIFT_QUALITY_CSV"
END
	chmod +x operator
}

grid() { run_bench.sh --power none --db "$db" --output-dir out --samples 12 "$@" -- ./operator; }

# made NAME OPTIONS...: make a grid once for all tests that name it; copy its files and its history to this test
made() {
	local once=$BATS_FILE_TMPDIR/$1
	local db=$once.new/h.db

	if [ ! -e "$once" ]; then
		mkdir "$once.new"
		(cd "$once.new" && operator && grid "${@:2}") || return
		mv "$once.new" "$once"
	fi
	cp -a "$once/." .
}

# operator_of ROW: make a command for grids that writes this row as its only latency
operator_of() {
	cat >operator <<-END
	#!/bin/sh
	printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n%s\n' "$1" >\$HOTDRIFT_LATENCY_CSV
	END
}

# setting_status: print `setting,status` and then the settings with their status, on one line
setting_status() { cut -d , -f 1,4 out/settings.csv | tr '\n' ' '; }

# independent OUT: print the rows of results.csv, computed by awk from the files of each setting, rounded to 9 digits
independent() {
	local name n p

	while IFS=, read -r name _; do
		[ "$name" != setting ] || continue
		n=$(($(wc -l <"$1/csv/$name.csv") - 1))
		p=$(awk -F, 'NR > 1 { print $2 }' "$1/csv/$name.csv" | sort -n | sed -n "$(((95 * n + 99) / 100))p")
		awk -F, -v name="$name" -v p="$p" '
			FNR == 1 { file++; next }
			file == 1 { base_kv += $3; base_n++; if ($2 > base_top) base_top = $2 }
			file == 2 { kv += $3; n++; if ($2 > top) top = $2 }
			file == 3 { delta += $1; right += $2; q++ }
			END { printf "%s,%.9g,%.9g,%.9g,0,%.9g,%.9g\n", name, delta / q,
				1 - (kv / n) / (base_kv / base_n), 1 - top / base_top, p, right / q }' \
			"$1/csv/baseline-memory.csv" "$1/csv/$name-memory.csv" "$1/csv/$name-quality.csv"
	done <"$1/settings.csv"
}

rounded() { awk -F, 'NR > 1 { printf "%s", $1; for (i = 2; i <= NF; i++) printf ",%.9g", $i; print "" }' "$1"; }

# ---- the results

@test "a grid has a baseline and every pair of lambda and tau, and results.csv in the sweep form" {
	made four --lambda '0.1 0.25' --tau '4 8'
	columns=setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,p95_latency_us,accuracy
	[ "$(head -n 1 out/csv/results.csv)" = "$columns" ]
	[ "$(setting_status)" = "setting,status baseline,ok $(printf 'mincut_%s,ok ' \
		l0.1_t4 l0.1_t8 l0.25_t4 l0.25_t8)" ]
	for name in baseline mincut_l0.1_t4 mincut_l0.25_t8; do
		[ "$(wc -l <"out/csv/$name.csv")" = 13 ]
		[ "$(wc -l <"out/csv/$name-memory.csv")" = 13 ]
	done
	"$HOTDRIFT" stats --json out/csv/results.csv | jq -e '.form == "sweep"'
}

@test "results.csv is what awk computes from the files of the settings" {
	made four --lambda '0.1 0.25' --tau '4 8'
	diff <(independent out) <(rounded out/csv/results.csv)
	[ "$(rounded out/csv/results.csv | wc -l)" = 5 ]
}

@test "intervals contain the values that they belong to, and are absent where there is none" {
	made one --lambda 0.25 --tau 4
	"$HOTDRIFT" grid --json out >g.json
	jq -e '.settings[1] | .kv_cache_reduction as $v | .ci.kv_cache_reduction | .[0] <= $v and $v <= .[1]' g.json
	jq -e '.settings[1] | .p95_change as $v | .ci.p95_change | .[0] <= $v and $v <= .[1]' g.json
	jq -e '.settings[1].ci | .peak_mem_reduction == [null, null] and .energy_reduction == [null, null]' g.json
	[ "$(awk -F, 'NR == 3 { print $7 $8 $9 $10 }' out/csv/results-ci.csv)" = '' ]
}

@test "the figures are well-formed, and a grid of one lambda and tau has them, too" {
	made one --lambda 0.25 --tau 4
	for name in latency reductions map tradeoff; do
		[ -s "out/figs/$name.svg" ]
		! command -v xmllint >/dev/null || xmllint --noout "out/figs/$name.svg"
	done
}

@test "every run is in the history, with the fingerprint of its configuration" {
	made one --lambda 0.25 --tau 4
	"$HOTDRIFT" query --db "$db" --csv 'SELECT DISTINCT run_id, config FROM v_series' >rows
	for name in baseline mincut_l0.25_t4; do
		grep -q "$("$HOTDRIFT" hash "out/config/$name.json")" rows
	done
	contains "$("$HOTDRIFT" log --db "$db" --target operator)" operator
	"$HOTDRIFT" query --db "$db" --csv --name grid operator >rows
	[ "$(tail -n +2 rows | cut -d , -f 2,3,4 | tr -d '"' | tr '\n' ' ')" = \
		'baseline,ok,1006 mincut_l0.25_t4,ok,885 results,ok, ' ]
	[ "$("$HOTDRIFT" show --db "$db" latest | sed -n 's/^side *//p')" = results ]
	[ "$("$HOTDRIFT" query --db "$db" --csv "SELECT COUNT(DISTINCT run_id) AS n FROM v_series" | tail -n 1)" = 3 ]
}

@test "there is a witness per setting and one of all, which verify against the history" {
	operator
	run -0 grid --lambda '0.1 0.25' --tau 4
	for name in baseline mincut_l0.1_t4 mincut_l0.25_t4 bundle; do
		run -0 "$HOTDRIFT" witness verify "out/witness/$name.jsonl" --db "$db"
	done
	[ "$(grep -c '"kind":"bundle"' out/witness/bundle.jsonl)" = 4 ]
	[ "$(grep -c '"kind":"bundle"' out/witness/baseline.jsonl)" = 1 ]
}

# ---- the environment and the arguments of a command

@test "placeholders and variables name the setting and its files" {
	cat >show <<'END'
#!/bin/bash
printf '%s\n' "$*" >>seen
printf '%s %s %s %s %s %s\n' "$HOTDRIFT_SETTING" "$HOTDRIFT_LAMBDA" "$HOTDRIFT_TAU" \
	"$HOTDRIFT_EPS" "$HOTDRIFT_SEED" "$HOTDRIFT_SAMPLES" >>seen
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,1,1,1\n' >"$HOTDRIFT_LATENCY_CSV"
END
	chmod +x show
	run -0 run_bench.sh --power none --db "$db" --output-dir 'my out' --lambda .5 --tau 07 --seed 9 --eps 1e-3 \
		--samples 1 -- ./show \
		'{lambda} {tau}' '--seed={seed}' '{samples}' '{eps}' '{setting}' '*' '{latency_csv}'
	[ "$(sed -n 2p seen)" = 'baseline 0 0 0.001 9 1' ]
	[ "$(sed -n 3p seen)" = "0.5 7 --seed=9 1 0.001 mincut_l0.5_t7 * $PWD/my out/csv/mincut_l0.5_t7.csv" ]
	[ "$(sed -n 4p seen)" = 'mincut_l0.5_t7 0.5 7 0.001 9 1' ]
}

@test "memory that a command does not write is measured from outside" {
	cat >small <<'END'
#!/bin/sh
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,1,1,1\n' >"$HOTDRIFT_LATENCY_CSV"
END
	chmod +x small
	run -0 run_bench.sh --power none --db "$db" --output-dir out --lambda 1 --tau 1 --samples 1 -- ./small
	[ "$(head -n 1 out/csv/baseline-memory.csv)" = \
		timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes ]
	contains "$output" 'not measured'
	[ "$(awk -F, 'NR == 3 { print $2, $3, $5, $7 }' out/csv/results.csv)" = '0 0 0 0' ]
}

@test "the build line of the target runs first, then its run line" {
	operator
	printf '[target op]\nbuild = echo built >>order\nrun = sh -c "echo ran >>order; ./operator"\n' >hotdrift.ini
	run -0 run_bench.sh --power none --db "$db" --output-dir out --samples 4 --lambda 0.1 --tau 4 --target op
	[ "$(tr '\n' ' ' <order)" = 'built ran ran ' ]
	run -0 run_bench.sh --power none --db "$db" --output-dir out1 --samples 4 --lambda 0.1 --tau 4
	contains "$output" 'running the target op of hotdrift.ini'
	printf '[target a]\nrun = a\n[target b]\nrun = b\n' >hotdrift.ini
	run -2 run_bench.sh --power none --db "$db" --output-dir out1 --samples 4 --lambda 0.1 --tau 4
	contains "$output" '--target b'
	printf '[target op]\nbuild = false\nrun = ./operator\n' >hotdrift.ini
	run -6 run_bench.sh --power none --db "$db" --output-dir out2 --samples 4 --lambda 0.1 --tau 4 --target op
	contains "$output" 'the build of target op failed'
}

# ---- criteria

@test "criteria are judged by name: 0 met, 1 missed, 3 not measured" {
	operator
	run -0 grid --lambda 0.25 --tau 4 --min-kv-reduction 10 --min-memory-reduction 2 \
		--max-coherence-delta 0.5 --min-accuracy 0.5
	contains "$output" 'met           kv_cache_reduction at least 10.0 %'
	rm -r out
	run -1 grid --lambda 0.25 --tau 4 --min-kv-reduction 90
	contains "$output" \
		'missed        kv_cache_reduction at least 90.0 %: missed by 1 of 1 settings, furthest mincut_l0.25_t4'
	contains "$output" 'grid: missed: kv_cache_reduction'
	rm -r out
	run -3 grid --lambda 0.25 --tau 4 --min-energy-reduction 1
	contains "$output" 'not measured  energy_reduction at least 1.0 %'
	contains "$output" 'power was not measured'
	[ "$(awk -F, 'NR == 3 { print $5 }' out/csv/results.csv)" = 0 ]
}

@test "the latency criterion is p95 within 10 % of the baseline, unless another limit is given" {
	operator
	run -1 grid --lambda 0 --tau 300
	contains "$output" 'missed        p95_change at most +10.0 %'
	rm -r out
	run -0 grid --lambda 0 --tau 300 --max-p95 40
	rm -r out
	run -1 grid --lambda '0 0.25' --tau '4 300'
	rm -r out
	run -0 grid --lambda '0 0.25' --tau '4 300' --need one --min-kv-reduction 10
	contains "$output" 'mincut_l0.25_t4 meets every criterion'
}

@test "energy is compared if a source of power is named" {
	cat >slow <<'END'
#!/bin/bash
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,1,1,1\n' >"$HOTDRIFT_LATENCY_CSV"
if [ "$HOTDRIFT_SETTING" = baseline ]; then exec sleep "$1"; fi
END
	chmod +x slow
	# On a busy machine, the start of the other command can take as long as a short pause.
	for pause in 0.4 4 20; do
		rm -rf out
		run run_bench.sh --power constant:50 --db "$db" --output-dir out --lambda 1 --tau 1 --samples 1 \
			--min-energy-reduction 5 -- ./slow "$pause"
		[ "$status" = 1 ] || break
	done
	[ "$status" = 0 ]
	[ -s out/csv/baseline-power.csv ]
	awk -F, 'NR == 3 { exit !($5 > 0.05 && $5 < 1) }' out/csv/results.csv
}

# ---- lists

@test "lists may have blanks, commas and line ends; equal values run once" {
	operator
	run -0 grid --lambda $' 0.1,0.10\n 1e-1 ' --tau '4,,4.0 '
	[ "$(cut -d , -f 1 out/settings.csv | tail -n +2 | tr '\n' ' ')" = 'baseline mincut_l0.1_t4 ' ]
	contains "$output" '0.10 is given more than once and runs once'
	rm -r out
	operator_of 0,1,1,1
	run -0 grid --samples 1 --lambda '1e10 0.00001' --tau '0.5 12345678901234567'
	[ "$(cut -d , -f 1 out/settings.csv | tail -n +2 | tr '\n' ' ')" = "baseline $(printf 'mincut_%s ' \
		l1e10_t0.5 l1e10_t12345678901234567 l1e-05_t0.5 l1e-05_t12345678901234567)" ]
	[ "$("$HOTDRIFT" query --db "$db" --csv --name grid operator | grep -c mincut)" = 5 ]
	[ "$("$HOTDRIFT" hash --json out/config/mincut_l1e-05_t12345678901234567.json | jq -r .form)" = struct ]
}

@test "lists of anything but finite numbers of at least 0 are rejected, and nothing is run" {
	operator
	touch 5
	for word in nan inf -1 '*' '?' "'0.1'" '"0.1"' 0x10 1e999 0.1.2 '$HOME' '0.1;id' '~'; do
		run -2 grid --lambda "$word" --tau 4
		contains "$output" \
			"--lambda takes finite numbers of at least 0, separated by blanks or commas, not '$word'"
		run -2 grid --lambda 0.1 --tau "4 $word"
		contains "$output" "--tau takes finite numbers"
	done
	for word in '' ' ' ',,'; do
		run -2 grid "--lambda=$word" --tau 4
	done
	[ ! -e out ]
}

@test "other options are checked before anything is run" {
	operator
	run -2 grid --samples 0
	run -2 grid --samples 1e3
	run -2 grid --seed -1
	run -2 grid --eps nan
	run -2 grid --need two
	run -2 grid --max-p95 ten
	run -2 grid --bogus 1
	run -2 grid --lambda "$(seq -s ' ' 1 200)" --tau "$(seq -s ' ' 1 200)"
	contains "$output" '200 x 200 settings are too many'
	run -6 run_bench.sh --power none --db "$db" -- ./nothing
	contains "$output" "there is no command './nothing' to run"
	[ ! -e out ]
}

# ---- errors

@test "a second run into the same folder keeps the first and goes beside it" {
	operator
	run -0 grid --lambda 0.1 --tau 4
	cp out/csv/results.csv first.csv
	run -0 grid --lambda 0.25 --tau 4 --result-path where
	contains "$output" "'$PWD/out' has files, which are kept; this grid goes to '$PWD/out-2'"
	cmp first.csv out/csv/results.csv
	[ "$(cat where)" = "$PWD/out-2" ]
	[ -s out-2/csv/mincut_l0.25_t4.csv ]
}

@test "a setting that fails is kept and marked, the others go on, and the exit is 6" {
	operator
	sed -i '2a [ "$HOTDRIFT_SETTING" != mincut_l0.1_t4 ] || { echo broken >&2; exit 9; }' operator
	run -6 grid --lambda '0.1 0.25' --tau 4
	contains "$output" 'setting mincut_l0.1_t4 failed: the command failed with status 9'
	contains "$output" broken
	[ "$(setting_status)" = 'setting,status baseline,ok mincut_l0.1_t4,failed mincut_l0.25_t4,ok ' ]
	[ "$(cut -d , -f 1 out/csv/results.csv | tr '\n' ' ')" = 'setting baseline mincut_l0.25_t4 ' ]
	contains "$("$HOTDRIFT" log --db "$db")" failed
}

@test "a command that writes no latencies, or damaged ones, has failed" {
	printf '#!/bin/sh\nexit 0\n' >operator
	chmod +x operator
	run -6 grid --lambda 0.1 --tau 4
	contains "$output" 'the command wrote no latencies'
	rm -r out
	operator_of 0,nan,1,1
	run -6 grid --lambda 0.1 --tau 4
	contains "$output" 'its latencies cannot be read'
	rm -r out
	printf '#!/bin/sh\nprintf "a,b\\n0,1\\n" >$HOTDRIFT_LATENCY_CSV\n' >operator
	run -6 grid --lambda 0.1 --tau 4
	contains "$output" 'the latencies do not begin with the line'
}

@test "a baseline that fails ends the grid, and nothing is compared with it" {
	operator
	sed -i '2a [ "$HOTDRIFT_SETTING" != baseline ] || exit 1' operator
	run -6 grid --lambda 0.1 --tau 4
	[ "$(setting_status)" = 'setting,status baseline,failed mincut_l0.1_t4,skipped ' ]
	[ ! -e out/csv/results.csv ]
	run -4 "$HOTDRIFT" grid out
}

begin_grid() {
	env --default-signal=INT setsid run_bench.sh --power none --db "$db" --output-dir out --samples 12 "$@" -- \
		./operator >log 2>&1 3>&- &
}

@test "an interrupted grid keeps what was measured, marks the setting, and is inconclusive" {
	operator
	sed -i "2a [ \"\$HOTDRIFT_SETTING\" != mincut_l0.25_t4 ] || $begins" operator
	for how in "INT " "TERM " "INT -"; do		# to the script, or as from a terminal to its whole group
		rm -rf out started
		begin_grid --lambda '0.1 0.25 0.5' --tau 4
		signal_when started "${how% *}" $! "${how#* }$!"
		cat log
		[ "$status" = 3 ]
		want='setting,status baseline,ok mincut_l0.1_t4,ok mincut_l0.25_t4,interrupted mincut_l0.5_t4,skipped '
		[ "$(setting_status)" = "$want" ]
		[ "$(cut -d , -f 1 out/csv/results.csv | tr '\n' ' ')" = 'setting baseline mincut_l0.1_t4 ' ]
		contains "$(cat log)" "interrupted by SIG${how% *}"
	done
	contains "$("$HOTDRIFT" log --db "$db")" interrupted
}

@test "an interrupted baseline is never a baseline" {
	operator
	sed -i "2a $begins" operator
	begin_grid --lambda 0.1 --tau 4
	signal_when started TERM $!
	cat log
	[ "$status" = 3 ]
	[ "$(setting_status)" = 'setting,status baseline,interrupted mincut_l0.1_t4,skipped ' ]
	[ ! -e out/csv/results.csv ]
}

@test "a full disk is an error with a sentence" {
	operator
	mkdir small
	mount -t tmpfs -o size=64k none small 2>/dev/null || skip 'no right to mount a file system'
	fill=$(df --output=avail -B1 small | tail -n 1)
	head -c "$((fill - 12000))" /dev/zero >small/fill
	status=0
	run_bench.sh --power none --db "$db" --output-dir small/out --samples 200 --lambda 0.1 --tau 4 -- \
		./operator >log 2>&1 || status=$?
	umount small
	cat log
	[ "$status" = 6 ]
	grep -q -e 'disk full' -e 'No space left' -e 'is the disk full' log
}

@test "new folders belong to the one who called sudo" {
	[ "$(id -u)" = 0 ] || skip 'needs root'
	operator
	SUDO_UID=12345 SUDO_GID=23456 run -0 run_bench.sh --power none --samples 2 --lambda 0.1 --tau 4 -- ./operator
	[ -s results/hotspots.db ]
	[ -z "$(find results ! -uid 12345)" ]
	SUDO_UID=12345 SUDO_GID=23456 run -6 run_bench.sh --power none --db a/b/h.db --output-dir c/d/out -- false
	[ -z "$(find a c ! -uid 12345)" ]
}

@test "trouble with the output of the script is no verdict" {
	operator
	[ -c /dev/full ] || skip 'there is no /dev/full'
	status=0
	grid --lambda 0.1 --tau 4 >/dev/full 2>log || status=$?
	[ "$status" = 6 ]
	TMPDIR=$PWD/none run -6 grid --lambda 0.1 --tau 4
	contains "$output" 'cannot make a temporary folder'
}

@test "the demo saves memory and computes the same output when nothing is cut" {
	[ -n "$(command -v "${CC:-cc}")" ] || skip 'no compiler'
	make -s -C "$TOP/fixtures/workloads/attention" O="$PWD/demo" >/dev/null
	run_bench.sh --power none --db "$db" --output-dir out --samples 6 --lambda '0 0.9' --tau 16 --max-p95 100000 \
		-- demo/attention --tokens 128 --dim 32 --heads 2
	awk -F, '$1 == "mincut_l0_t16" { exit !($2 == 0 && $3 == 0 && $7 == 1) }' out/csv/results.csv
	awk -F, '$1 == "mincut_l0.9_t16" { exit !($2 > 0 && $3 > 0.1) }' out/csv/results.csv
	diff <(independent out) <(rounded out/csv/results.csv)
}

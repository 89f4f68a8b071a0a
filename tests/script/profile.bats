#!/usr/bin/env bats
# profile.bats - test profile.sh with a substitute for perf, whose behaviour is known, and with the real perf

load helper

setup() {
	in_empty_folder
	fake perf
	export FAKE_RECORDING=$SHIPPED/perf.data
	PARANOID=$BATS_TEST_TMPDIR/paranoid
}

paranoid_is() {
	export HOTDRIFT_PARANOID_FILE=$PARANOID
	echo "$1" >"$PARANOID"
}

# ---- the command line

@test "without a command, a target or a hotdrift.ini it says what is missing, the error last, and exits with 2" {
	for words in '' cpu '--freq 99'; do
		# shellcheck disable=SC2086	# words
		run -2 profile.sh $words
		contains "${lines[0]}" 'usage: '
		contains "$output" 'error: nothing to record; give a command'
		[ ${#lines[@]} = 4 ]
	done
	[ ! -e results ]
}

@test "without a command it records the only target of hotdrift.ini, in mode cpu" {
	printf '[target app]\nrun = touch ran\n' >hotdrift.ini
	for words in '' cpu; do
		# shellcheck disable=SC2086
		run -0 profile.sh $words
		contains "$output" 'recording the target app of hotdrift.ini'
		[ "$(of_run '[.mode, .target] | tojson')" = '["cpu","app"]' ]
		rm -r ran results
	done
	run -0 profile_hotspots.sh
	[ -e ran ]
}

@test "the values of the variables that hotdrift.ini names are stored with the run, and the load before it" {
	printf '[target app]\nrun = true\nenv = HARDENED, SERVE_*\n' >hotdrift.ini
	HARDENED=1 SERVE_A=2 run -0 profile.sh cpu --target app
	run -0 "$HOTDRIFT" show latest --db results/hotspots.db
	contains "$output" 'variable     HARDENED=1'
	contains "$output" 'variable     SERVE_A=2'
	contains "$output" 'load average'
}

@test "of several targets none is chosen: each is listed with the line to type" {
	printf '[target app]\nrun = touch ran\n[target web]\nrun = touch ran\n' >hotdrift.ini
	run -2 profile.sh
	contains "$output" 'no target given; hotdrift.ini has:'
	contains "$output" 'profile.sh cpu --target app'
	contains "$output" 'profile.sh cpu --target web'
	[ ! -e ran ]
}

@test "a mode left out is cpu: before options, before --, before a path" {
	run -0 profile.sh --no-db -- true
	[ "$(of_run .mode)" = cpu ]
	rm -r results
	run -0 profile.sh --no-db true
	rm -r results
	run -0 profile.sh "$(type -P true)" --flag
	[ "$(of_run '.command[1]')" = --flag ]
}

@test "an unknown mode is usage, exit 2; if it is a command, the line to type is there" {
	run -2 --separate-stderr profile.sh cpuu -- true
	contains "$stderr" "error: unknown mode 'cpuu'"
	contains "$stderr" 'usage: '
	[ -z "$output" ]
	[ ! -e results ]
	run -2 profile.sh ls -l
	contains "$output" 'profile.sh cpu -- ls -l '
}

@test "the spellings of perf record are accepted" {
	FAKE_LOG=$TMPDIR/log run -0 profile.sh cpu -F 99 -e cpu-clock -g -a --no-db -- true
	contains "$(cat "$TMPDIR/log")" ' -F 99 '
	contains "$(cat "$TMPDIR/log")" ' -e cpu-clock '
	contains "$(cat "$TMPDIR/log")" ' -a '
	run -2 profile.sh cpu -p x
	contains "$output" '--pid'
}

@test "a wrong option or value is usage, exit 2" {
	run -2 profile.sh cpu --frequency 3 -- true
	contains "$output" "unknown option '--frequency'; did you mean --freq?"
	run -2 profile.sh cpu --targt x -- true
	contains "$output" "unknown option '--targt'; did you mean --target?"
	run -2 profile.sh cpu --xyzzy -- true
	[ "${lines[-1]}" = "profile.sh: error: unknown option '--xyzzy'" ]
	for wrong in --max-size=5X --max-size=0 --max-size=9999999999G --duration=soon --cpus=0 \
		--call-graph=dwarf,65536 --freq=0 --freq=-5 --freq=9x --call-graph=guess --call-graph=dwarf,x \
		--top=0 --compress=99 --event=; do
		run -2 profile.sh cpu "$wrong" -- true
	done
	run -2 profile.sh cpu --freq
	contains "$output" '--freq needs a value'
	for wrong in --wall --tokio-console; do
		run -2 profile.sh cpu "$wrong" -- true
		contains "$output" "$wrong requires mode async"
	done
	run -2 profile.sh cpu --pid x
	contains "$output" "--pid takes process ids like 4711 or 4711,4712, not 'x'"
	run -2 profile.sh cpu --server ./srv
	contains "$output" 'give its command after --, or --duration'
	run -2 profile.sh cpu --server ./srv --pid 1 -- true
	run -2 profile.sh cpu --ready true -- true
	run -2 profile.sh memory --pid 1
	contains "$output" '--pid does not apply to memory'
}

@test "--help explains on stdout and exits with 0" {
	run -0 --separate-stderr profile.sh --help
	contains "$output" '--allow-sysctl'
	run -0 profile.sh cpu --help
}

# ---- the size of a recording

# planned OPTIONS...: print "BYTES at HZ" that perf gets in a run with these options.  The run ends at the trial
# recording, which has them, too.
planned() {
	FAKE_PERF=enosys FAKE_LOG=$TMPDIR/log run -6 profile.sh cpu --no-db --call-graph dwarf "$@" -- true
	[[ $(cat "$TMPDIR/log") =~ ^'-N -F '([0-9]+)' --call-graph dwarf,'([0-9]+)' '[^$'\n']*probe.data' -- true'$ ]]
	printf '%s at %s' "${BASH_REMATCH[2]}" "${BASH_REMATCH[1]}"
	rm "$TMPDIR/log"
}

@test "under --max-size the copy is the largest that leaves room for five thousand samples" {
	[ "$(planned --duration 5 --cpus 1)" = '8192 at 997' ]
	[ "$(planned --duration 30 --cpus 1)" = '8192 at 307' ]
	[ "$(planned --duration 30 --cpus 2)" = '8192 at 149' ]
	[ "$(planned --duration 30 --cpus 1 --max-size 50M)" = '8192 at 149' ]
	[ "$(planned --duration 30 --cpus 1 --max-size 25M)" = '4096 at 149' ]
	[ "$(planned --duration 30 --cpus 1 --max-size 10M)" = '1024 at 199' ]
	[ "$(planned --duration 30 --cpus 1 --max-size 300M)" = '8192 at 997' ]
	[ "$(planned --duration 3600 --cpus 8)" = '1024 at 11' ]
	# The recording uses the options of the trial recording, and run.json stores them.
	FAKE_LOG=$TMPDIR/log run -0 profile.sh cpu --no-db --call-graph dwarf --duration 30 --cpus 1 -- true
	contains "$(tail -n 1 "$TMPDIR/log")" '-F 307 --call-graph dwarf,8192 '
	[ "$(of_run '[.stack_bytes, .freq] | tojson')" = '[8192,307]' ]
}

@test "what is given is kept, and the rest is planned around it" {
	[ "$(planned --duration 30 --cpus 1 --freq 997)" = '2048 at 997' ]
	[ "$(planned --duration 30 --cpus 1 --freq 99)" = '8192 at 99' ]
	[ "$(planned --duration 30 --cpus 1 --call-graph dwarf,16384)" = '16384 at 149' ]
	[ "$(planned --duration 30 --cpus 1 --call-graph dwarf,16384 --freq 499)" = '16384 at 499' ]
	[ "$(planned --duration 30 --cpus 1 --compress 1)" = '8192 at 997' ]
}

@test "the plan is printed and perf gets it; a plan that cannot be kept causes a warning" {
	FAKE_LOG=$TMPDIR/log run -0 profile.sh cpu --no-db --call-graph dwarf --duration 30 --cpus 1 --max-size 50M \
		-- true
	limit='the recording ends at 50 MiB (--max-size)'
	contains "$output" "copies of 8192 bytes of stack at 149 Hz: about 36 MiB for 30 s of 1 busy CPU; $limit"
	contains "$(tail -n 1 "$TMPDIR/log")" \
		'-F 149 --call-graph dwarf,8192 --buildid-mmap --no-bpf-event --control fifo:'
	rm -r results
	run -0 profile.sh cpu --no-db --call-graph dwarf,8192 --freq 997 --duration 30 --cpus 2 -- true
	would='would take 481 MiB for 30 s of 2 busy CPUs, and the recording ends at 100 MiB'
	contains "$output" "warning: dwarf, copies of 8192 bytes of stack at 997 Hz $would"
	rm -r results
	run -0 profile.sh cpu --no-db --call-graph dwarf -- true
	contains "$output" '(assumed: --duration, --cpus)'
}

@test "100 MiB is the limit in every mode, unless another is given" {
	for words in '--call-graph fp' '--call-graph dwarf' '--event cpu-clock'; do
		# shellcheck disable=SC2086
		run -0 profile.sh cpu --no-db $words -- true
		[ "$(of_run .max_size)" = 104857600 ]
		rm -r results
	done
	run -0 profile.sh cpu --no-db --call-graph fp --max-size 3M --duration 30 --cpus 1 -- true
	contains "$output" \
		'fp at 499 Hz: about 2485 KiB for 30 s of 1 busy CPU; the recording ends at 3072 KiB (--max-size)'
	[ "$(of_run .freq)" = 499 ]
}

@test "a program of which nothing is known is sampled often enough for a short one" {
	fake_line nproc 'echo 64'
	[ "$(planned)" = '2048 at 499' ]
	fake_line nproc 'echo 1'
	[ "$(planned)" = '4096 at 599' ]
}

@test "what was chosen for a target is reused, so that its runs can be compared, until --replan" {
	run -0 profile.sh cpu --no-db --call-graph dwarf --target app -- true
	[ "$(of_run '[.stack_bytes, .freq] | tojson')" = '[2048,599]' ] || [ "$(nproc)" != 2 ]
	first=$(of_run '[.stack_bytes, .freq] | tojson')
	# Without a stored choice, the CPU time of this longer run would change the choice.
	mkdir results/29990101T000000Z-a
	printf '{\n  "target": "app",\n  "mode": "cpu",\n  "status": "ok",\n  "cpu_seconds": 3600.000,\n}\n' \
		>results/29990101T000000Z-a/run.json
	run -0 profile.sh cpu --no-db --call-graph dwarf --target app --result-path "$TMPDIR/path" -- true
	contains "$output" 'as chosen for app at '
	[ "$(jq -c '[.stack_bytes, .freq]' "$(cat "$TMPDIR/path")/run.json")" = "$first" ]
	run -0 profile.sh cpu --no-db --call-graph dwarf --target app --replan --result-path "$TMPDIR/path" -- true
	contains "$output" "the CPU time of the target's last run"
	[ "$(jq -c '[.stack_bytes, .freq]' "$(cat "$TMPDIR/path")/run.json")" = '[2048,11]' ]
	[ -z "$(git -C . status --porcelain 2>/dev/null)" ]
}

@test "--call-graph auto looks at the program's own files, and says what it chose and why" {
	cat >p.c <<-'END'
	int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
	int main(int n, char **v) { (void)v; return f(n) > 1; }
	END
	"${CC:-gcc}" -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o keeps p.c || skip 'no compiler for it'
	"${CC:-gcc}" -O2 -fomit-frame-pointer -o omits p.c
	run -0 profile.sh cpu --no-db -- ./keeps
	contains "$output" 'fp at 997 Hz, because keeps keeps frame pointers in '
	[ "$(of_run '[.call_graph, .call_graph_asked, .stack_bytes] | tojson')" = '["fp","auto",null]' ]
	rm -r results
	run -0 profile.sh cpu --no-db -- ./omits
	contains "$output" 'dwarf, copies of '
	contains "$output" 'because omits keeps frame pointers in '
	[ "$(of_run .call_graph)" = dwarf ]
	rm -r results
	# For a script, its interpreter is examined.
	printf '#!%s\n' "$PWD/keeps" >script
	chmod +x script
	run -0 profile.sh cpu --no-db -- ./script
	contains "$output" 'because keeps keeps frame pointers'
	rm -r results
	run -0 profile.sh cpu --no-db --call-graph fp -- ./omits
	lacks "$output" because
	[ "$(of_run .call_graph)" = fp ]
}

# On a busy machine a process can start after those at the other end of its pipe have ended.
@test "the run ends also if the process that copies stderr to run.log starts after the one that copies stdout" {
	cat >"$BATS_TEST_TMPDIR/fakes/tee" <<-END
	#!/bin/sh
	PATH=\${PATH#*:}
	if mkdir "$BATS_TEST_TMPDIR/first" 2>/dev/null; then
		tee "\$@"
		: >"$BATS_TEST_TMPDIR/ended"
		exit
	fi
	until [ -e "$BATS_TEST_TMPDIR/ended" ]; do :; done
	exec tee "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/fakes/tee"
	run -0 timeout 300 profile.sh cpu --no-db -- sh -c 'echo out; echo err >&2'
	contains "$output" out
	contains "$output" err
}

@test "too few samples are warned of, with the option that takes more" {
	FAKE_RECORDING=$TOP/fixtures/recordings/calls/perf.data run -0 profile.sh cpu --no-db -- true
	contains "$output" 'warning: only 32 samples were taken, so the shares below are rough'
	contains "$output" '--freq '
	rm -r results
	run -0 profile.sh cpu --no-db -- true
	lacks "$output" 'samples were taken'
}

# earlier_run FOLDER TARGET MODE STATUS FREQ SAMPLES: write the run.json of an earlier run
earlier_run() {
	mkdir -p "results/$1"
	printf '{\n  "target": "%s",\n  "mode": "%s",\n  "status": "%s",\n  "freq": %s,\n  "samples": %s,\n}\n' \
		"${@:2}" >"results/$1/run.json"
}

@test "the plan takes the CPU time from the last good run of the target" {
	earlier_run 20200101T000000Z-a true cpu ok 100 1000		# 10 s
	earlier_run 20200102T000000Z-b true cpu ok 99 5940		# 60 s
	earlier_run 20200103T000000Z-c true cpu failed 99 99
	earlier_run '20200104T000000Z- d' other cpu ok 99 99
	run -0 profile.sh cpu --no-db --call-graph dwarf --result-path "$TMPDIR/path" -- true
	contains "$output" \
		"copies of 8192 bytes of stack at 149 Hz: about 72 MiB for the CPU time of the target's last run"
	[ "$(jq .freq "$(cat "$TMPDIR/path")/run.json")" = 149 ]
	run -0 profile.sh cpu --no-db --call-graph dwarf --duration 5 --cpus 1 --result-path "$TMPDIR/path" -- true
	[ "$(jq .freq "$(cat "$TMPDIR/path")/run.json")" = 997 ]
}

@test "the plan ignores runs of other modes, because their samples do not measure time" {
	earlier_run 20200101T000000Z-a true cpu ok 99 5940
	earlier_run 20200102T000000Z-b true async ok 19999 300
	run -0 profile.sh cpu --no-db --call-graph dwarf -- true
	contains "$output" \
		"copies of 8192 bytes of stack at 149 Hz: about 72 MiB for the CPU time of the target's last run"
}

@test "what grows with switches and calls is not planned by time: its mode says how often and how much" {
	local most later

	# The kernel lowers its limit while another perf samples more than this machine can do.
	read -r most </proc/sys/kernel/perf_event_max_sample_rate
	FAKE_LOG=$TMPDIR/log run profile.sh async --no-db -- true
	read -r later </proc/sys/kernel/perf_event_max_sample_rate
	[[ $(tail -n 1 "$TMPDIR/log") =~ '-F '([0-9]+)' --call-graph dwarf,8192 ' ]]
	if [ "$later" -ge 19999 ]; then
		[ "${BASH_REMATCH[1]}" = 19999 ]
	else
		[ "${BASH_REMATCH[1]}" -ge "$later" ] && [ "${BASH_REMATCH[1]}" -le "$most" ]
	fi
	rm -r results
	FAKE_LOG=$TMPDIR/log run profile.sh async --no-db --duration 3600 --call-graph dwarf,4096 --freq 499 -- true
	contains "$(tail -n 1 "$TMPDIR/log")" "-F 499 --call-graph dwarf,4096 "
	[ "$(of_run '[.freq, .stack_bytes, .max_size] | tojson')" = '[499,4096,104857600]' ]
}

@test "hotdrift.ini may say all of it" {
	printf '[target app]\nrun = true\ncall_graph = dwarf\nmax_size = 50M\nduration = 30\ncpus = 1\n' >hotdrift.ini
	run -0 profile.sh cpu --no-db --target app
	[ "$(of_run '[.stack_bytes, .freq, .max_size] | tojson')" = '[8192,149,52428800]' ]
	rm -r results
	run -0 profile.sh cpu --no-db --target app --max-size 25M --duration 60
	[ "$(of_run '[.stack_bytes, .freq, .max_size] | tojson')" = '[4096,79,26214400]' ]
	printf '[target app]\nrun = true\nmax_size = much\n' >hotdrift.ini
	run -5 profile.sh cpu --target app
	contains "$output" 'hotdrift.ini:3: max_size of target app'
}

@test "a recording that reaches its limit ends there; the command runs on, and the run is marked failed with advice" {
	FAKE_PERF=full run -6 profile.sh cpu --call-graph dwarf --max-size 1K -- sh -c 'echo to the end >said'
	[ "$(cat said)" = 'to the end' ]
	contains "$output" 'the recording reached --max-size 1 KiB after'
	contains "$output" 'and sh ran on (the next run is planned by what it took'
	[ "$(of_run .status)" = failed ]
	[ "$(of_run .exit_status)" = 0 ]
	[ "$(of_run .stopped_at_max_size)" = true ]
	[ -s "$(only_run)/flamegraph.svg" ]
	[ "$(sqlite3 results/hotspots.db 'select status from run')" = failed ]
	[ -z "$(ls results/.plans 2>/dev/null)" ]
}

@test "perf records build-ids with the mappings; an older perf records without them" {
	FAKE_LOG=$TMPDIR/log run -0 profile.sh cpu --no-db -- true
	run -0 grep -e '-- true$' "$TMPDIR/log"
	contains "${lines[1]}" ' --buildid-mmap '
	rm "$TMPDIR/log"
	FAKE_PERF=old FAKE_LOG=$TMPDIR/log run -0 profile.sh cpu --no-db --duration 5 --cpus 1 -- true
	run -0 tail -n 1 "$TMPDIR/log"
	contains "$output" '-F'
	[[ $output != *--buildid-mmap* ]]
}

@test "a recording whose end is missing is known as such in run.json" {
	cp "$FAKE_RECORDING" cut
	# The command's EXIT record gets the type of FINISHED_INIT, which has no effect.
	at=$(LC_ALL=C grep -obUaP '\x04\x00\x00\x00\x00\x00[\x30-\x60]\x00' cut | tr -d '\0' | tail -n 1)
	printf '\122' | dd of=cut bs=1 seek="${at%%:*}" conv=notrunc status=none
	lost() { sqlite3 results/hotspots.db "SELECT count(*) FROM run_warning WHERE code = 'lost.tail'"; }
	for code in 0 3; do
		rm -rf results
		FAKE_RECORDING=$PWD/cut run -$((code == 0 ? 0 : 6)) profile.sh cpu -- sh -c "exit $code"
		[ "$(grep -c 'its last records are missing' <<<"$output")" = 1 ]
		[ "$(of_run '[.lost_tail, .exit_status] | tojson')" = "[true,$code]" ]
		[ "$(lost)" = 1 ]
	done
	# A signal or a limit that ended the command or perf explains why the end is missing.
	for words in '-- sh -c "kill -KILL \$\$"' '--duration 1 -- sleep 9'; do
		rm -rf results
		eval "FAKE_RECORDING=\$PWD/cut run profile.sh cpu $words"
		lacks "$output" 'its last records are missing'
		[ "$(of_run .lost_tail)" = false ]
		[ "$(lost)" = 0 ]
	done
}

@test "a perf without --control and --max-size records all the same, with a warning" {
	FAKE_PERF=old run -0 profile.sh cpu --no-db --call-graph dwarf --duration 5 --cpus 1 -- true
	contains "$output" 'warning: perf 9.9.fake has no --max-size'
	[ "$(of_run .stack_bytes)" = 8192 ]
	FAKE_PERF=old FAKE_LOG=$TMPDIR/log run -0 profile.sh cpu --no-db --call-graph dwarf --duration 5 --cpus 1 \
		-- true
	[ "$(wc -l <"$TMPDIR/log")" = 1 ]
	lacks "$(cat "$TMPDIR/log")" --control
}

# ---- a complete recording

@test "a run leaves all its files, and what they hold is the recording" {
	run -0 profile.sh cpu -- true
	dir=$(only_run)
	cmp "$dir/perf.data" "$FAKE_RECORDING"
	for file in folded.txt flamegraph.svg top5.txt report.html report.md report.json info.json run.json; do
		[ -s "$dir/$file" ]
	done
	contains "$(head -n 1 "$dir/flamegraph.svg")$(sed -n 2,3p "$dir/flamegraph.svg")" '<svg'
	jq -e . "$dir/report.json" >"$TMPDIR/report"
	"$HOTDRIFT" top -n 5 "$dir/perf.data" >"$TMPDIR/top5" 2>"$TMPDIR/messages"
	cmp "$TMPDIR/top5" "$dir/top5.txt"
	contains "$output" "$(cat "$dir/top5.txt")"
	run -0 profile.sh cpu --top 2 --no-db -- true
	[ "$(grep -c '^   [0-9]  ' <<<"$output")" = 2 ]
}

@test "the CSV files that the command writes are part of the run" {
	cat >w.sh <<-'END'
		printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,100,1,1\n1,200,1,1\n' >l.csv
		printf 'timestamp_us,watts\n0,10\n1000000,20\n' >'p w.csv'
		printf 'depth\n1\n2\n' >q.csv
	END
	run -0 profile.sh cpu --latency l.csv --power 'p w.csv' --series 'my q=q.csv' --work 250 -- sh w.sh
	[ "$(sqlite3 results/hotspots.db 'select p99_us, joules, work from v_run_summary')" = '200.0|15.0|250.0' ]
	[ "$(sqlite3 results/hotspots.db "select name from series where kind = 'other'")" = 'my q.depth' ]
	cmp l.csv "$(only_run)/latency.csv"
	cmp 'p w.csv' "$(only_run)/power.csv"
	run -2 profile.sh cpu --series q.csv -- true
}

@test "a CSV file of another run, or none, is left out with a warning; a damaged one keeps the run out" {
	printf 'timestamp_us,watts\n0,10\n1000000,20\n' >old.csv
	touch -d '1 hour ago' old.csv
	run -0 profile.sh cpu --power old.csv --latency none.csv -- true
	contains "$output" "warning: 'old.csv' for --power was not written by this run"
	contains "$output" "warning: there is no file 'none.csv' for --latency"
	[ "$(sqlite3 results/hotspots.db 'select count(*) from series')" = 0 ]
	rm -r results
	run -5 profile.sh cpu --power p.csv -- sh -c 'printf "timestamp_us,watts\n0,x\n" >p.csv'
	contains "$output" 'power.csv: line 2: watts is not a number'
	contains "$output" 'the run could not be added'
}

@test "hotdrift.ini may name the CSV files of a target and its work" {
	mkdir sub
	cat >hotdrift.ini <<-'END'
	[target app]
	run = sh w.sh
	dir = sub
	latency_csv = sub/l.csv
	series_csv = q=sub/q.csv
	  r=sub/r.csv
	work = 1e3
	END
	cat >sub/w.sh <<-'END'
		printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,100,1,1\n1,200,1,1\n' >l.csv
		printf 'depth\n1\n2\n' | tee q.csv >r.csv
	END
	run -0 profile.sh cpu --target app
	[ "$(sqlite3 results/hotspots.db 'select p99_us, work from v_run_summary')" = '200.0|1000.0' ]
	[ "$(sqlite3 results/hotspots.db "select group_concat(name) from series where kind = 'other'")" = \
		'q.depth,r.depth' ]
	printf '[target app]\nrun = true\nwork = much\n' >hotdrift.ini
	run -5 profile.sh cpu --target app
	contains "$output" 'hotdrift.ini:3: work of target app takes a number above 0'
	printf '[target app]\nrun = true\nseries_csv = q.csv\n' >hotdrift.ini
	run -5 profile.sh cpu --target app
	contains "$output" 'series_csv of target app takes NAME=FILE'
}

@test "run.json tells what was run, how, when, and on what" {
	run -0 profile.sh cpu --freq 499 --call-graph dwarf --duration 1 --cpus 1 -- sh -c 'exit 0'
	[ "$(of_run '[.format, .version, .target, .mode, .status, .command, .exit_status] | tojson')" = \
		'["hotdrift.run",1,"sh","cpu","ok",["sh","-c","exit 0"],0]' ]
	[ "$(of_run '[.event, .freq, .call_graph, .stack_bytes, .duration, .max_size] | tojson')" = \
		'["cycles",499,"dwarf",8192,1,104857600]' ]
	[ "$(of_run '[.commit, .perf_version] | tojson')" = '[null,"9.9.fake"]' ]
	[[ $(of_run .cpu_seconds) =~ ^[0-9.]+$ ]]
	[ "$(of_run '[.stopped_at_max_size, .lost_tail] | tojson')" = '[false,false]' ]
	[ "$(of_run .samples)" = "$("$HOTDRIFT" info --json "$FAKE_RECORDING" 2>/dev/null | jq .samples.kept)" ]
	[ "$(of_run '"\(.artifact.bytes) \(.artifact.sha256)"')" = \
		"$(stat -c %s "$FAKE_RECORDING") $(sha256sum <"$FAKE_RECORDING" | cut -d' ' -f1)" ]
	[[ $(of_run .time) =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$ ]]
	contains "$output" "run         $(of_run .run) in results/hotspots.db"
}

@test "the words of the command reach run.json whatever they hold" {
	run -0 profile.sh cpu -- true 'a "b" \c' $'line\nbreak\ttab\001' 'ümlaut' $'bad\xff\xfe' '' \
		'$(touch x)' '; rm y'
	[ "$(of_run '.command | tojson')" = \
		'["true","a \"b\" \\c","line\nbreak\ttab\u0001","ümlaut","bad\\xff\\xfe","","$(touch x)","; rm y"]' ]
	[ ! -e x ]
}

@test "a command line longer than one argument may be is kept: whole in run.json, its beginning in the database" {
	# shellcheck disable=SC2046	# two thousand words
	run -0 profile.sh cpu -- true $(printf '%0100d ' $(seq 2000))
	[ "$(of_run '.command | length')" = 2001 ]
	# shellcheck disable=SC2046
	run -0 profile.sh cpu -- true $(printf '%0100d ' $(seq 1999)) other
	stored="length(command) BETWEEN 30000 AND 31000, command LIKE 'true 0%1 0% ... %'"
	[ "$(sqlite3 results/hotspots.db "SELECT DISTINCT $stored FROM run")" = '1|1' ]
	[ "$(sqlite3 results/hotspots.db 'SELECT COUNT(DISTINCT command) FROM run')" = 2 ]
}

@test "the command keeps its input, its output and its folder" {
	echo hello >"$TMPDIR/input"
	run -0 --separate-stderr profile.sh cpu -- sh -c 'cat; pwd; echo words >&2' <"$TMPDIR/input"
	contains "$output" hello
	contains "$output" "$PWD"
	contains "$stderr" words
}

@test "perf is asked for the event, the frequency and the call graphs, for the probe too" {
	export FAKE_LOG=$TMPDIR/log
	run -0 profile.sh cpu --event instructions:u --freq 99 --call-graph fp --all-cpus --compress 3 -- true --flag
	run -0 cat "$TMPDIR/log"
	for line in "${lines[@]}"; do
		contains "$line" '-N -F 99 --call-graph fp -a -z3 --buildid-mmap --control fifo:'
		contains "$line" ' -e instructions:u -o '
	done
	contains "${lines[1]}" '-- true --flag'
}

@test "a trial recording is made once a boot for the same perf and options; --check always makes one" {
	log=$TMPDIR/log
	log_it() { FAKE_LOG=$log run -0 profile.sh "$@"; }
	log_it cpu --no-db --call-graph fp -- true
	log_it cpu --no-db --call-graph fp -- true
	[ "$(grep -c 'probe\.data' "$log")" = 1 ]
	[ "$(grep -vc 'probe\.data' "$log")" = 2 ]
	log_it cpu --no-db --call-graph fp --freq 99 -- true
	[ "$(grep -c 'probe\.data' "$log")" = 2 ]
	echo '# another perf' >>"$BATS_TEST_TMPDIR/fakes/perf"
	log_it cpu --no-db --call-graph fp -- true
	[ "$(grep -c 'probe\.data' "$log")" = 3 ]
	log_it cpu --check
	log_it cpu --check
	[ "$(grep -c 'probe\.data' "$log")" = 5 ]
	[ "$(stat -c %a "$XDG_RUNTIME_DIR/hotdrift")" = 700 ]
}

@test "a recording that fails although an earlier trial worked is explained by a new trial" {
	run -0 profile.sh cpu --no-db -- true
	FAKE_PERF=eperm run -6 profile.sh cpu --no-db -- true
	contains "$output" 'perf_event_open is refused'
	[ -z "$(ls "$XDG_RUNTIME_DIR/hotdrift")" ]
}

@test "run.log keeps what the command and perf printed, which appears as always" {
	run -0 --separate-stderr profile.sh cpu --no-db -- sh -c 'echo "on stdout"; echo "on stderr" >&2'
	contains "$output" 'on stdout'
	contains "$stderr" 'on stderr'
	[ "$(sort "$(only_run)/run.log")" = $'on stderr\non stdout' ]
	rm -r results
	run -0 profile.sh cpu --no-db --no-log -- echo words
	contains "$output" words
	[ ! -e "$(only_run)/run.log" ]
	rm -r results
	# A process that remains and holds the output open must not delay profile.sh.
	# `run` would wait for that process.
	profile.sh cpu --no-db -- sh -c 'echo words; timeout 60 tail -f /dev/null & echo $! >pid' >out 2>&1 3>&-
	[ "$(cat "$(only_run)/run.log")" = words ]
	lacks "$(cat "/proc/$(cat pid)/status")" zombie
	kill "$(cat pid)"
}

@test "run.log keeps the first 10 MiB" {
	run -0 --separate-stderr profile.sh cpu --no-db -- head -c 12000000 /dev/zero >all
	[ "$(stat -c %s "$(only_run)/run.log")" = 10485760 ]
}

@test "a bundle is kept beside the recording, which opens after the program was rebuilt" {
	run -0 profile.sh cpu --call-graph fp --from "$SHIPPED/perf.data" --symfs "$SHIPPED/symfs"
	dir=$(only_run)
	[ "$(of_run .bundle.path)" = perf.hdb ]
	contains "$output" "bundle      $dir/perf.hdb"
	# The bundle has the names although no files are searched at the recorded paths.
	"$HOTDRIFT" top "$dir/perf.hdb" >"$TMPDIR/top" 2>"$TMPDIR/messages"
	contains "$(cat "$TMPDIR/top")" vector_dot
	[ "$(sqlite3 results/hotspots.db "select count(*) from artifact where path like '%/perf.hdb'")" = 1 ]
	rm -r results
	run -0 profile.sh cpu --no-db --no-bundle -- true
	[ ! -e "$(only_run)/perf.hdb" ]
}

@test "a hotdrift that does not run is an error of its own, not an unknown mode" {
	fake_line hotdrift 'exit 127'
	HOTDRIFT=$BATS_TEST_TMPDIR/fakes/hotdrift run -6 profile.sh cpu -- true
	contains "$output" "fakes/hotdrift' does not run"
	lacks "$output" 'unknown mode'
}

@test "a results folder that cannot be made: the option that names another" {
	touch results
	run -6 profile.sh cpu -- true
	contains "$output" "cannot make the results folder 'results'"
	contains "${lines[-1]}" '--results DIR'
}

@test "two runs within a second get two folders" {
	# Another run makes the folder first.
	fake_line mkdir 'command -p mkdir "$@" || exit; case $2 in *Z-nocommit) exit 1 ;; esac'
	run -0 profile.sh cpu --no-db -- true
	local theirs=(results/*Z-nocommit) ours=(results/*Z-nocommit-2)
	[ ${#theirs[@]}:${#ours[@]}:"${theirs[0]}-2" = 1:1:"${ours[0]}" ]
	[ -z "$(ls -A "${theirs[0]}")" ]
	[ -s "${ours[0]}/run.json" ]
}

@test "--result-path tells a script where the results are" {
	run -0 profile.sh cpu --no-db --result-path "$TMPDIR/path" -- true
	[ "$(cat "$TMPDIR/path")" = "$(only_run)" ]
}

@test "nothing is left in TMPDIR" {
	run -0 profile.sh cpu -- true
	run -6 profile.sh cpu -- false
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "stacks that are not good are told, and run.json has the grade" {
	run -0 profile.sh cpu --no-db -- true
	[ "$(of_run .quality)" = poor ]
	contains "$output" 'stacks      poor: '
	contains "$output" '% of the frames have no symbol; see hotdrift info results/'
	rm -r results
	run -0 profile.sh cpu --no-db --from "$TOP/fixtures/recordings/copies/perf.data" \
		--symfs "$TOP/fixtures/recordings/copies/symfs"
	[ "$(of_run .quality)" = fair ]
	contains "$output" 'stacks      fair: '
	rm -r results
	run -0 profile.sh cpu --no-db --from "$TOP/fixtures/recordings/calls/perf.data" \
		--symfs "$TOP/fixtures/recordings/calls/symfs"
	[ "$(of_run .quality)" = good ]
	lacks "$output" 'stacks  '
}

@test "a locale with a decimal comma changes neither the result nor the numbers" {
	command -v localedef >/dev/null || skip 'no localedef'
	export LOCPATH=$BATS_TEST_TMPDIR/locales
	mkdir "$LOCPATH"
	localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" 2>/dev/null || :
	[ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ] || skip 'no sources of the locale de_DE'
	LC_ALL=de_DE.UTF-8 run -0 profile.sh cpu --result-path path -- true
	[[ $output =~ 'stacks      poor: '[0-9]+\.[0-9]'% reach their root' ]]
	contains "$output" 'run         '
	[ -s path ]
}

# ---- the database

@test "each run is a row, and the second one shows what changed since the first" {
	run -0 profile.sh cpu -- true
	first=$(of_run .run)
	contains "$output" "run         $first in results/hotspots.db"
	contains "$output" 'no earlier run'
	rm -r results/2*
	run -0 profile.sh cpu -- true
	second=$(of_run .run)
	[ "$second" != "$first" ]
	contains "$output" "since    $first"
	run -0 "$HOTDRIFT" log --target true --db results/hotspots.db
	contains "$output" "$first"
	contains "$output" "$second"
	[ "$(sqlite3 results/hotspots.db 'select count(*) from run')" = 2 ]
	run -0 profile.sh cpu --target other -- true
	contains "$output" 'no earlier run'
}

@test "the folder of the database is made where it is not there yet" {
	printf '[hotdrift]\ndb = history/all.db\n[target app]\nrun = true\n' >hotdrift.ini
	run -0 profile.sh cpu --target app --results elsewhere
	[ "$(sqlite3 history/all.db 'select count(*) from run')" = 1 ]
}

@test "--no-db adds no row, --db puts it elsewhere" {
	run -0 profile.sh cpu --no-db -- true
	[ ! -e results/hotspots.db ]
	[ "$(of_run .run)" = null ]
	rm -r results
	run -0 profile.sh cpu --db other.db -- true
	[ ! -e results/hotspots.db ]
	[ "$(sqlite3 other.db 'select count(*) from run')" = 1 ]
	[ "$(of_run .db)" = other.db ]
}

@test "--config is stored with the run; a config that is not there is said before recording" {
	echo '{"threads": 4}' >config.json
	run -0 profile.sh cpu --config config.json -- true
	[ "$(of_run .config)" = config.json ]
	run -6 profile.sh cpu --config missing.json -- touch ran
	contains "$output" "cannot read the configuration 'missing.json'"
	[ ! -e ran ]
}

# ---- commands that fail

@test "a failing command: the recording is kept, marked failed, and the exit is 6" {
	run -6 profile.sh cpu -- sh -c 'exit 7'
	contains "$output" 'sh exited with status 7'
	[ "$(of_run .status)" = failed ]
	[ "$(of_run .exit_status)" = 7 ]
	[ -s "$(only_run)/perf.data" ]
	[ -s "$(only_run)/flamegraph.svg" ]
	[ "$(sqlite3 results/hotspots.db 'select status from run')" = failed ]
}

@test "a command that does not exist is said, and nothing is left behind" {
	run -6 profile.sh cpu -- ./no-such-program
	contains "$output" "there is no command './no-such-program' to record"
	[ ! -e results ]
}

@test "a recording that perf did not write leaves no folder" {
	FAKE_PERF=nothing run -6 profile.sh cpu -- true
	contains "$output" 'perf record made no recording'
	[ -z "$(ls -A results)" ]
}

@test "a recording that cannot be analysed is kept, marked failed, and the exit is 5" {
	echo 'this is no recording' >broken
	FAKE_RECORDING=$PWD/broken run -5 profile.sh cpu -- true
	contains "$output" 'could not be analysed'
	[ "$(of_run .status)" = failed ]
	cmp "$(only_run)/perf.data" broken
}

# A command that uses CPU time, so that perf takes samples.
works='i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; '

@test "a signal ends the recording; what was recorded is kept, marked interrupted, and the exit is 0" {
	for how in "TERM " "INT " "INT -"; do	# to the script, or as from a terminal to its whole group
		rm -rf results started
		env --default-signal=INT setsid profile.sh cpu -- sh -c "$works""$begins" >out 2>&1 3>&- &
		signal_when started "${how% *}" $! "${how#* }$!"
		[ "$status" = 0 ]
		contains "$(cat out)" "interrupted by SIG${how% *}; what was recorded is kept in results/"
		[ "$(of_run .status)" = interrupted ]
		[ "$(of_run .exit_status)" = null ]
		[ -s "$(only_run)/folded.txt" ]
		[ "$(sqlite3 results/hotspots.db 'select status from run')" = interrupted ]
	done
}

@test "an interrupted recording without samples is kept, and the exit is 5, as after --duration" {
	sed -n '/>no-trace.data/,/^END$/{//!p}' "$TOP/tests/cli/top/without-samples.sh" | base64 -d >empty.data
	timeout 60 tail -f /dev/null 3>&- &
	pid=$!
	for how in all cpu; do
		rm -rf attached results
		FAKE_RECORDING=$PWD/empty.data profile.sh "$how" --pid "$pid" >out 2>&1 3>&- &
		signal_when attached TERM $!
		[ "$status" = 5 ]
		contains "$(cat out)" 'contains no samples'
		[ "$(jq -r .status results/2*/run.json)" = interrupted ]
	done
}

@test "the results folder is not behind a link of another user in a sticky folder" {
	[ "$(id -u)" = 0 ] || skip 'only root can make links of another user'
	mkdir shared private
	chmod 1777 shared
	ln -s ../private shared/link
	for results in shared/link/new "$PWD/shared/link/new"; do
		chown -h 12345 shared/link
		run -6 profile.sh cpu --from "$SHIPPED/perf.data" --results "$results"
		contains "$output" "'link' in it is a link of another user (uid 12345)"
		[ -z "$(ls -A private)" ]
		chown -h 0 shared/link
		run -0 profile.sh cpu --from "$SHIPPED/perf.data" --results "$results"
		[ -n "$(ls -A private/new)" ]
		rm -rf private/new
	done
}

@test "an interrupted run is never a baseline, nor a side of a gate" {
	commit_all
	run -0 profile.sh cpu --target app -- true
	rm -rf results/2*
	profile.sh cpu --target app -- sh -c "$begins" >out 2>&1 3>&- &
	signal_when started TERM $!
	run -0 "$HOTDRIFT" query --db results/hotspots.db --csv "SELECT run_id FROM run WHERE status = 'interrupted'"
	interrupted=${lines[1]//\"/}
	[ -n "$interrupted" ]
	run "$HOTDRIFT" gate --db results/hotspots.db --target app --head "$interrupted"
	[ "$status" = 4 ] || [ "$status" = 6 ] || [ "$status" = 5 ]
	lacks "$output" PASS
	rm -rf results/2*
	run -0 profile.sh cpu --target app -- true
	lacks "$output" "since    $interrupted"
}

@test "--duration ends the recording and the command; the run is good" {
	run -0 profile.sh cpu --duration 1 -- timeout 60 tail -f /dev/null
	[ "$(of_run '[.status, .duration, .exit_status] | tojson')" = '["ok",1,null]' ]
	[ "$(sqlite3 results/hotspots.db 'select status, selection from run')" = 'ok|--duration=1' ]
}

@test "--duration kills a command that ignores SIGTERM" {
	run -0 profile.sh cpu --no-db --duration 1 -- sh -c 'trap "" TERM; echo $$ >pid; exec tail -f /dev/null'
	contains "$output" 'warning: sh ignored SIGTERM for 10 s after --duration, and was killed'
	run ! kill -0 "$(cat pid)"
	[ "$(of_run '[.status, .exit_status] | tojson')" = '["ok",null]' ]
}

# ---- running processes

@test "--pid attaches to a running process, until --duration or the process ends" {
	timeout 60 tail -f /dev/null &
	pid=$!
	FAKE_LOG=$TMPDIR/log run -0 profile.sh cpu --no-db --pid "$pid" --duration 1
	[ "$(cat attached)" = "$pid" ]
	contains "$(tail -n 1 "$TMPDIR/log")" " -p $pid"
	[ "$(of_run '[.status, .target, .pid, .command, .exit_status] | tojson')" = \
		"[\"ok\",\"timeout\",\"$pid\",[],null]" ]
	kill -0 "$pid"
	kill "$pid"
	run -6 profile.sh cpu --pid 99999999
	contains "$output" 'there is no process 99999999'
}

# Make a server and a client for the tests.  The server listens on a socket, and makes the file `stopped` on SIGTERM.
a_server() {
	command -v python3 >/dev/null || skip 'needs python3'
	cat >server.py <<-'END'
		import os, signal, socket, sys
		def stop(*_):
		    open("stopped", "w").close()
		    sys.exit(0)
		signal.signal(signal.SIGTERM, stop)
		print("starting", flush=True)
		if len(sys.argv) > 1:
		    sys.exit(3)
		s = socket.socket(socket.AF_UNIX)
		s.bind("socket")
		s.listen()
		while True:
		    signal.pause()
	END
}

@test "--server starts a server, waits until it listens, records it while the workload runs, and stops it" {
	a_server
	echo 'import socket; socket.socket(socket.AF_UNIX).connect("socket")' >client.py
	FAKE_LOG=$TMPDIR/log run -0 profile.sh cpu --no-db --server 'python3 server.py' -- \
		sh -c 'python3 client.py && test ! -e stopped && touch worked'
	[ -e worked ] && [ -e stopped ]
	[[ $(tail -n 1 "$TMPDIR/log") =~ \ -p\ [0-9]+\ --\ sh ]]
	[ "$(of_run '[.status, .target, .server, .command[0]] | tojson')" = \
		'["ok","python3","python3 server.py","sh"]' ]
	[ "$(cat "$(only_run)/server.log")" = starting ]
	rm -r results socket stopped
	run -6 profile.sh cpu --no-db --server 'python3 server.py' -- sh -c 'exit 3'
	contains "$output" 'sh exited with status 3'
	[ -e stopped ]
	# timeout runs the server in a process group of its own.
	rm -r results socket stopped
	run -0 profile.sh cpu --no-db --server 'timeout 600 python3 server.py & wait' -- python3 client.py
	[ -e stopped ]
}

@test "an interrupt while the server is stopped keeps the recording and marks it" {
	cat >server.sh <<-'END'
		trap 'touch stopping; until [ -e go ]; do sleep 0.05; done; exit 0' TERM
		touch up
		while :; do sleep 0.05; done
	END
	env --default-signal=INT profile.sh cpu --no-db --server 'sh server.sh' --ready 'test -e up' -- true \
		>out 2>&1 3>&- &
	until_there stopping $!
	kill -INT $!
	touch go
	wait $!
	contains "$(cat out)" 'interrupted by SIGINT; what was recorded is kept in results/'
	[ "$(of_run .status)" = interrupted ]
	[ -s "$(only_run)/flamegraph.svg" ]
}

@test "--ready says when a server is ready that does not listen; one that ends before is said" {
	a_server
	run -0 profile.sh cpu --no-db --server "sh -c 'touch up; exec timeout 60 tail -f /dev/null'" \
		--ready 'test -e up' -- true
	[ "$(of_run .status)" = ok ]
	rm -r results
	run -6 profile.sh cpu --no-db --server 'python3 server.py fails' -- touch worked
	contains "$output" 'starting'
	contains "$output" 'the server ended with status 3 before it was ready'
	[ ! -e worked ]
	[ -z "$(ls results)" ]
	# What the server has started is stopped, too.
	run -6 profile.sh cpu --no-db --ready false \
		--server 'sh -c "trap \"touch stopped; exit\" TERM; touch up; while :; do sleep 0.1; done" &
			until [ -e up ]; do sleep 0.1; done; exit 3' -- true
	contains "$output" 'the server ended with status 3 before it was ready'
	[ -e stopped ]
}

@test "all --pid and all --server leave out the modes that cannot attach to a process, and say so" {
	timeout 60 tail -f /dev/null &
	pid=$!
	run profile.sh all --no-db --pid "$pid" --duration 1
	kill "$pid"
	for mode in memory gpu power; do
		contains "$output" "--pid does not apply to $mode, whose recorder starts the command itself"
	done
	lacks "$output" 'see above: memory'
	[ "$(jq -r '.mode' results/2*/run.json | grep -c -x -e memory -e gpu -e power)" = 0 ]
	run profile.sh all --no-db --rss none --ready true --server 'timeout 60 tail -f /dev/null' -- true
	contains "$output" '--server does not apply to gpu, whose recorder starts the command itself'
	jq -r '.mode' results/2*/run.json | grep -x memory
}

@test "a --ready that hangs or is slow ends at the limit for the start of the server" {
	cp -r "$TOP/scripts" scripts
	sed -i 's/ready_seconds=60/ready_seconds=2/' scripts/lib/attach.sh
	for slow in 'sleep 30' 'sleep 0.5; false'; do
		begun=$SECONDS
		run -6 scripts/profile.sh cpu --no-db --server 'timeout 60 tail -f /dev/null' --ready "$slow" -- true
		contains "$output" 'the server was not ready within 2 s'
		[ $((SECONDS - begun)) -lt 20 ]
	done
}

@test "in mode memory the allocations of a server are recorded" {
	a_server
	run -0 profile.sh memory --no-db --rss none --server 'python3 server.py' -- true
	[ "$(of_run '[.status, .mode] | tojson')" = '["ok","memory"]' ]
	[ -s "$(only_run)/heap.data" ]
}

@test "a signal to all ends the mode that is recorded, keeps it, and begins no other" {
	for how in "TERM " "INT -"; do	# to the script, or as from a terminal to its whole group
		rm -rf started results
		env --default-signal=INT setsid profile.sh all --session mine -- sh -c "$works""$begins" \
			>out 2>&1 3>&- &
		signal_when started "${how% *}" $! "${how#* }$!"
		[ "$status" = 0 ]
		contains "$(cat out)" "interrupted by SIG${how% *}; what was recorded until then is kept"
		[ "$(cat results/*/run.json | jq -r '[.mode, .status] | tojson')" = '["cpu","interrupted"]' ]
		[ "$(grep -c 'class="mode"' results/all-*/all.html)" = 1 ]
		grep -q '>mine<' results/all-*/all.html
		[ -z "$(find "$TMPDIR" -name 'hotdrift-*')" ]
	done
}

# ---- permission

@test "perf absent: how to install it, exit 6" {
	HOTDRIFT_PERF=/nonexistent/perf run -6 profile.sh cpu -- touch ran
	contains "$output" "there is no perf at '/nonexistent/perf'"
	contains "$output" 'sudo apt-get install linux-perf'
	[ ! -e ran ]
	[ ! -e results ]
}

@test "a paranoid setting: the exact line to type and the other ways, exit 6, nothing changed" {
	fake_user
	paranoid_is 3
	FAKE_PERF=paranoid run -6 profile.sh cpu -- touch ran
	contains "$output" 'kernel.perf_event_paranoid is 3'
	contains "$output" 'sudo sysctl kernel.perf_event_paranoid=1 '
	contains "$output" '--allow-sysctl'
	contains "$output" 'cap_perfmon'
	[ ! -e ran ]
	[ "$(cat "$PARANOID")" = 3 ]
}

@test "refused for another reason than the setting: the container and its remedies are named" {
	paranoid_is 1
	FAKE_PERF=eperm run -6 profile.sh cpu -- true
	contains "$output" 'perf_event_open is refused'
	contains "$output" '--cap-add PERFMON'
	lacks "$output" 'sudo sysctl'
}

@test "a tracefs that may not be read is named, with the setting only if that is missing, too" {
	paranoid_is 2
	FAKE_PERF=tracefs run -6 profile.sh syscall -- true
	contains "$output" 'error: /sys/kernel/tracing may not be read, which this recording needs'
	contains "$output" "sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing "
	lacks "$output" setcap
	lacks "$output" sysctl
	FAKE_PERF=no-rights run -6 profile.sh syscall -- true
	contains "$output" 'kernel.perf_event_paranoid is 2, which forbids this recording'
	contains "$output" ', and /sys/kernel/tracing may not be read'
	contains "$output" ' /sys/kernel/tracing      until the next boot, and one of these:'
	contains "$output" 'setcap cap_perfmon'
}

@test "a process of another user that perf may not record is named as such" {
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${as[@]}" true 2>/dev/null || skip 'no right to become another user'
	"${as[@]}" timeout 60 tail -f /dev/null 3>&- &
	pid=$!
	mkfifo "$BATS_TEST_TMPDIR/pause"
	until [ "$(stat -c %u "/proc/$pid")" = 65534 ]; do read -r -t 0.05 <>"$BATS_TEST_TMPDIR/pause" || :; done
	fake_user
	FAKE_PERF=nothing run -6 profile.sh cpu --no-db --pid "$pid"
	contains "$output" "process $pid belongs to another user"
	kill "$pid"
}

@test "a kernel without perf_event_open is told apart" {
	FAKE_PERF=enosys run -6 profile.sh cpu -- true
	contains "$output" 'this kernel has no perf_event_open'
	lacks "$output" 'sudo sysctl'
}

@test "no cycle counter: cpu-clock is recorded instead, and it says so" {
	for how in clock task-clock no-event; do
		FAKE_PERF=$how run -0 profile.sh cpu -- true
		contains "$output" 'recording cpu-clock, which samples time'
		[ "$(of_run .event)" = cpu-clock ]
		[ "$(of_run .event_asked)" = cycles ]
		rm -r results
	done
}

@test "an event that was asked for is not replaced by another" {
	FAKE_PERF=no-event run -6 profile.sh cpu --event instructions -- true
	contains "$output" "the event 'instructions' cannot be recorded on this machine"
	FAKE_PERF=no-event run -6 profile.sh cpu --event cycles -- true
	contains "$output" "the event 'cycles' cannot be recorded on this machine"
}

@test "--check only says whether perf can record" {
	run -0 profile.sh cpu --check
	contains "$output" 'perf 9.9.fake records cycles here'
	FAKE_PERF=denied run -6 profile.sh cpu --check
	[ ! -e results ]
}

# ---- --allow-sysctl

@test "--allow-sysctl lowers the setting while recording and restores it" {
	fake_user
	paranoid_is 3
	FAKE_PERF=paranoid run -0 profile.sh cpu --allow-sysctl -- sh -c 'cp "$HOTDRIFT_PARANOID_FILE" during'
	[ "$(cat during)" = 1 ]
	[ "$(cat "$PARANOID")" = 3 ]
	contains "$output" 'lowered from 3 to 1'
	contains "$output" 'kernel.perf_event_paranoid is 3 again'
}

@test "--allow-sysctl restores it when the command fails" {
	fake_user
	paranoid_is 2
	FAKE_PERF=paranoid run -6 profile.sh cpu --allow-sysctl -- sh -c 'exit 3'
	[ "$(cat "$PARANOID")" = 2 ]
}

@test "--allow-sysctl restores it when perf still refuses" {
	fake_user
	paranoid_is 4
	FAKE_PERF=denied run -6 profile.sh cpu --allow-sysctl -- true
	[ "$(cat "$PARANOID")" = 4 ]
}

@test "--allow-sysctl restores it when the command does not exist" {
	fake_user
	paranoid_is 3
	FAKE_PERF=paranoid run -6 profile.sh cpu --allow-sysctl -- ./no-such-program
	[ "$(cat "$PARANOID")" = 3 ]
}

@test "--allow-sysctl restores it when the results folder cannot be made" {
	fake_user
	paranoid_is 3
	touch blocked
	FAKE_PERF=paranoid run -6 profile.sh cpu --allow-sysctl --results blocked/results -- true
	[ "$(cat "$PARANOID")" = 3 ]
}

@test "--allow-sysctl restores it when the recording is ended by a signal" {
	fake_user
	for signal in TERM HUP; do
		paranoid_is 3
		rm -f started
		FAKE_PERF=paranoid profile.sh cpu --allow-sysctl -- sh -c "$begins" >out 2>&1 3>&- &
		pid=$!
		until_there started "$pid"
		[ "$(cat "$PARANOID")" = 1 ]
		kill -"$signal" "$pid"
		wait "$pid" || :
		[ "$(cat "$PARANOID")" = 3 ]
	done
}

@test "--allow-sysctl after SIGKILL: the next start restores the setting, of any mode" {
	fake_user
	export XDG_RUNTIME_DIR=''
	paranoid_is 3
	FAKE_PERF=paranoid profile.sh cpu --allow-sysctl -- sh -c "$begins" >out 2>&1 3>&- &
	pid=$!
	until_there started "$pid"
	# While one process records, the others do not change the setting.
	run profile.sh cpu --check
	[ "$(cat "$PARANOID")" = 1 ]
	kill -KILL "$pid"
	wait "$pid" || :
	[ "$(cat "$PARANOID")" = 1 ]
	run profile.sh syscall --check
	contains "$output" 'kernel.perf_event_paranoid is 3 again: a recording that was killed had left it at 1'
	[ "$(cat "$PARANOID")" = 3 ]
	run profile.sh cpu --check
	lacks "$output" again
}

@test "--allow-sysctl is refused while another recording has lowered the setting, which restores it" {
	fake_user
	paranoid_is 3
	FAKE_PERF=paranoid profile.sh cpu --allow-sysctl -- sh -c "$begins" >out 2>&1 3>&- &
	until_there started $!
	FAKE_PERF=paranoid run -6 profile.sh cpu --allow-sysctl --all-cpus -- touch ran
	contains "$output" 'another recording has lowered kernel.perf_event_paranoid; wait'
	[ "$(cat "$PARANOID")" = 1 ] && [ ! -e ran ]
	signal_when started TERM $!
	[ "$(cat "$PARANOID")" = 3 ]
	FAKE_PERF=paranoid run -0 profile.sh cpu --allow-sysctl --all-cpus -- true
	[ "$(cat "$PARANOID")" = 3 ]
}

@test "--allow-sysctl changes nothing where it is not needed" {
	fake_user
	paranoid_is 1
	FAKE_PERF=paranoid run -0 profile.sh cpu --allow-sysctl -- true
	lacks "$output" lowered
	[ "$(cat "$PARANOID")" = 1 ]
}

# ---- git

@test "the results are ignored by git, and the commit is recorded" {
	echo x >file
	commit_all
	run -0 profile.sh cpu -- true
	[ -z "$(git status --porcelain)" ]
	[ "$(of_run .commit)" = "$(git rev-parse HEAD)" ]
	[ "$(of_run .dirty)" = false ]
	contains "$(only_run)" "-$(git rev-parse HEAD | cut -c1-12)"
	[ "$(cat results/.gitignore)" = '*' ]
	echo y >file
	rm -rf results/2*
	run -0 profile.sh cpu -- true
	[ "$(of_run .dirty)" = true ]
}

@test "a .gitignore that is a link to nowhere is not followed" {
	mkdir results
	ln -s ../elsewhere results/.gitignore
	commit_all
	run -0 profile.sh cpu --no-db -- true
	[ ! -e elsewhere ]
	[ "$(cat "$(only_run)/.gitignore")" = '*' ]
}

@test "a results folder with files of the project gets no .gitignore over them" {
	mkdir results
	echo x >results/README
	commit_all
	run -0 profile.sh cpu --no-db -- true
	[ ! -e results/.gitignore ]
	[ -z "$(git status --porcelain)" ]
}

# ---- targets

@test "a target is built and run as hotdrift.ini says, in the folder of the file" {
	cat >hotdrift.ini <<-'END'
		[hotdrift]
		results = out
		db = out/all.db
		[target app]
		build = echo built > made ; test -f hotdrift.ini
		run = ./app --size 3
		frequency = 199
		call_graph = dwarf
	END
	printf '#!/bin/sh\necho "ran $*"\n' >app
	chmod +x app
	mkdir sub
	commit_all
	cd sub
	run -0 profile.sh cpu --target app
	contains "$output" 'ran --size 3'
	[ "$(cat ../made)" = built ]
	[ -e ../out/all.db ]
	[ "$(jq -r '.command | tojson' ../out/2*/run.json)" = '["./app","--size","3"]' ]
	[ "$(jq -r .freq ../out/2*/run.json)" = 199 ]
	[ "$(jq -r .target ../out/2*/run.json)" = app ]
}

@test "relative --perf, HOTDRIFT_PERF and HOTDRIFT work with a target that has a folder" {
	mkdir bin sub
	printf '[target app]\nrun = true\ndir = sub\n' >hotdrift.ini
	ln -s "$HOTDRIFT" bin/hotdrift
	mv "$BATS_TEST_TMPDIR/fakes/perf" bin/
	HOTDRIFT=bin/hotdrift run -0 profile.sh cpu --target app --perf bin/perf
	rm -r results
	HOTDRIFT=bin/hotdrift HOTDRIFT_PERF=./bin/perf run -0 profile.sh cpu --target app
}

@test "a run line with shell in it goes through sh, and options win over the file" {
	printf '[target app]\nrun = for i in 1 2; do echo "n=$i"; done > said\nfrequency = 199\n' >hotdrift.ini
	run -0 profile.sh cpu --target app --freq 299
	[ "$(cat said)" = $'n=1\nn=2' ]
	[ "$(of_run .freq)" = 299 ]
}

@test "a failed build stops before recording, with its last words" {
	printf '[target app]\nbuild = echo oh no ; exit 2\nrun = touch ran\n' >hotdrift.ini
	run -6 profile.sh cpu --target app
	contains "$output" 'oh no'
	contains "$output" 'the build of target app failed'
	[ ! -e ran ]
	run -0 profile.sh cpu --target app --no-build
	[ -e ran ]
}

@test "the line that repeats a failed build can be pasted" {
	mkdir 'my app'
	printf '[target app]\nbuild = touch built ; exit 2\nrun = true\ndir = my app\n' >hotdrift.ini
	run -6 profile.sh cpu --target app
	rm 'my app/built'
	run -2 sh -c "${lines[-1]}"
	[ -e 'my app/built' ]
}

@test "an unknown target, a mode it is not for, a file that is wrong" {
	printf '[target app]\nrun = true\nmodes = gpu\n' >hotdrift.ini
	run -2 profile.sh cpu --target other
	contains "$output" "no target 'other'"
	run -5 profile.sh cpu --target app
	contains "$output" 'target app is not for mode cpu'
	printf '[target app]\nrun = true\nfrequency = often\n' >hotdrift.ini
	run -5 profile.sh cpu --target app
	contains "$output" 'hotdrift.ini:3: frequency of target app'
}

@test "the modes of all name what the user typed" {
	FAKE_PERF=denied HOTDRIFT_DOOR='hotdrift profile' run -6 profile.sh all --no-db --rss none -- true
	contains "$output" 'hotdrift profile: error: '
	contains "$output" '  hotdrift profile syscall --allow-sysctl '
	lacks "$output" profile.sh
}

@test "all records the modes of the target, and names those that it leaves out" {
	printf '[target app]\nrun = sort hotdrift.ini\nmodes = cpu memory\n' >hotdrift.ini
	run -0 profile.sh all --target app --no-db
	[ "$(jq -r .mode results/2*/run.json | sort | tr '\n' ' ')" = "cpu memory " ]
	contains "$output" 'target app is not for mode async; hotdrift.ini has modes = cpu memory'
}

@test "with a command, --target only names the row, and nothing of hotdrift.ini runs" {
	printf '[target app]\nbuild = touch built\nrun = touch ran\n' >hotdrift.ini
	run -0 profile.sh cpu --target app -- true
	[ ! -e built ] && [ ! -e ran ]
	[ "$(of_run .target)" = app ]
}

# ---- a recording made elsewhere

@test "a recording of --from that cannot be read has a reason" {
	run -6 profile.sh cpu --from .
	contains "$output" "cannot read the recording '.': it is a folder"
	run -6 profile.sh cpu --from absent
	contains "$output" "cannot read the recording 'absent': there is no such file"
}

@test "--from analyses a recording, which is a fixture" {
	FAKE_PERF=denied run -0 profile.sh cpu --target memgraph --from "$SHIPPED/perf.data" --symfs "$SHIPPED/symfs"
	contains "$output" vector_dot
	[ "$(of_run .status)" = fixture ]
	[ "$(of_run .exit_status)" = null ]
	[ "$(sqlite3 results/hotspots.db 'select status from run')" = fixture ]
	cmp "$(only_run)/perf.data" "$SHIPPED/perf.data"
	run -6 profile.sh cpu --from "$TMPDIR"
	contains "$output" 'cannot read the recording'
	run -2 profile.sh cpu --from "$SHIPPED/perf.data" -- true
}

# ---- with the perf of this machine

# full_disk KIB: mount a disk with this much free space at `full`, and work there.
full_disk() {
	mkdir full
	mount -t tmpfs -o size=1m none full 2>/dev/null || skip 'no right to mount a file system'
	cd full || return 1
	head -c "$((1048576 - $1 * 1024))" /dev/zero >fill
}
teardown() { ! mountpoint -q "$BATS_TEST_TMPDIR/work/full" || umount -l "$BATS_TEST_TMPDIR/work/full"; }

@test "on a full disk one error names the file and the remedy; no part of the file is left" {
	full_disk 100		# as much as the recording takes
	run -6 profile.sh cpu --no-db --from "$SHIPPED/perf.data"
	[ "$(grep -c 'profile.sh: error:\|write error' <<<"$output")" = 1 ]
	[[ ${lines[-2]} =~ "profile.sh: error: cannot write 'results/"[^/]*"/run.json': the disk is full"$ ]]
	contains "${lines[-1]}" '--results DIR'
	lacks "$output" 'results     '
	[ -z "$(find results -name 'run.json*')" ]
	[ -s "$(only_run)/perf.data" ]
	rm -r results
	head -c 8192 /dev/zero >>fill
	run -6 profile.sh cpu --no-db --from "$SHIPPED/perf.data"
	contains "$output" "/perf.data': the disk is full"
	[ -z "$(find results -type f)" ]
}

@test "a full disk is the reason why nothing was recorded" {
	full_disk 0
	FAKE_PERF=nothing run -6 profile.sh async --no-db -- true
	contains "$output" "/perf.data': the disk is full"
	lacks "$output" 'its output is above'
	run -6 profile.sh memory --no-db --rss none -- "$(type -P true)"
	contains "$output" "/heap.data': the disk is full"
	lacks "$output" 'linked statically'
}

@test "names in messages and in the heading cannot act on a terminal" {
	name=$'a\033[31m\nb\\c'
	cp "$(type -P true)" "$name"
	run -0 profile.sh cpu --no-db -- "./$name"
	contains "$output" $'\na\\x1b[31m\\x0ab\\\\c  cpu  '
	lacks "$output" $'\033'
	chmod -x "$name"
	run -6 profile.sh cpu --no-db -- "./$name"
	contains "$output" "'./a\\x1b[31m\\x0ab\\c' is not executable"
	lacks "$output" $'\033'
	run -2 profile.sh cpu $'--\033'
	lacks "$output" $'\033'
}

@test "a real recording of a real program, start to end" {
	rm "$BATS_TEST_TMPDIR/fakes/perf"
	profile.sh cpu --check >out 2>&1 || skip "perf cannot record here: $(head -n 1 out)"
	cat >spin.c <<-'END'
		#include <stdlib.h>
		#include <time.h>
		static volatile double sum;
		__attribute__((noinline)) static void spin_here(void)
		{
			for (int i = 0; i < 1000000; i++)
				sum += i * 0.5;
		}
		int main(void)
		{
			clock_t until = clock() + CLOCKS_PER_SEC / 2;
			while (clock() < until)
				spin_here();
			return 0;
		}
	END
	"${CC:-gcc}" -g -O1 -fno-omit-frame-pointer -o spin spin.c
	run -0 profile.sh cpu -- ./spin
	contains "$(sed -n '/spin_here/p' "$(only_run)/top5.txt")" spin_here
	contains "$(cat "$(only_run)/folded.txt")" 'main;spin_here'
	[ "$(of_run .status)" = ok ]
	run -6 profile.sh cpu -- sh -c './spin; exit 9'
	contains "$output" 'sh exited with status 9'
}

@test "results belong to the one who called sudo" {
	[ "$(id -u)" = 0 ] || skip 'needs root'
	SUDO_UID=12345 SUDO_GID=23456 run -0 profile.sh cpu -- true
	[ "$(stat -c %u:%g results)" = 12345:23456 ]
	[ "$(stat -c %u:%g results/hotspots.db)" = 12345:23456 ]
	[ "$(stat -c %u:%g "$(only_run)/perf.data")" = 12345:23456 ]
	[ "$(stat -c %u:%g "$(only_run)/run.json")" = 12345:23456 ]
	rm -r results
	mkdir old
	SUDO_UID=12345 SUDO_GID=23456 run -0 profile.sh cpu --results old/a/b --db old/c/d/all.db -- true
	[ -z "$(find old/* ! -uid 12345)" ]
	[ "$(stat -c %u old)" = 0 ]
}

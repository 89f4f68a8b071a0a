#!/usr/bin/env bash
# profile.sh - record a workload, analyse the recording, remember the run
#
# Builds the target when hotdrift.ini names a build, asks whether perf may
# record here, records, writes a results folder, adds a row to the hotspot
# database, prints the costliest symbols and what changed since the last run
# of the same target.  Never asks anything and never changes a setting of the
# system, except for kernel.perf_event_paranoid with --allow-sysctl, which is
# restored on every way out.
set -euo pipefail

me=profile.sh
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=scripts/lib/common.sh
. "$here/lib/common.sh"
# shellcheck source=scripts/lib/target.sh
. "$here/lib/target.sh"
# shellcheck source=scripts/lib/perf.sh
. "$here/lib/perf.sh"
# shellcheck source=scripts/lib/plan.sh
. "$here/lib/plan.sh"
# shellcheck source=scripts/lib/memory.sh
. "$here/lib/memory.sh"
# shellcheck source=scripts/lib/rss.sh
. "$here/lib/rss.sh"
# shellcheck source=scripts/lib/results.sh
. "$here/lib/results.sh"
# shellcheck source=scripts/lib/series.sh
. "$here/lib/series.sh"
# shellcheck source=scripts/lib/modes.sh
. "$here/lib/modes.sh"
# shellcheck source=scripts/lib/thinning.sh
. "$here/lib/thinning.sh"
# shellcheck source=scripts/lib/all.sh
. "$here/lib/all.sh"

usage() {
	cat <<'END'
usage: profile.sh MODE [options] [--] CMD [ARGS...]
       profile.sh MODE [options] --target NAME

modes:
  cpu                  where the processor time goes
  memory               what is allocated, by whom; what is live when most is, what
                       is never freed; in every process that CMD starts
  async                where threads wait, for what, and who wakes them; --wall adds
                       where they run, in one picture
  syscall              which system calls take time, from where, and which fail
  all                  these in turn, each with the options that are about it, and a page
                       about all of them
  gpu                  not in this version

what to run:
  --target NAME        the target of hotdrift.ini: its build and run commands and
                       settings; with CMD, CMD is run and NAME only names the row
  --ini FILE           this file instead of the repository's hotdrift.ini
  --no-build           do not run the target's build command
  --from FILE          analyse this recording instead of making one (marked fixture)
  --symfs DIR          with --from: look for its programs below DIR

how to record:
  --event E            default cycles, or cpu-clock where there is no cycle counter
  --freq HZ            samples a second and CPU, default 997, fewer under --max-size
  --call-graph HOW     fp (default; the program keeps frame pointers), dwarf
                       (copies of the stack, their size chosen by --max-size),
                       dwarf,BYTES of stack a sample, lbr
  --max-size SIZE      keep the recording below SIZE (100M, 1G, or bytes): chooses
                       the copies and the frequency that were not given, and is
                       where perf stops and ends CMD, which makes the run a failed
                       one; default 100M with dwarf, else none
  --duration SECONDS   how long CMD is expected to run, for --max-size; default: as
                       the last good run of the target did, else 30
  --cpus N             how many CPUs it keeps busy meanwhile, default all
  --all-cpus           everything that runs on the machine meanwhile
  --wall               async: threads at work are in the picture, too
  --tokio-console      async: run tokio-console beside CMD, on this terminal, if it is
                       installed; CMD must be built for it (console-subscriber)
  --compress LEVEL     let perf compress the recording, 1 to 22
  --perf PATH          this perf; also HOTDRIFT_PERF or PERF in the environment
  --allow-sysctl       lower kernel.perf_event_paranoid while recording
  --check              only say whether perf can record here, and if not, why

how to record memory:
  --interval SIZE      one allocation in so many bytes is recorded (default 64K; the
                       figures are estimates, and their errors are told)
  --exact              every allocation is
  --adaptive           every allocation at first, then fewer wherever that would take
                       more than 3 % of the time
  --mmap               also what CMD maps itself with mmap
  --rss HOW            memory.csv's resident memory: rss_stat (each change, by perf; root),
                       statm (asked for every 10 ms), none; default auto, the best there is
  --kv-cache GLOBS, --activation GLOBS, --temp-buffer GLOBS
                       functions whose blocks are of these classes, in memory.csv;
                       hotdrift.ini has them by target
  --faults             page faults instead, by perf: where memory is first touched

what to keep:
  --results DIR        default: results, or what hotdrift.ini says
  --db PATH            default: hotspots.db in the results folder
  --no-db              add no row
  --config FILE        the configuration of the run: its hash is stored
  --latency FILE, --memory FILE, --power FILE, --results-csv FILE
                       CSV files that CMD writes: their series are part of the run
  --series NAME=FILE   any other CSV file that CMD writes; may be given again
  --work N             units of work that CMD does
  --top N              print N symbols, default 5
  --result-path FILE   write the path of the results folder into FILE
  --session WORD       what the runs of one job share; `all` makes one up

Exit: 0 fine; 2 usage; 5 a bad hotdrift.ini, or a recording that is damaged or has
no samples (CMD was too short); 6 CMD failed (what was
recorded is kept, marked failed), perf cannot record here, or other trouble.
END
}

usage_error() {
	printf '%s: error: %s\n\n' "$me" "$1" >&2
	usage >&2
	exit 2
}

# A path as one would type it here.
shown() { printf '%s' "${1#"$PWD"/}"; }

# What is run gets the signals as they are by default: a shell's background
# processes would ignore the interrupt.
plain_signals=()
if env --default-signal=INT,QUIT true 2>/dev/null; then
	plain_signals=(env '--default-signal=INT,QUIT')
fi

# ---- the command line

[ $# -gt 0 ] || usage_error "a mode is missing"
# Where `all` wants to be told; nothing that the recorded program should see.
told=${HOTDRIFT_TOLD:-}
unset HOTDRIFT_TOLD
mode=$1
shift
[ "$mode" != faults ] || { mode=memory; set -- --faults "$@"; }
case $mode in
cpu | memory | async | syscall) ;;
all) profile_all "$@" ;;
gpu) die 6 "mode $mode is not in this version; cpu, memory, async, syscall and all are" ;;
-h | --help | help) usage; exit 0 ;;
*) usage_error "unknown mode '$mode'" ;;
esac

target='' ini='' build=yes from='' symfs=''
event=cycles event_given=no freq=997 freq_given=no call_graph=fp call_graph_given=no
latency_csv='' memory_csv='' power_csv='' results_csv='' series_csv=() work=''
all_cpus=no wall=no tokio_console=no compress='' perf='' allow_sysctl=no check=no
max_size='' duration='' cpus='' session=''
interval='' exact=no adaptive=no count_maps=no perf_options=() rss_how=auto kv_cache='' activation='' temp_buffer='' faults=no
results='' db='' use_db=yes config='' top=5 result_path=''
command=()

while [ $# -gt 0 ]; do
	opt=$1
	case $opt in
	--) shift; command=("$@"); break ;;
	-h | --help) usage; exit 0 ;;
	--no-build) build=no; shift; continue ;;
	--all-cpus) all_cpus=yes perf_options+=("$opt"); shift; continue ;;
	--wall) wall=yes; shift; continue ;;
	--tokio-console) tokio_console=yes; shift; continue ;;
	--allow-sysctl) allow_sysctl=yes perf_options+=("$opt"); shift; continue ;;
	--check) check=yes; shift; continue ;;
	--no-db) use_db=no; shift; continue ;;
	--exact) exact=yes; shift; continue ;;
	--adaptive) adaptive=yes; shift; continue ;;
	--mmap) count_maps=yes; shift; continue ;;
	--faults) faults=yes; shift; continue ;;
	--target | --ini | --from | --symfs | --event | --freq | --call-graph | --compress | --perf | \
		--max-size | --duration | --cpus | --interval | --rss | --kv-cache | --activation | --temp-buffer | \
		--latency | --memory | --power | --results-csv | --series | --work | \
		--results | --db | --config | --top | --result-path | --session)
		[ $# -gt 1 ] || usage_error "$opt needs a value"
		value=$2
		shift 2 ;;
	--*=*)
		value=${opt#*=} opt=${opt%%=*}
		shift ;;
	-*) usage_error "unknown option '$opt'" ;;
	*) command=("$@"); break ;;
	esac
	[ -n "$value" ] || usage_error "$opt needs a value"
	case $opt in
	--event | --freq | --call-graph | --compress | --perf | --max-size | --duration | --cpus) perf_options+=("$opt") ;;
	esac
	case $opt in
	--interval) interval=$value ;;
	--rss) rss_how=$value ;;
	--kv-cache) kv_cache=$value ;;
	--activation) activation=$value ;;
	--temp-buffer) temp_buffer=$value ;;
	--target) target=$value ;;
	--ini) ini=$value ;;
	--from) from=$value ;;
	--symfs) symfs=$value ;;
	--event) event=$value event_given=yes ;;
	--freq) freq=$value freq_given=yes ;;
	--call-graph) call_graph=$value call_graph_given=yes ;;
	--compress) compress=$value ;;
	--max-size) max_size=$value ;;
	--duration) duration=$value ;;
	--cpus) cpus=$value ;;
	--perf) perf=$value ;;
	--results) results=$value ;;
	--db) db=$value ;;
	--config) config=$value ;;
	--latency) latency_csv=$value ;;
	--memory) memory_csv=$value ;;
	--power) power_csv=$value ;;
	--results-csv) results_csv=$value ;;
	--series) series_csv+=("$value") ;;
	--work) work=$value ;;
	--top) top=$value ;;
	--result-path) result_path=$value ;;
	--session) session=$value ;;
	*) usage_error "unknown option '$opt'" ;;
	esac
done

number() {	# NAME VALUE MAX
	if ! [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || [ "$2" -gt "$3" ]; then
		usage_error "$1 takes a number from 1 to $3, not '$2'"
	fi
}
number --freq "$freq" 1000000
number --top "$top" 100000
[ -z "$compress" ] || number --compress "$compress" 22
[ -z "$duration" ] || number --duration "$duration" 1000000
[ -z "$cpus" ] || number --cpus "$cpus" 65536
[[ $call_graph =~ ^(fp|lbr|dwarf(,[1-9][0-9]{0,4})?)$ ]] ||
	usage_error "--call-graph takes fp, dwarf, dwarf,BYTES or lbr, not '$call_graph'"
[ "${call_graph#dwarf,}" = "$call_graph" ] || number '--call-graph dwarf,BYTES' "${call_graph#dwarf,}" 65528
[ -z "$max_size" ] || size_bytes "$max_size" >/dev/null ||
	usage_error "--max-size takes bytes, or a number with K, M or G, not '$max_size'"
case $rss_how in
auto | rss_stat | statm | none) ;;
*) usage_error "--rss takes auto, rss_stat, statm or none, not '$rss_how'" ;;
esac
if [ "$faults" = yes ]; then
	[ "$mode" = memory ] || usage_error "--faults goes with memory"
	[ "$interval$exact$adaptive$count_maps$kv_cache$activation$temp_buffer$rss_how" = nononoauto ] ||
		usage_error "--faults records page faults, not allocations: --interval, --exact, --adaptive, --mmap, --rss and classes do not go with it"
elif [ "$mode" = memory ] || [ -n "$told" ]; then	# in turn with others (all), an option may be about another
	[ ${#perf_options[@]} = 0 ] || [ -n "$told" ] || usage_error "${perf_options[0]} is for perf, which does not record memory"
	[ -z "$interval" ] || [ "$exact" = no ] || usage_error "--exact and --interval exclude each other"
	[ "$adaptive" = no ] || [ "$exact$interval" = no ] || usage_error "--adaptive chooses the interval: --exact and --interval do not go with it"
	if ! heap_interval=$(size_bytes "${interval:-64K}") || [ "$heap_interval" -gt 4294967296 ]; then
		usage_error "--interval takes bytes up to 4G, or a number with K, M or G, not '$interval'"
	fi
	[ "$exact$adaptive" = nono ] || heap_interval=1
	[ "$mode" = memory ] || heap_interval=''
else
	[ -z "$interval" ] || usage_error "--interval goes with memory"
	[ "$exact" = no ] || usage_error "--exact goes with memory"
	[ "$adaptive" = no ] || usage_error "--adaptive goes with memory"
	[ "$count_maps" = no ] || usage_error "--mmap goes with memory"
	[ "$kv_cache$activation$temp_buffer$rss_how" = auto ] || usage_error "--rss and classes of blocks go with memory"
fi
if [ "$mode" != async ] && [ -z "$told" ]; then
	[ "$wall" = no ] || usage_error "--wall goes with async"
	[ "$tokio_console" = no ] || usage_error "--tokio-console goes with async"
fi
[ -z "$from" ] || [ ${#command[@]} = 0 ] || usage_error "--from analyses a recording: it takes no command"
[ -z "$symfs" ] || [ -n "$from" ] || usage_error "--symfs goes with --from"
[ -n "$target$from" ] || [ ${#command[@]} -gt 0 ] || [ "$check" = yes ] ||
	usage_error "what shall be recorded?  Name a command, or a target of hotdrift.ini"
[ -z "$config" ] || [ -r "$config" ] || die 6 "cannot read the configuration '$config'"
for value in "${series_csv[@]+"${series_csv[@]}"}"; do
	[[ $value =~ ^[^=]+=. ]] || usage_error "--series takes NAME=FILE, not '$value'"
done
[ -z "$from" ] || { [ -f "$from" ] && [ -r "$from" ]; } || die 6 "cannot read the recording '$from'"

# ---- leaving, on every path

tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-profile.XXXXXX")
perf_pid='' watch_pid='' run_dir='' recording='' finished=no signals=0

cleanup() {
	local status=$?

	trap '' HUP INT TERM
	if [ -n "$perf_pid" ]; then
		kill -TERM "$perf_pid" 2>/dev/null || :
		wait "$perf_pid" 2>/dev/null || :
	fi
	end_rss
	restore_paranoid || :
	rm -rf -- "$tmp"
	if [ -n "$run_dir" ] && [ "$finished" = no ] && [ ! -s "$run_dir/$artifact" ] && [ -z "$(ls -A -- "$run_dir/parts" 2>/dev/null)" ]; then
		rm -rf -- "$run_dir"		# nothing was recorded: leave nothing behind
	fi
	if [ -n "$run_dir" ]; then
		[ ! -d "$run_dir" ] || give_to_caller "$run_dir"
		if [ -n "${made_results:-}" ]; then
			give_to_caller "$made_results"
		elif [ -f "$results/.gitignore" ]; then
			give_to_caller "$results/.gitignore"
		fi
		if [ -f "${db_used:-}" ]; then
			give_to_caller "$db_used"
		fi
	fi
	# A tool that failed where nobody expected it has said so itself.
	case $status in
	0 | 2 | 5 | 6) ;;
	*) exit 6 ;;
	esac
}

# A signal ends the recording, not the work: what there is gets kept and marked.
# The first asks perf to finish, the second insists, the third does not ask.
on_signal() {
	signals=$((signals + 1))
	signal_name=$1
	if [ -z "$perf_pid" ]; then
		exit 6
	fi
	case $signals in
	1) kill -INT "$perf_pid" 2>/dev/null || : ;;
	2) kill -TERM "$perf_pid" 2>/dev/null || : ;;
	*) kill -KILL "$perf_pid" 2>/dev/null || : ;;
	esac
}
trap cleanup EXIT
trap 'on_signal INT' INT
trap 'on_signal TERM' TERM
trap 'on_signal HUP' HUP

# ---- recording

now_us() { local t=${EPOCHREALTIME:-$(date +%s.%6N)}; printf '%s' "${t//[!0-9]/}"; }

# The process that is recorded, or that records: it replaces the shell that it is called in.
run_recorder() {
	local preload

	if [ "$mode" = memory ]; then
		preload=$heap_library${LD_PRELOAD:+:$LD_PRELOAD}
		unset HOTDRIFT_HEAP_BUDGET HOTDRIFT_HEAP_MMAP
		export HOTDRIFT_HEAP=$parts/r HOTDRIFT_HEAP_INTERVAL=$heap_interval
		[ "$adaptive" = no ] || export HOTDRIFT_HEAP_BUDGET=3
		[ "$count_maps" = no ] || export HOTDRIFT_HEAP_MMAP=1
		exec env "${plain_signals[@]:1}" "LD_PRELOAD=$preload" "${command[@]}"
	fi
	exec "${plain_signals[@]+"${plain_signals[@]}"}" "$perf" record "${record_options[@]}" \
		-e "${event_recorded:-$event_used}" -o "$recording" -- "${command[@]}"
}

record() {
	local begin took seen pid gathered=0

	recording=$(absolute "$run_dir")/$artifact parts=$(absolute "$run_dir")/parts
	if [ "$mode" = memory ]; then
		mkdir -- "$parts" || die 6 "cannot make the folder '$parts'"
		prepare_rss
	fi
	started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	begin=$(now_us)
	# perf as a background process, so that a signal to this script alone
	# reaches it at once; with the input of this script.
	(
		wait_at_gate
		cd -- "$work_dir"
		run_recorder
	) <&3 3<&- &
	perf_pid=$! pid=$!
	[ "$mode" != memory ] || begin_rss "$pid"
	[ "$signals" = 0 ] || kill -TERM "$pid" 2>/dev/null || :	# a shell that waits to begin has ignored an interrupt
	if [ -n "$soft_bytes" ]; then
		watch_size "$recording" "$perf_pid" 3<&- &
		watch_pid=$!
	fi
	[ "$mode" != async ] || [ "$tokio_console" = no ] || run_console
	while :; do
		seen=$signals cmd_status=0
		{ wait "$perf_pid" || cmd_status=$?; } 2>/dev/null
		[ "$seen" != "$signals" ] || break
	done
	perf_pid=''
	[ -z "$watch_pid" ] || wait "$watch_pid" || :
	watch_pid=''
	took=$(($(now_us) - begin))
	seconds=$(printf '%d.%06d' $((took / 1000000)) $((took % 1000000)))
	restore_paranoid || :
	if [ "$mode" = memory ]; then
		end_rss
		gather_parts "$parts" "$pid" || gathered=$?
		[ "$gathered" != 1 ] || [ "$signals" = 0 ] || die 6 "interrupted by SIG$signal_name before anything was recorded"
		[ "$gathered" != 1 ] ||
			die 6 "no allocation of ${command[0]} was seen: it is linked statically, has an allocator inside of itself, or runs with another user's rights"
	else
		[ -s "$recording" ] || die 6 "perf record made no recording; its own words are above"
		if stopped_at_size; then
			stopped=true
		fi
	fi
	read_ended
	if [ "$gathered" = 2 ]; then
		run_status=failed
		reason="the recordings of processes could not be written behind each other (is the disk full?), the others are in $(shown "$parts")"
		[ -s "$recording" ] || die 6 "$reason"
	elif [ "$signals" -gt 0 ]; then
		run_status=failed reason="interrupted by SIG$signal_name"
	elif [ "$stopped" = true ]; then
		run_status=failed reason="the recording reached --max-size $max_size after ${seconds%.*} s, where perf stops and ends ${command[0]} (give --duration SECONDS, or a larger --max-size)"
	elif [ "$cmd_status" -gt 128 ]; then
		run_status=failed reason="${command[0]} was killed by signal $((cmd_status - 128))"
	elif [ "$cmd_status" != 0 ]; then
		run_status=failed reason="${command[0]} exited with status $cmd_status"
	fi
}

# A recording made elsewhere: nothing is known of its commit, so it is a fixture.
take_recording() {
	recording=$(absolute "$run_dir")/$artifact
	cp -- "$from" "$recording"
	[ -z "$symfs" ] || symfs_options=(--symfs "$symfs")
	started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	run_status=fixture reason='a recording made elsewhere'
	event_used='' event_asked='' freq_used='' period_used='' call_graph_used='' cmd_status='' seconds=''
}

# ---- the analysis

# One reading of the recording makes all the files.
analysis_status=0 add_status=0

analyse() {
	local of="$target"

	[ -z "$commit" ] || of="$target at ${commit:0:12}"
	"$hotdrift" analyze "${symfs_options[@]}" "${analysis_options[@]+"${analysis_options[@]}"}" "$recording" --title "$of" -n "$top" -o "$run_dir" \
		>"$tmp/top" 2>>"$tmp/messages" || analysis_status=$?
	if [ "$analysis_status" != 0 ] && [ "$run_status" != failed ]; then
		run_status=failed reason='the analysis failed'
	fi
	write_mode_tables
}

# ---- the database

run='' db_used=''
remember() {
	local sum line="${command[*]:-}" words=(--target "$target" --mode "$mode" --status "$run_status" --recorded "$started" --db "$db")

	[ "$use_db" = yes ] && [ "$analysis_status" = 0 ] || return 0
	[ -z "$config" ] || words+=(--config "$config")
	[ -z "$work" ] || words+=(--work "$work")
	words+=("${series_words[@]+"${series_words[@]}"}")
	[ -z "$session" ] || words+=(--session "$session")
	[ -z "$cmd_status" ] || words+=(--exit-status "$cmd_status")
	[ -n "$commit" ] || words+=(--commit none)
	if [ ${#line} -gt 30000 ]; then		# one argument takes 128 KiB; run.json has all of it
		sum=$(printf '%s' "$line" | sha256sum)
		line="${line:0:30000} ... ${sum:0:16}"	# commands that differ further on are not alike
	fi
	[ -z "$line" ] || words+=(--command "$line")
	"$hotdrift" add "${symfs_options[@]}" "${analysis_options[@]+"${analysis_options[@]}"}" "$recording" "${words[@]}" --json >"$tmp/add" 2>>"$tmp/messages" ||
		add_status=$?
	if [ "$add_status" = 0 ]; then
		run=$(sed -n 's/^  "run": "\([^"]*\)",$/\1/p' "$tmp/add")
		db_used=$db
	fi
}

# Each message once, though both steps read the same recording.
tell_messages() { [ ! -s "$tmp/messages" ] || awk '!seen[$0]++' "$tmp/messages" >&2; }

show_result() {
	local head="$target  $mode"

	[ -z "$event_used" ] || head="$head  $event_used"
	[ -z "$commit" ] || head="$head  commit ${commit:0:12}"
	[ "$dirty" = false ] || head="$head, modified"
	printf '\n%s\n\n' "$head"
	cat -- "$tmp/top"
	if [ -n "$run" ]; then
		printf '\n'
		"$hotdrift" show "$run" --against last --db "$db" 2>&1 || :
	fi
	printf '\nresults     %s\n' "$(shown "$run_dir")"
	show_mode_tables
	show_timeline
	case $quality in
	fair | poor)
		printf 'stacks      %s: %.1f%% reach their root, %.1f%% of the frames have no symbol; hotdrift info %s says more\n' \
			"$quality" "$root_pct" "$unknown_pct" "$(shown "$run_dir/$artifact")" ;;
	esac
	for picture in "$run_dir"/flamegraph*.svg; do
		[ ! -s "$picture" ] || printf 'flamegraph  %s\n' "$(shown "$picture")"
	done
	[ -z "$run" ] || printf 'run         %s in %s\n' "$run" "$(shown "$db")"
}

# ---- and so it goes

exec 3<&0
find_hotdrift
hotdrift_version=$("$hotdrift" --version) || die 6 "'$hotdrift' does not run"
hotdrift_version=${hotdrift_version#hotdrift }
event_on_line=$event_given freq_on_line=$freq_given
[ "$check" = yes ] || settle_target
[ "$faults" = no ] || mode=faults
settle_mode

artifact=perf.data
[ "$mode" != memory ] || artifact=heap.data
call_graph_used=$call_graph
case $mode in
memory) ;;
cpu) [ -n "$from" ] || [ "$check" = yes ] || plan_recording ;;
*) [ -n "$from" ] || [ "$check" = yes ] || soften_limit ;;
esac
rate=(-F "$freq") freq_used=$freq period_used=''
[ -z "$every" ] || { rate=(-c "$every") freq_used='' period_used=$every; }
record_options=("${rate[@]}" --call-graph "$call_graph" "${mode_records[@]+"${mode_records[@]}"}")
[ "$all_cpus" = no ] || record_options+=(-a)
[ -z "$compress" ] || record_options+=("-z$compress")
[ -z "$max_bytes" ] || record_options+=(--max-size "${max_bytes}B")
event_asked=$event event_recorded=''
run_status=ok reason='' stopped=false cmd_status='' seconds='' symfs_options=()

if [ "$mode" = memory ]; then
	event_asked='' event_used=allocated freq_used='' call_graph_used='' perf_version=''
	[ -n "$from" ] || check_memory || die 6 "$why" "${fix[@]+"${fix[@]}"}"
	if [ "$check" = yes ]; then
		say "$heap_library records allocations here"
		exit 0
	fi
fi
if [ -z "$from" ] && [ "$mode" = memory ]; then
	build_target
	(cd -- "$work_dir" && type -P -- "${command[0]}" >/dev/null) ||
		die 6 "there is no command '${command[0]}' to record"
elif [ -z "$from" ]; then
	check_perf || { [ "$mode" = async ] && async_without_stacks; } || die 6 "$why" "${fix[@]+"${fix[@]}"}"
	if [ "$check" = yes ]; then
		say "perf $perf_version records $event_used here"
		exit 0
	fi
	settle_levels
	build_target
	(cd -- "$work_dir" && type -P -- "${command[0]}" >/dev/null) ||
		die 6 "there is no command '${command[0]}' to record"
	say_plan
fi
[ -d "$results" ] || made_results=$results
# A recording made elsewhere is of no commit here.
commit='' dirty=false
[ -n "$from" ] || find_commit "$work_dir"
make_run_dir
if [ -n "$told" ]; then
	printf '%s' "$session" >"$told.session"
	printf '%s' "$run_dir" >"$told.dir"
fi
note_time
if [ -n "$from" ]; then
	take_recording
else
	record
fi
keep_series
[ "$mode" != memory ] || write_timeline
analyse
remember
write_run_json
finished=yes
tell_messages
show_result
[ -z "$result_path" ] || printf '%s\n' "$run_dir" >"$result_path"

# Of trouble elsewhere than in the input, 6; what hotdrift said is above.
if [ "$analysis_status" != 0 ] && [ -n "$cmd_status" ] && [ "$cmd_status" != 0 ]; then
	die 6 "$reason; its recording is kept in $(shown "$run_dir") and could not be analysed"
fi
case $analysis_status in
0) ;;
5) die 5 "the recording could not be analysed; it is kept in $(shown "$run_dir")" ;;
*) die 6 "the recording could not be analysed; it is kept in $(shown "$run_dir")" ;;
esac
case $add_status in
0) ;;
5) die 5 "the run could not be added to $(shown "$db"); its results are in $(shown "$run_dir")" ;;
*) die 6 "the run could not be added to $(shown "$db"); its results are in $(shown "$run_dir")" ;;
esac
[ "$run_status" != failed ] || die 6 "$reason; what was recorded is kept in $(shown "$run_dir"), marked failed"

# shellcheck shell=bash
# options.sh - parse and check the command line of profile.sh, before anything else is done; run_bench.sh uses
# read_command_line()
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

target='' ini='' build=yes from='' symfs='' pids='' server='' ready=''
event=cycles event_given=no freq=997 freq_given=no call_graph=auto call_graph_given=no
latency_csv='' memory_csv='' power_csv='' results_csv='' series_csv=() work=''
all_cpus=no wall=no tokio_console=no compress='' perf='' allow_sysctl=no check=no
max_size='' duration='' cpus='' replan=no session=''
interval='' exact=no adaptive=no count_maps=no perf_options=() rss_how=auto kv_cache='' activation='' temp_buffer='' \
	faults=no
results='' db=${HOTDRIFT_DB:-} use_db=yes keep_bundle=yes keep_log=yes config='' top=5 result_path='' env_named=''
load_average=''
command=()

# Set `mode`, and `mode_words` to 1 if the first word names it.  The default mode is cpu.
read_mode() {
	mode=cpu mode_words=0
	case ${1:-} in
	'' | -* | */*) ;;
	help) usage; exit 0 ;;
	faults) mode=memory faults=yes mode_words=1 ;;
	*) mode=$1 mode_words=1 ;;
	esac
	load_mode "$mode" ||
		usage_error "unknown mode '$mode'; the modes are $("$hotdrift" profile --print-mode)" \
			"$door cpu -- $*     if that is the command to record"
}

# read_command_line TAKE_FLAG TAKE_VALUE ARGS...: read options up to the operands, which become `command`.
# TAKE_FLAG OPTION handles an option without a value, or returns 1.  TAKE_VALUE OPTION VALUE handles any other option,
# with an empty VALUE if none follows; it ends the script if the option is unknown.
read_command_line() {
	local take_flag=$1 take_value=$2

	shift 2
	while [ $# -gt 0 ]; do
		case $1 in
		--) shift; break ;;
		-h | --help) usage; exit 0 ;;
		--*=*) "$take_value" "${1%%=*}" "${1#*=}" ;;
		-*)
			if ! "$take_flag" "$1"; then
				"$take_value" "$1" "${2-}"
				[ $# -gt 1 ] || usage_error "$1 needs a value"
				shift
			fi ;;
		*) break ;;
		esac
		shift
	done
	command=("$@")
}

# perf record's own spellings are accepted, too.
take_flag() {	# OPTION
	case $1 in
	-a) take_flag --all-cpus; return ;;
	-g) return 0 ;;		# call graphs are recorded anyway
	--no-build) build=no ;;
	--all-cpus) all_cpus=yes ;;
	--wall) wall=yes ;;
	--tokio-console) tokio_console=yes ;;
	--allow-sysctl) allow_sysctl=yes ;;
	--replan) replan=yes ;;
	--check) check=yes ;;
	--no-db) use_db=no ;;
	--no-bundle) keep_bundle=no ;;
	--no-log) keep_log=no ;;
	--exact) exact=yes ;;
	--adaptive) adaptive=yes ;;
	--mmap) count_maps=yes ;;
	--faults) faults=yes ;;
	*) return 1 ;;
	esac
	case $1 in
	--all-cpus | --allow-sysctl | --replan) perf_options+=("$1") ;;
	esac
}

take_value() {	# OPTION VALUE
	local opt=$1 value=$2

	case $opt in
	-e) opt=--event ;;
	-F) opt=--freq ;;
	-p) opt=--pid ;;
	esac
	case $opt in
	--event | --freq | --call-graph | --compress | --perf | --max-size | --cpus | --pid) perf_options+=("$opt") ;;
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
	--pid) pids=$value ;;
	--server) server=$value ;;
	--ready) ready=$value ;;
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
	*) usage_error "unknown option '$opt'$(did_you_mean "$opt")" ;;
	esac
	[ -n "$value" ] || usage_error "$opt needs a value"
}

number() {	# NAME VALUE MAX
	if ! [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || [ "$2" -gt "$3" ]; then
		usage_error "$1 takes a number from 1 to $3, not '$2'"
	fi
}

check_options() {
	local value

	number --freq "$freq" 1000000
	number --top "$top" 100000
	[ -z "$compress" ] || number --compress "$compress" 22
	[ -z "$duration" ] || number --duration "$duration" 1000000
	[ -z "$cpus" ] || number --cpus "$cpus" 65536
	[[ $call_graph =~ ^(auto|fp|lbr|dwarf(,[1-9][0-9]{0,4})?)$ ]] ||
		usage_error "--call-graph takes auto, fp, dwarf, dwarf,BYTES or lbr, not '$call_graph'"
	[ "${call_graph#dwarf,}" = "$call_graph" ] || number '--call-graph dwarf,BYTES' "${call_graph#dwarf,}" 65528
	[ -z "$max_size" ] || size_bytes REPLY "$max_size" ||
		usage_error "--max-size takes bytes, or a number with K, M or G, not '$max_size'"
	case $rss_how in
	auto | rss_stat | statm | none) ;;
	*) usage_error "--rss takes auto, rss_stat, statm or none, not '$rss_how'" ;;
	esac
	check_recorder
	check_memory_options
	check_gpu_options
	if [ "$mode" != async ] && [ -z "$outcome" ]; then
		[ "$wall" = no ] || usage_error "--wall requires mode async"
		[ "$tokio_console" = no ] || usage_error "--tokio-console requires mode async"
	fi
	check_subject
	[ -z "$config" ] || [ -r "$config" ] || die 6 "cannot read the configuration '$config'"
	for value in "${series_csv[@]+"${series_csv[@]}"}"; do
		[[ $value =~ ^[^=]+=. ]] || usage_error "--series takes NAME=FILE, not '$value'"
	done
	check_from
}

check_from() {
	local why

	[ -n "$from" ] || return 0
	if [ ! -e "$from" ]; then
		why='there is no such file'
	elif [ ! -f "$from" ]; then
		why='it is not a file'
		[ ! -d "$from" ] || why='it is a folder'
	elif [ ! -r "$from" ]; then
		why='permission denied'
	else
		return 0
	fi
	die 6 "cannot read the recording '$from': $why"
}

# Refuse what the recorder of the mode cannot attach to.  Under `all`, the mode is then absent.
check_recorder() {
	local option=''

	case $row_recorder:$faults:${pids:+pid}${server:+server} in
	perf:* | *:yes:*) ;;
	*:pid*) option=--pid ;;
	gpu:*:server) option=--server ;;
	esac
	[ -n "$option" ] || return 0
	why="$option does not apply to $mode, whose recorder starts the command itself"
	[ -n "$outcome" ] || usage_error "$why"
	mode_is_absent
}

check_memory_options() {
	local why

	if [ "$faults" = yes ]; then
		[ "$mode" = memory ] || usage_error "--faults requires mode memory"
		why='--faults records page faults, not allocations:'
		why+=' --interval, --exact, --adaptive, --mmap, --rss and classes are excluded'
		[ "$interval$exact$adaptive$count_maps$kv_cache$activation$temp_buffer$rss_how" = nononoauto ] ||
			usage_error "$why"
	elif [ "$mode" = memory ] || [ -n "$outcome" ]; then	# under `all`, options may concern another mode
		why='--max-size does not apply to memory: a recording of allocations grows with distinct call stacks,'
		why+=' not with time; use a larger --interval'
		[ -z "$max_size" ] || [ -n "$outcome" ] || usage_error "$why"
		[ ${#perf_options[@]} = 0 ] || [ -n "$outcome" ] ||
			usage_error "${perf_options[0]} applies to perf, which does not record memory"
		[ -z "$interval" ] || [ "$exact" = no ] || usage_error "--exact and --interval exclude each other"
		[ "$adaptive" = no ] || [ "$exact$interval" = no ] ||
			usage_error "--adaptive chooses the interval and excludes --exact and --interval"
		if ! size_bytes heap_interval "${interval:-64K}" || [ "$heap_interval" -gt 4294967296 ]; then
			usage_error "--interval takes bytes up to 4G, or a number with K, M or G, not '$interval'"
		fi
		[ "$exact$adaptive" = nono ] || heap_interval=1
		[ "$mode" = memory ] || heap_interval=''
	else
		[ -z "$interval" ] || usage_error "--interval requires mode memory"
		[ "$exact" = no ] || usage_error "--exact requires mode memory"
		[ "$adaptive" = no ] || usage_error "--adaptive requires mode memory"
		[ "$count_maps" = no ] || usage_error "--mmap requires mode memory"
		[ "$kv_cache$activation$temp_buffer$rss_how" = auto ] ||
			usage_error "--rss and classes of blocks require mode memory"
	fi
}

# The recorders of gpu and power start the command themselves.  perf is used in mode gpu only, for the stacks of
# launches.
check_gpu_options() {
	local option

	case $mode:$outcome in
	gpu: | power:) ;;
	*) return 0 ;;
	esac
	for option in "${perf_options[@]+"${perf_options[@]}"}"; do
		case $mode:$option in
		gpu:--perf | gpu:--call-graph | gpu:--max-size) ;;
		*) usage_error "$option applies to perf, which does not record $mode" ;;
		esac
	done
	case $mode:${from:+from}${power_csv:+power} in
	power:from) usage_error "--from does not apply to power: 'hotdrift add FILE --mode power' stores a series" ;;
	power:*power) usage_error "--power names a file that CMD writes; mode power measures it itself" ;;
	esac
}

# Check what is recorded: a command, a target, running processes, a server, or an existing recording.
check_subject() {
	[ -z "$from" ] || [ "${#command[@]}:$pids$server$duration" = 0: ] ||
		usage_error "--from analyses a recording: it takes no command, --pid, --server or --duration"
	[ -z "$symfs" ] || [ -n "$from" ] || usage_error "--symfs requires --from"
	[ -z "$ready" ] || [ -n "$server" ] || usage_error "--ready requires --server"
	[ -z "$server" ] || [ -z "$pids" ] || usage_error "--server and --pid exclude each other"
	if [ -n "$server" ]; then
		[ ${#command[@]} -gt 0 ] || [ -n "$duration" ] || [ "$check" = yes ] ||
			usage_error "--server needs a workload: give its command after --, or --duration"
	fi
	[[ $pids =~ ^([1-9][0-9]{0,9}(,[1-9][0-9]{0,9})*)?$ ]] ||
		usage_error "--pid takes process ids like 4711 or 4711,4712, not '$pids'"
	if [ "$all_cpus" = yes ] && [ -n "$pids$server" ]; then
		usage_error "--all-cpus records everything and excludes --pid and --server"
	fi
}

# shellcheck shell=bash
# target.sh - read the target of hotdrift.ini, and build it
#
# `hotdrift target` parses the file.  Its values are defaults for options.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# in_root VARIABLE PATH: set VARIABLE to the path, which is relative to the folder of hotdrift.ini, unless it has a
# value.  A database may be a URL.
in_root() {
	[ -z "${!1}" ] || return 0
	case $2 in
	/* | *://*) printf -v "$1" %s "$2" ;;
	*) printf -v "$1" %s "$ini_root/$2" ;;
	esac
}

# Values of hotdrift.ini are not executed, except `build` and `run` of the target that the user named.
ini_root='' ini_build='' ini_run='' ini_dir='' ini_modes='' ini_targets=()
read_ini() {
	local pair value path i words=(target -0)

	[ -z "$ini" ] || words+=(--file "$ini")
	[ -z "$1" ] || words+=(-- "$1")
	"$hotdrift" "${words[@]}" >"$tmp/target" 2>"$tmp/target.err" || return
	[ ! -s "$tmp/target.err" ] || cat -- "$tmp/target.err" >&2
	ini_targets=()
	while IFS= read -r -d '' pair; do
		value=${pair#*=}
		case ${pair%%=*} in
		root) ini_root=$value ;;
		target) ini_targets+=("$value") ;;
		results | db | config | latency_csv | memory_csv | power_csv | results_csv)
			in_root "${pair%%=*}" "$value" ;;
		build) ini_build=$value ;;
		run) ini_run=$value ;;
		dir) ini_dir=$value ;;
		modes) ini_modes=" ${value//[,$'\t\n']/ } " ;;
		event) [ "$event_given" = yes ] || { event=$value event_given=yes; } ;;
		frequency) [ "$freq_given" = yes ] || { freq=$value freq_given=yes; } ;;
		call_graph) [ "$call_graph_given" = yes ] || call_graph=$value ;;
		max_size) max_size=${max_size:-$value} ;;
		duration) duration=${duration:-$value} ;;
		cpus) cpus=${cpus:-$value} ;;
		series_csv)
			[ ${#series_csv[@]} = 0 ] || continue
			mapfile -t series_csv <<<"$value"
			for i in "${!series_csv[@]}"; do
				path=''
				in_root path "${series_csv[i]#*=}"
				series_csv[i]=${series_csv[i]%%=*}=$path
			done
			;;
		work) work=${work:-$value} ;;
		env) env_named=$value ;;
		kv_cache) kv_cache=${kv_cache:-$value} ;;
		activation) activation=${activation:-$value} ;;
		temp_buffer) temp_buffer=${temp_buffer:-$value} ;;
		skip) skip=${skip:-$value} ;;
		esac
	done <"$tmp/target"
}

# Set `command`.  A command line without shell syntax is run without a shell, so that no shell is recorded.
split_run() {
	local plain='^[A-Za-z0-9_./+:,@%-]+( +[A-Za-z0-9_./=+:,@%-]+)*$'

	if [[ $1 =~ $plain ]]; then
		read -r -a command <<<"$1"
	else
		command=(sh -c "$1")
	fi
}

build_target() {
	if [ "$build" = no ] || [ -z "$ini_build" ]; then
		return 0
	fi
	say "building $target: $ini_build"
	if ! (cd -- "$work_dir" && unset MAKEFLAGS MFLAGS MAKELEVEL && exec sh -c "$ini_build") \
		>"$tmp/build.log" 2>&1 </dev/null; then
		tail -n 20 -- "$tmp/build.log" >&2
		die 6 "the build of target $target failed; its last output is above" \
			"$(printf 'cd %q && %s' "$work_dir" "$ini_build")"
	fi
}

# Nothing was named: use the only target of hotdrift.ini.
only_target() {
	local name status=0 lines=()

	read_ini '' || status=$?
	if [ "$status" != 0 ] && [ "$status" != 6 ]; then	# 6: there is no file
		cat -- "$tmp/target.err" >&2
		exit "$status"
	fi
	if [ ${#ini_targets[@]} = 1 ]; then
		target=${ini_targets[0]}
		say "recording the target $target of hotdrift.ini"
		return
	fi
	for name in "${ini_targets[@]+"${ini_targets[@]}"}"; do lines+=("$door $mode --target $name"); done
	[ ${#lines[@]} = 0 ] || usage_error "no target given; hotdrift.ini has:" "${lines[@]}"
	usage_error "nothing to record; give a command, or a target of hotdrift.ini" "$door $mode -- CMD"
}

# Set the command, its folder, the results folder, and `subject`, the name in messages.
settle_target() {
	local status=0 named=''

	if [ "${#command[@]}:$from$pids$server" = 0: ]; then
		[ -n "$target" ] || only_target
		named=$target
	fi
	read_ini "$named" || status=$?
	if [ "$status" != 0 ]; then
		# Without a target the file only sets the results folder, and may be absent.
		[ "$named$ini:$status" = :6 ] || cat -- "$tmp/target.err" >&2
		[ -z "$named$ini" ] || exit "$status"
	fi
	work_dir=$PWD
	if [ -n "$named" ]; then
		[ -n "$ini_run" ] || die 5 "target $target has no run command in hotdrift.ini; give one after --"
		case $ini_modes in
		'' | *" $mode "*) ;;
		*)
			why="target $target is not for mode $mode; hotdrift.ini has modes =${ini_modes% }"
			[ -n "$outcome" ] || die 5 "$why"
			mode_is_absent ;;
		esac
		[ -z "$ini_root" ] || work_dir=$ini_root/$ini_dir
		[ -d "$work_dir" ] || die 5 "the folder '$work_dir' of target $target does not exist"
		split_run "$ini_run"
	else
		build=no
	fi
	settle_subject
	# The history of a target is in one place, whatever the current folder of the repository.
	default_results
	db=${db:-$results/hotspots.db}
	[ -z "$config" ] || [ -r "$config" ] || die 6 "cannot read the configuration '$config'"
}

# Set `results` if no option did: in the folder of hotdrift.ini, else in the root of the checkout, else here.
default_results() {
	local up=''

	if [ -z "$results" ] && [ -z "$ini_root" ]; then
		up=$(exec git rev-parse --show-cdup 2>/dev/null) || up=''
	fi
	results=${results:-${ini_root:+$ini_root/}${up}results}
	results=${results%/}
}

# Set `subject`, `command_line` and, if no option did, `target`.
settle_subject() {
	local workload=("${command[@]+"${command[@]}"}")

	subject=${command[0]:-} command_line=${command[*]:-}
	if [ -n "$server" ]; then
		split_run "$server"
		server_command=("${command[@]}") command=("${workload[@]+"${workload[@]}"}")
		subject="the server ${server_command[0]}" command_line="$server -- $command_line"
		target=${target:-${server_command[0]##*/}}
	elif [ -n "$pids" ]; then
		check_pids
		subject="process $pids"
		target=${target:-$(cat "/proc/${pids%%,*}/comm")}
		[ -n "$command_line" ] || command_line=$(tr '\0' ' ' <"/proc/${pids%%,*}/cmdline" | sed 's/ $//')
	fi
	target=${target:-${subject:-$from}}
	target=${target##*/}
}

die_without_command() {	# WORD VERB
	local file=$1

	[ "${1#/}" != "$1" ] || file=$work_dir/$1
	[ ! -d "$file" ] || die 6 "'$1' is a folder, not a command to $2"
	[ ! -f "$file" ] || [ "${1#*/}" = "$1" ] ||
		die 6 "'$1' is not executable" "chmod +x '$1', or name its interpreter, as in: -- sh '$1'"
	die 6 "there is no command '$1' to $2"
}

# Check that the commands exist in the folder where they will run.
check_commands() {
	local word words=("${command[0]:-}" "${server_command[0]:-}")

	for word in "${words[@]}"; do
		[ -z "$word" ] || (cd -- "$work_dir" && type -P -- "$word" >/dev/null) ||
			die_without_command "$word" record
	done
}

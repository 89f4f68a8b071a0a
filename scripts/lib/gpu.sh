# shellcheck shell=bash
# gpu.sh - record what a GPU does while a command runs: profile.sh gpu
#
# Three recorders are tried in this order, and the first one that can work here is used:
#
#     nsys       Nsight Systems, if it is in PATH: gpu_profile.nsys-rep and its export gpu_profile.sqlite, which is
#                analysed
#     cuda       libhotdrift-cuda.so, which the CUDA driver loads into the command: gpu.trace.  Where uprobes are
#                permitted, perf also records the CPU and the stacks of launches: perf.data
#     sample     `hotdrift sample --gpu --power`: utilisation, memory and power by NVML, without kernels
#
# If none of them can work, the command is not run.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

nsys='' nsys_version='' cuda_library='' cupti='' nvml=''

# Print the paths of the library NAME (a shell pattern): those that the dynamic linker finds, then those in usual
# folders.
library_files() {	# NAME FOLDER...
	local name=$1 dir folders=() known

	IFS=: read -r -a folders <<<"${LD_LIBRARY_PATH:-}"
	for dir in "${folders[@]+"${folders[@]}"}"; do
		[ -z "$dir" ] || compgen -G "$dir/$name" || :
	done
	known=$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null) || known=''
	sed -n 's/^[^=]*=> //p' <<<"$known" | while IFS= read -r dir; do
		# shellcheck disable=SC2254	# a pattern
		case ${dir##*/} in $name) printf '%s\n' "$dir" ;; esac
	done
	for dir in "${@:2}"; do
		compgen -G "$dir/$name" || :
	done
}

# Set `cupti` to a file of NVIDIA's profiling library.  Returns 1 if there is none.
find_cupti() {
	local folders=("/usr/local/cuda*/extras/CUPTI/lib64" "/usr/local/cuda*/lib64" "/usr/local/cuda*/targets/*/lib")
	local python=("${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}" /usr/local /usr "${HOME:-}/.local") dir

	for dir in "${python[@]}"; do		# PyTorch and others ship their own
		[ -z "$dir" ] || folders+=("$dir/lib/python3*/*-packages/nvidia/*/lib" "$dir/lib")
	done
	cupti=${HOTDRIFT_CUPTI:-$(library_files 'libcupti.so.[0-9]*' "${folders[@]}" | head -n 1)}
	[ -n "$cupti" ] && [ -e "$cupti" ]
}

# Return 0 if the driver's library, which loads ours, is present.  HOTDRIFT_CUPTI, used by tests, implies it.
has_cuda_driver() {
	[ ! -e "${HOTDRIFT_CUPTI:-}" ] || return 0
	[ -n "$(library_files 'libcuda.so.1' /usr/local/nvidia/lib64 /usr/lib/wsl/lib | head -n 1)" ]
}

# Set `nvml` to NVIDIA's management library.  Returns 1 if there is none.
find_nvml() {
	nvml=${HOTDRIFT_NVML:-$(library_files 'libnvidia-ml.so.1' /usr/local/nvidia/lib64 /usr/lib/wsl/lib | head -n 1)}
	[ -n "$nvml" ] && [ -e "$nvml" ]
}

# Set `recorder` to nsys, cuda or sample.  Returns 1 if no GPU can be recorded here; `why` lists everything that was
# tried.
check_gpu() {
	local library=no driver=no found_cupti=no found_nvml=no devices

	if nsys=$(type -P nsys) && nsys_version=$("$nsys" --version 2>/dev/null </dev/null); then
		nsys_version=${nsys_version##*version }
		recorder=nsys artifact=gpu_profile.sqlite
		return 0
	fi
	nsys=''
	! cuda_library=$(find_library libhotdrift-cuda.so "${HOTDRIFT_CUDA_LIBRARY:-}") || library=yes
	! has_cuda_driver || driver=yes
	! find_cupti || found_cupti=yes
	if [ "$library$driver$found_cupti" = yesyesyes ]; then
		recorder=cuda artifact=gpu.trace
		return 0
	fi
	! find_nvml || found_nvml=yes
	devices=$(compgen -G '/dev/nvidia*') || devices=''
	if [ "$found_nvml" = yes ] && { [ -n "$devices" ] || [ -n "${HOTDRIFT_NVML:-}" ] || [ -e /dev/dxg ]; }; then
		recorder=sample artifact=gpu.csv
		return 0
	fi
	why="no GPU can be recorded here: nsys (not in PATH), libcuda.so.1 ($(found "$driver")),"
	why+=" libcupti ($(found "$found_cupti")), libhotdrift-cuda.so ($(found "$library")),"
	why+=" libnvidia-ml.so.1 ($(found "$found_nvml")) and /dev/nvidia* ($(found "${devices:+yes}"))"
	why+=' were looked for; GPUs of AMD and Intel are not supported'
	fix=("$(shown_program) doctor   tries what recording needs here, and explains each")
	return 1
}

found() { if [ "$1" = yes ]; then printf 'found'; else printf 'not found'; fi; }

# Choose the recorder, before the target is built.
settle_gpu() {
	if [ -n "$from" ]; then
		recorder=nsys mode_event=gpu-kernels
		case $(head -c 15 -- "$from" | tr -d '\0')/$from in
		'SQLite format 3'*) artifact=gpu_profile.sqlite ;;
		HDCUDA*) artifact=gpu.trace ;;
		*.json.gz) artifact=gpu.json.gz ;;
		*.json) artifact=gpu.json ;;
		*) artifact=gpu.trace ;;
		esac
		return 0
	fi
	check_gpu || mode_is_absent
	case $recorder in
	sample)
		mode_event='' sample_options=(--gpu --power)
		check_sampler --gpu || mode_is_absent
		say "no kernels are recorded: $(lacks_for_kernels); only utilisation, memory and power by NVML" ;;
	*) mode_event=gpu-kernels ;;
	esac
	[ "$check" = yes ] || return 0
	case $recorder in
	nsys) say "nsys $nsys_version records what GPUs do here" ;;
	cuda) say "$cuda_library records what GPUs do here, with $cupti" ;;
	sample) say "$nvml samples utilisation, memory and power of GPUs here" ;;
	esac
	exit 0
}

lacks_for_kernels() {
	if [ -z "$cuda_library" ]; then
		printf 'neither nsys nor libhotdrift-cuda.so is available'
	elif ! has_cuda_driver; then
		printf 'nsys is not in PATH and libcuda.so.1 is not found'
	else
		printf 'nsys is not in PATH and libcupti is not found'
	fi
}

# ---- Nsight Systems

# Replace this shell by nsys, which starts the command.
run_nsys() {
	local options=('--trace=cuda,nvtx,osrt' --cuda-memory-usage=true) where

	# Record kernels of CUDA graphs individually.  nsys before 2022.1 lacks the option.
	! "$nsys" profile --help 2>/dev/null </dev/null | grep -q -e '--cuda-graph-trace' ||
		options+=(--cuda-graph-trace=node)
	absolute where "$run_dir/gpu_profile"
	exec_plain "$nsys" profile "${options[@]}" --force-overwrite=true \
		--output="${where//%/%%}" "$@"
}

# Export the report of nsys to the recording, an SQLite file.  Returns 1 if there is no report.  nsys creates files
# by the umask; recordings have mode 0600.
export_nsys() {
	local report

	for report in "${recording%.sqlite}.nsys-rep" "${recording%.sqlite}.qdrep"; do	# .qdrep before 2021.4
		[ -s "$report" ] || continue
		nsys_report=$report
		chmod 600 -- "$report"
		if (umask 077 && exec "$nsys" export --type=sqlite --force-overwrite=true --output="$recording" \
			"$report" >"$tmp/export" 2>&1 </dev/null) && [ -s "$recording" ]; then
			return 0
		fi
		tail -n 5 -- "$tmp/export" >&2
		report=$(shown "$report")
		die 6 "nsys cannot export its report; its output is above, and the report is kept in $report" \
			"nsys export --type sqlite $report"
	done
	return 1
}
nsys_report=''

# ---- libhotdrift-cuda.so

# If this machine permits it, create a uprobe on the function that the library calls for each launch, so that perf
# records launches.  Set `uprobe` to the event.  drop_uprobe removes it on every exit.
uprobe=''
add_uprobe() {
	local register event=hotdrift_$$:gpu_launch_marker pid

	case $(uname -m) in
	x86_64) register=%di ;;
	aarch64) register=%x0 ;;
	*) return 1 ;;
	esac
	find_perf || return 1
	for pid in $("$perf" probe -l 'hotdrift_*:*' 2>/dev/null </dev/null |
		sed -n 's/^ *hotdrift_\([0-9]*\):.*/\1/p' | sort -u); do
		# left by a killed profile.sh
		[ -d "/proc/$pid" ] || "$perf" probe -q -d "hotdrift_$pid:*" >/dev/null 2>&1 </dev/null || :
	done
	"$perf" probe -q -x "$cuda_library" --add "$event=gpu_launch_marker corr=$register:u32" \
		>/dev/null 2>&1 </dev/null || return 1
	uprobe=$event
}

drop_uprobe() {
	[ -n "$uprobe" ] || return 0
	"$perf" probe -q -d "${uprobe%%:*}:*" >/dev/null 2>&1 </dev/null || :
	uprobe=''
}

# The library records the stacks of launches itself, without privileges.  If uprobes are permitted, perf also records
# launches and samples the CPU.  perf.data then shows, with the same clock, which stack launched each operation and
# what the CPU did while the GPU was idle.
launch_events=''
settle_launches() {
	[ "$call_graph_given" = yes ] || call_graph=dwarf,4096
	if add_uprobe; then
		soften_limit
		record_options=(-N -q -k CLOCK_MONOTONIC --call-graph "$call_graph" -z1)
		launch_events=cpu-clock/freq=499/,$uprobe
		if try_perf "$launch_events"; then
			call_graph_used=${call_graph%%,*}
			return 0
		fi
		drop_uprobe
		launch_events='' limit=none limit_options=()
	fi
	say "recording uprobes with perf requires root, so there is no perf.data next to gpu.trace"
}

# Replace this shell by the command, or by perf that starts it, with our library in it.
run_injected() {
	local recorded

	case $parts in
	*%p*) die 6 "the results folder '$results' must not have %p in its path" ;;
	esac
	export CUDA_INJECTION64_PATH=$cuda_library HOTDRIFT_CUDA_OUT=$parts/%p.trace HOTDRIFT_CUDA_STACKS=1
	recorded=("$@")
	[ -z "$launch_events" ] || recorded=("$perf" record "${record_options[@]}" "${extras[@]+"${extras[@]}"}" \
		"${limit_options[@]+"${limit_options[@]}"}" -e "$launch_events" -o "${recording%/*}/perf.data" \
		-- "${recorded[@]}")
	exec_plain "${recorded[@]}"
}

# Make the largest trace of all processes the recording, and keep the others next to it.  Returns 1 if there is none.
gather_traces() {
	local trace largest='' others=''

	for trace in "$parts"/*.trace; do
		[ -s "$trace" ] || continue
		[ -n "$largest" ] && [ "$(stat -c %s -- "$trace")" -le "$(stat -c %s -- "$largest")" ] || largest=$trace
	done
	if [ -z "$largest" ]; then
		rm -rf -- "$parts"
		why="$subject did not use a GPU: the CUDA driver did not load $cuda_library into it" fix=()
		return 1
	fi
	mv -f -- "$largest" "$recording" ||
		die 6 "the trace could not be moved to $(shown "$recording"); it is in $(shown "$largest")"
	for trace in "$parts"/*.trace; do
		[ -s "$trace" ] || continue
		largest=${trace##*/}
		mv -f -- "$trace" "${recording%.trace}-$largest" || return 0
		others+=" $(shown "${recording%.trace}-$largest")"
	done
	rm -rf -- "$parts"
	[ -z "$others" ] || warn "several processes used the GPU; the one with the largest trace is analysed," \
		"the others are kept:$others"
}

# Move the recorder's output to $recording.  Returns 1 if there is none; `why` has the reason.
gather_measured() {
	case $recorder in
	nsys)
		why="nsys made no report of $subject; its output is above" fix=()
		export_nsys ;;
	cuda) gather_traces ;;
	sample)
		why="hotdrift sample measured nothing; its output is above" fix=()
		[ -s "$recording" ] && take_end ;;
	esac
}

# Draw GPU time by the CPU stacks in perf.data, instead of those in gpu.trace.
write_joined() {
	[ "$recorder" = cuda ] && [ -s "$run_dir/perf.data" ] || return 0
	"$hotdrift" flame --event gpu-kernels "$run_dir/perf.data" --gpu-trace "$recording" \
		-o "$run_dir/flamegraph-joined.svg" \
		>/dev/null 2>"$tmp/joined.err" && return 0
	rm -f -- "$run_dir/flamegraph-joined.svg"
	warn "perf.data and gpu.trace could not be joined: $(tail -n 1 -- "$tmp/joined.err")"
}

# Print the lines of report.md from "launches" on, and the commands that show the rest.
show_gpu() {
	[ "$mode" = gpu ] && [ "$recorder" != sample ] || return 0
	[ ! -s "$run_dir/report.md" ] || sed -n '/^launches /,/^[^a-z ]/{/^[a-z ]/p;}' "$run_dir/report.md"
	[ ! -s "$run_dir/$artifact" ] || printf 'busy, idle  %s info %s\n' "$(shown_program)" \
		"$(shown "$run_dir/$artifact")"
	[ -z "$nsys_report" ] || printf 'nsys-ui %s\n' "$(shown "$nsys_report")"
}

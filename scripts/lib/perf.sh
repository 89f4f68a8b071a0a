# shellcheck shell=bash
# perf.sh - test whether perf can record here, and explain failures
#
# No setting of the system is changed, except with --allow-sysctl: lower_paranoid_if_needed() then lowers
# kernel.perf_event_paranoid, and restore_paranoid() restores it.  The caller runs the latter on every exit.
#
# The test is a trial recording of `true` with the same options.  Settings are read only to explain a failure.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

paranoid_file=${HOTDRIFT_PARANOID_FILE:-/proc/sys/kernel/perf_event_paranoid}
paranoid_was=''			# value to restore; empty: unchanged
perf_version=''

# Set `perf`: --perf, HOTDRIFT_PERF, PERF, or perf in PATH.
find_perf() {
	local want=${perf:-${HOTDRIFT_PERF:-${PERF:-}}}

	[ -z "${perf_version:-}" ] || return 0
	perf=$(type -P -- "${want:-perf}") || perf=''
	[ -z "$perf" ] || absolute perf "$perf"
	if [ -n "$perf" ] && perf_version=$(exec "$perf" --version 2>/dev/null </dev/null); then
		perf_version=${perf_version#perf version }
		return 0
	fi
	if [ -n "$want" ]; then
		why="there is no perf at '$want'"
	elif [ -n "$perf" ]; then
		why="$perf does not run"
	else
		why="perf is not installed"
	fi
	fix=("sudo apt-get install linux-perf              on Debian"
	     "sudo apt-get install linux-tools-$(uname -r)  on Ubuntu")
	return 1
}

# Set `paranoid` to the current setting; empty: unknown.
read_paranoid() {
	paranoid=''
	if [ -r "$paranoid_file" ]; then
		read -r paranoid <"$paranoid_file" || :
	fi
	[[ $paranoid =~ ^-?[0-9]+$ ]] || paranoid=''
}

# Record `true` with the options of the recording.  Options that this perf is too old for are replaced or dropped.
try_perf() {
	local unknown

	while ! try_record "$1"; do
		unknown=$(sed -n "s/.*unknown option .\([a-z-]*\).*/\1/p; s/.*build id in mmap.*/buildid-mmap/p" \
			"$tmp/probe.err" | head -n 1)
		case $unknown:$limit in
		no-bpf-event:* | buildid-mmap:*)	# perf before 5.1; perf or Linux before 5.12
			case " ${extras[*]} " in *" --$unknown "*) ;; *) return 1 ;; esac
			read -r -a extras <<<"${extras[*]//--$unknown/}" ;;
		control:control)	# perf before 5.10 has no control FIFO: at its limit it ends CMD too
			limit=size limit_options=(--max-size "${max_bytes}B") ;;
		max-size:size)		# perf before 5.5
			limit=none limit_options=()
			warn "perf $perf_version has no --max-size, so the recording may grow larger than planned" ;;
		*) return 1 ;;
		esac
	done
}

# Record `true` once, with stderr in $tmp/probe.err.  The outer redirection drops the shell's message about a signal.
try_record() {
	rm -f -- "$tmp/probe.data"
	{
		LC_ALL=C "$perf" record "${record_options[@]}" "${extras[@]+"${extras[@]}"}" \
			"${limit_options[@]+"${limit_options[@]}"}" \
			-e "$1" -o "$tmp/probe.data" -- true >/dev/null 2>"$tmp/probe.err" </dev/null
	} 2>/dev/null && [ -s "$tmp/probe.data" ]
}

probe_says() { grep -q -i -e "$1" "$tmp/probe.err"; }

probe_refused() {
	probe_says 'No permission\|Permission denied\|Operation not permitted\|is limited\|may not have permission'
}

in_container() {
	[ -e /.dockerenv ] || [ -e /run/.containerenv ] || [ -n "${container:-}" ] ||
		grep -q -s -E 'docker|containerd|kubepods|lxc|libpod' /proc/1/cgroup
}

container_fix() {
	fix+=("docker run --cap-add PERFMON --security-opt seccomp=unconfined ...   when you start the container,"
	      "                                             or a seccomp profile that allows perf_event_open")
}

# Set `why` and `fix` if perf_event_open was refused: by kernel.perf_event_paranoid with EACCES, or by a seccomp filter
# or a security module with EPERM.
explain_refusal() {
	local most=1 allow='lowers it for this recording and restores it (needs sudo without a password)' tracefs mount

	read_paranoid
	[ "$all_cpus" = no ] || most=0
	tracefs=$(sed -n 's|.*No permissions to read \(/[^ ]*[^/]\)/*/events/.*|\1|p' "$tmp/probe.err" | head -n 1)
	mount="sudo mount -o remount,mode=750,gid=$(id -g) $tracefs      until the next boot"
	# A perf that may record the kernel has the capability, or needs none.
	if [ -n "$tracefs" ] && try_record cpu-clock:k; then
		why="$tracefs may not be read, which this recording needs"
		fix=("$mount")
		return
	fi
	if [ -n "$paranoid" ] && [ "$paranoid" -gt "$most" ] && ! probe_says 'No permission to enable'; then
		why="kernel.perf_event_paranoid is $paranoid, which forbids this recording"
		[ "$uid" != 0 ] || why="$why, and this root lacks the capability CAP_PERFMON"
		fix=("sudo sysctl kernel.perf_event_paranoid=$most      until the next boot"
		     "$door $mode --allow-sysctl ...   $allow"
		     "sudo setcap cap_perfmon,cap_sys_ptrace=ep ${perf:-perf}   allows this perf alone")
		if [ -n "$tracefs" ]; then
			why="$why, and $tracefs may not be read"
			fix=("$mount, and one of these:" "${fix[@]}")
		fi
		if in_container; then container_fix; fi
	elif in_container; then
		why="perf_event_open is refused in this container"
		container_fix
	else
		why="perf_event_open is refused by a seccomp filter or a security module"
		why+=" (kernel.perf_event_paranoid is ${paranoid:-not readable})"
		container_fix
	fi
}

# Set `why` and `fix` from the failed trial recording.
explain_probe() {
	local most

	fix=()
	if probe_says 'Function not implemented\|ENOSYS'; then
		why="this kernel has no perf_event_open"
		why+=" (a sandbox such as gVisor, or a kernel without CONFIG_PERF_EVENTS)"
		fix=("record on a machine, or in a virtual machine, whose kernel has it")
	elif probe_refused; then
		explain_refusal
	elif probe_says 'branch stack'; then
		why="this machine has no last branch records, which --call-graph lbr needs"
		fix=("$door $mode --call-graph fp ...      with a program built with -fno-omit-frame-pointer"
		     "$door $mode --call-graph dwarf ...   with any program")
	elif probe_says 'is not supported\|No such device\|ENOENT\|doesn.t support'; then
		why="the event '$event' cannot be recorded on this machine"
		fix=("$perf list                        names the events there are"
		     "$door $mode --event cpu-clock ...   is there everywhere")
	elif probe_says 'parser error\|event syntax error\|unknown event'; then
		why="perf does not know the event '$event'"
		fix=("$perf list   names the events there are")
	elif probe_says 'frequency rate'; then
		most=$(cat /proc/sys/kernel/perf_event_max_sample_rate 2>/dev/null || echo unknown)
		why="--freq $freq is above what this machine allows ($most a second)"
		fix=("$door $mode --freq 997 ...")
	else
		why='perf record does not work here; its message: '
		why+=$(grep -v '^ *$' "$tmp/probe.err" | head -n 3 | tr '\n' ' ')
	fi
	fix+=("$(shown_program) doctor   tries what recording needs here, and explains each")
}

# Print the command that runs hotdrift.
shown_program() {
	if [ "$(type -P hotdrift)" -ef "$hotdrift" ]; then printf hotdrift; else printf '%s' "${hotdrift#"$PWD"/}"; fi
}

# Print the event that perf recorded for the requested one.
probed_event() { LC_ALL=C "$perf" evlist -i "$tmp/probe.data" 2>/dev/null </dev/null | head -n 1; }

# Set `event_used`.  Returns 1 if perf cannot record here; `why` and `fix` explain the reason.
check_perf() {
	find_perf || return 1
	lower_paranoid_if_needed
	event_used=$event
	if recall_probe; then
		:
	elif try_perf "$event"; then
		# Without a cycle counter perf records a clock instead: cpu-clock, or since 6.4 task-clock.  Request
		# cpu-clock then, so that runs before and after an upgrade of perf are comparable.
		case $event:$(probed_event) in
		cycles*:cpu-clock* | cycles*:task-clock*) event_used=cpu-clock ;;
		esac
	elif [ "$event" = cycles ] && [ "$event_given" = no ] &&
		probe_says 'is not supported\|No such device\|doesn.t support' && try_perf cpu-clock; then
		event_used=cpu-clock
	else
		explain_probe
		return 1
	fi
	if [ "$event_used" != "$event" ]; then
		say "no cycle counter on this machine (a virtual machine often has none):" \
			"recording cpu-clock, which samples time"
	fi
	read_paranoid
	if [ "$uid" != 0 ] && [ "${paranoid:-0}" -ge 2 ]; then
		say "kernel.perf_event_paranoid is $paranoid: the kernel's share is not recorded"
	fi
	return 0
}

# ---- trial recordings are cached until the next boot

# Set `probe_file`, whose name is a hash of everything that affects a trial recording: the boot, the user's privileges,
# perf and its options.
name_probe() {
	local lines words=("$event" "${stack_events[@]+"${stack_events[@]}"}" "${record_options[@]}" \
		"${extras[@]+"${extras[@]}"}" \
		"${limit_options[@]+"${limit_options[@]}"}")

	read_paranoid
	mapfile -t lines </proc/self/status
	[[ ${lines[*]} =~ CapEff:[^a-z]*[0-9a-f]+ ]] || return 1
	words+=("$boot_id" "$uid" "${BASH_REMATCH[0]}" "$paranoid" "$perf $perf_version" \
		"$(stat -L -c '%i %s %Y %Z' -- "$perf")")
	hash_of probe_file 32 "${words[@]//"$tmp"/}"
	probe_file=perf-$probe_file
}

# Use the cached result of a trial recording.  Returns 1 if there is none, or --check is given.
probe_file='' recalled=no
recall_probe() {
	local lines

	[ "$check" = no ] && find_state && name_probe || return 1
	[ -f "$state/$probe_file" ] || return 1
	mapfile -t lines <"$state/$probe_file"
	[ ${#lines[@]} = 5 ] || return 1
	event_used=${lines[0]} levels=${lines[1]} event_recorded=${lines[2]} limit=${lines[3]}
	read -r -a extras <<<"${lines[4]}"
	case $limit in
	size) limit_options=(--max-size "${max_bytes}B") ;;
	none) limit_options=() ;;
	esac
	recalled=yes
}

# Cache the result of the trial recordings.  Without a private folder they are repeated in each run.
keep_probe() {
	[ -n "$probe_file" ] && [ "$recalled" = no ] || return 0
	write_state "$probe_file" "$event_used"$'\n'"$levels"$'\n'"$event_recorded"$'\n'"$limit"$'\n'"${extras[*]}" || :
}

# Set `why` and `fix` for a failed recording.  If a cached trial worked, drop its result and explain a new trial.
explain_no_recording() {
	local pid

	! disk_is_full "$recording" || return 0
	why='perf record made no recording; its output is above' fix=()
	for pid in ${pids//,/ }; do
		if [ "$uid" != 0 ] && [ -d "/proc/$pid" ] && [ ! -O "/proc/$pid" ]; then
			why="process $pid belongs to another user, so perf may not record it"
			fix=("sudo $door $mode --pid $pids")
			return 0
		fi
	done
	[ "$recalled" = yes ] || return 0
	rm -f -- "$state/$probe_file"
	try_perf "$event_used" || explain_probe
}

# ---- kernel.perf_event_paranoid, only with --allow-sysctl

set_paranoid() {
	if [ -n "${HOTDRIFT_PARANOID_FILE:-}" ] || [ -w "$paranoid_file" ]; then
		printf '%s\n' "$1" 2>/dev/null >"$paranoid_file"
	else
		sudo -n sysctl -q -w "kernel.perf_event_paranoid=$1" >/dev/null 2>&1 </dev/null
	fi
}

lower_paranoid_if_needed() {
	local now most=1

	[ "$allow_sysctl" = yes ] || return 0
	[ "$all_cpus" = no ] || most=0
	read_paranoid
	now=$paranoid
	if [ -z "$now" ] || [ "$now" -le "$most" ]; then
		return 0
	fi
	# Root may ignore the setting, unless a container removed the capability.
	if [ "$uid" = 0 ] && { try_perf "$event" || ! probe_refused; }; then
		return 0
	fi
	# recover_paranoid() has removed the file of a process that is gone.
	if find_state && ! claim_state paranoid "$boot_id $$ $(process_start $$) $now $most" &&
		[ -e "$state/paranoid" ]; then
		die 6 "--allow-sysctl: another recording has lowered kernel.perf_event_paranoid; wait for its end"
	fi
	paranoid_was=$now		# set first, so that a signal in between restores it too
	if set_paranoid "$most"; then
		say "kernel.perf_event_paranoid lowered from $now to $most; it is restored after the recording"
	else
		paranoid_was=''
		rm -f -- "${state:-/nonexistent}/paranoid"
		die 6 "--allow-sysctl: cannot lower kernel.perf_event_paranoid from $now to $most without a password" \
			"sudo sysctl kernel.perf_event_paranoid=$most"
	fi
}

restore_paranoid() {
	local was=$paranoid_was

	[ -n "$was" ] || return 0
	if set_paranoid "$was"; then
		paranoid_was=''
		! find_state || rm -f -- "$state/paranoid"
		say "kernel.perf_event_paranoid is $was again"
	else
		printf '%s: error: could not restore kernel.perf_event_paranoid\n' "$me" >&2
		printf '  sudo sysctl kernel.perf_event_paranoid=%s\n' "$was" >&2
		return 1
	fi
}

# Restore the setting that an earlier process lowered and, killed by SIGKILL, did not restore.
recover_paranoid() {
	local boot pid start was lowered

	find_state && [ -f "$state/paranoid" ] || return 0
	read -r boot pid start was lowered <"$state/paranoid" || :
	if ! [[ "$pid $start $was $lowered" =~ ^[0-9]+\ [0-9]+\ -?[0-9]+\ -?[0-9]+$ ]] ||
		[ "$boot" != "$boot_id" ]; then
		rm -f -- "$state/paranoid"
		return 0
	fi
	[ "$(process_start "$pid")" != "$start" ] || return 0	# it still records
	read_paranoid
	if [ "$paranoid" != "$lowered" ] || set_paranoid "$was"; then
		rm -f -- "$state/paranoid"
		read_paranoid
		say "kernel.perf_event_paranoid is $paranoid again: a recording that was killed had left it at $lowered"
	else
		warn "a recording that was killed has left kernel.perf_event_paranoid at $lowered; it was $was before" \
			"(sudo sysctl kernel.perf_event_paranoid=$was)"
	fi
}

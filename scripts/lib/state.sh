# shellcheck shell=bash
# state.sh - a private folder for data that is valid until the next boot
#
#     perf-KEY       result of a trial recording with these options (perf.sh)
#     paranoid       the process that lowered kernel.perf_event_paranoid and must restore it (perf.sh)
#
# The folder is $XDG_RUNTIME_DIR/hotdrift, /run/hotdrift for root without one, otherwise ~/.cache/hotdrift.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Set `state` to the folder, which is created if missing.  Returns 1 if there is no folder that only this user can
# write.
state=''
find_state() {
	local dir

	[ -z "$state" ] || return 0
	if [ -n "${XDG_RUNTIME_DIR:-}" ] && [ -d "$XDG_RUNTIME_DIR" ] && [ -O "$XDG_RUNTIME_DIR" ]; then
		dir=$XDG_RUNTIME_DIR/hotdrift
	elif [ "$uid" = 0 ]; then
		dir=/run/hotdrift
	else
		dir=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/hotdrift
	fi
	[ -d "${dir%/*}" ] || mkdir -p -- "${dir%/*}" 2>/dev/null || return 1
	[ -d "$dir" ] || mkdir -m 700 -- "$dir" 2>/dev/null || return 1
	if [ -L "$dir" ] || ! [ -O "$dir" ] || [ "$(stat -c %a -- "$dir")" != 700 ]; then
		return 1
	fi
	state=$dir
}

# The id of this boot marks files of earlier boots.
{ read -r boot_id </proc/sys/kernel/random/boot_id; } 2>/dev/null || boot_id=unknown

# process_start PID: print its start time in clock ticks since boot, which together with the pid identifies it.
process_start() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# write_state NAME TEXT: write a file atomically.
write_state() {
	local new

	new=$(mktemp -- "$state/.new.XXXXXX") || return 1
	printf '%s\n' "$2" >"$new" && mv -f -- "$new" "$state/$1"
}

# claim_state NAME TEXT: the same, unless the file exists.  Returns 1 if the file was not written.
claim_state() {
	local new claimed=no

	new=$(mktemp -- "$state/.new.XXXXXX") || return 1
	! { printf '%s\n' "$2" >"$new" && ln -- "$new" "$state/$1" 2>/dev/null; } || claimed=yes
	rm -f -- "$new"
	[ "$claimed" = yes ]
}

# shellcheck shell=bash
# state.sh - a private folder for what is known until the next boot
#
#     perf-KEY       perf recorded here with these options: what the trial recording showed (perf.sh)
#     paranoid       kernel.perf_event_paranoid was lowered by a process that must restore it (perf.sh)
#
# The folder is $XDG_RUNTIME_DIR/hotdrift, /run/hotdrift for root without one, else ~/.cache/hotdrift.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Set `state` to the folder, made if necessary.  1: there is no folder that only this user can write.
find_state() {
	local dir

	if [ -n "${XDG_RUNTIME_DIR:-}" ] && [ -d "$XDG_RUNTIME_DIR" ] && [ -O "$XDG_RUNTIME_DIR" ]; then
		dir=$XDG_RUNTIME_DIR/hotdrift
	elif [ "$(id -u)" = 0 ]; then
		dir=/run/hotdrift
	else
		dir=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/hotdrift
	fi
	state=''
	mkdir -p -- "${dir%/*}" 2>/dev/null || return 1
	[ -d "$dir" ] || mkdir -m 700 -- "$dir" 2>/dev/null || return 1
	if [ -L "$dir" ] || ! [ -O "$dir" ] || [ "$(stat -c %a -- "$dir")" != 700 ]; then
		return 1
	fi
	state=$dir
}

# Change when the machine boots: a file with another word is from before.
boot_id() { cat /proc/sys/kernel/random/boot_id 2>/dev/null || printf 'unknown'; }

# The time at which a process began, in clock ticks after the boot; with its number it names the process.
process_start() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# write_state NAME TEXT: at once or not at all.
write_state() {
	local new

	new=$(mktemp -- "$state/.new.XXXXXX") || return 1
	printf '%s\n' "$2" >"$new" && mv -f -- "$new" "$state/$1"
}

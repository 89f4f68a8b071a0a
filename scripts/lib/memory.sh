# shellcheck shell=bash
# memory.sh - record the allocations of a command with libhotdrift-heap.so, preloaded before its C library
#
# The library writes one recording per process into a folder (docs/memory.md describes its settings).  The recording of
# the run is the concatenation of these recordings, beginning with that of the command's own process.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Set `heap_library` to $HOTDRIFT_HEAP_LIBRARY, the library next to the program, or the installed one.
find_heap_library() {
	if heap_library=$(find_library libhotdrift-heap.so "${HOTDRIFT_HEAP_LIBRARY:-}"); then
		case $heap_library in
		*[[:space:]:]*)		# they separate paths in LD_PRELOAD
			ln -sf -- "$heap_library" "$tmp/libhotdrift-heap.so" && heap_library=$tmp/libhotdrift-heap.so ;;
		esac
		return 0
	fi
	why="libhotdrift-heap.so not found; 'make' builds it on x86-64 and aarch64 Linux"
	fix=('make' 'HOTDRIFT_HEAP_LIBRARY=FILE   names another')
	return 1
}

# Return 0 if allocations can be recorded here; 1 if not: then `why` and `fix` have the reason.
check_memory() {
	local parts

	find_heap_library || return 1
	mkdir -p -- "$tmp/probe"
	with_library "$tmp/probe/r" 65536 sh -c 'exit 0' </dev/null >/dev/null 2>"$tmp/probe.err" || :
	with_library "$tmp/probe/r" 1 sh -c 'exit 0' </dev/null >/dev/null 2>>"$tmp/probe.err" || :
	parts=("$tmp"/probe/*)
	[ ! -f "${parts[0]}" ] || return 0
	why="the dynamic linker does not load $heap_library into programs"
	fix=("$(head -n 1 "$tmp/probe.err")")
	return 1
}

# with_library PREFIX INTERVAL COMMAND...: run a command with the library, and keep other entries of LD_PRELOAD.
with_library() {
	HOTDRIFT_HEAP=$1 HOTDRIFT_HEAP_INTERVAL=$2 LD_PRELOAD="$heap_library${LD_PRELOAD:+:$LD_PRELOAD}" "${@:3}"
}

# Print the used part of a recording, and set `used` to its length, which is at offset 16.
used_part() {
	local size

	read -r used <<<"$(exec od -An -t u8 -j 16 -N 8 -- "$1" 2>/dev/null)"
	size=$(stat -c %s -- "$1")
	[[ $used =~ ^[0-9]{1,15}$ ]] && [ "$used" -ge 512 ] && [ "$used" -le "$size" ] || used=$size
	head -c "$used" -- "$1"
}

# gather_parts FOLDER PID: concatenate all recordings into $recording, beginning with that of PID.
# 1: there is none; 2: a write failed, and the remaining recordings stay in the folder.
gather_parts() {
	local part size=0 used

	(umask 077 && : >"$recording") || return 2
	for part in "$1/r.$2" "$1"/r.*; do
		[ -f "$part" ] || continue		# moved already: it was the first
		if ! used_part "$part" >>"$recording"; then
			truncate -s "$size" -- "$recording" || :
			return 2
		fi
		size=$((size + used))
		rm -f -- "$part"
	done
	rm -rf -- "$1"
	[ -s "$recording" ]
}

# shellcheck shell=bash
# objects.sh - choose the method of recording stacks for the program: --call-graph auto
#
# `hotdrift doctor --program` examines the executable (for a script, its interpreter) and the shared libraries outside
# the system's folders.  Libraries of the distribution are ignored: nearly all lack frame pointers, but a program that
# keeps frame pointers is still best recorded with them.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Print the file that WORD executes, in the folder of the target; for a script, its interpreter.  Runs in a subshell.
program_of() {	# WORD
	local file line='' words

	cd -- "$work_dir" && file=$(type -P -- "$1") || return
	{ IFS= LC_ALL=C read -r -n 256 line <"$file" || :; } 2>/dev/null
	if [ "${line:0:2}" = '#!' ]; then
		read -r -a words <<<"${line:2}"
		[ "${words[0]##*/}" != env ] || words=("${words[@]:1}")
		type -P -- "${words[0]:-sh}" && return
	fi
	exec readlink -f -- "$file"
}

# Print the shared libraries that the dynamic linker, which the program names among its first strings, finds for it.
# ldd prints the same, but is a script that starts the linker three times.
libraries_of() {	# FILE
	local string strings

	{ LC_ALL=C mapfile -d '' -n 2000 strings <"$1"; } 2>/dev/null || return 0
	for string in "${strings[@]}"; do
		[[ $string =~ ^/[^[:cntrl:]]*/ld[^/]*$ ]] || continue
		"$string" --list "$1" 2>/dev/null | sed -n 's|.*=> \(/.*\) (0x.*|\1|p'
		return
	done
}

# Set `objects` to the files with the program's code.
find_objects() {
	local file=() words pid

	objects=()
	if [ -n "$pids" ]; then
		for pid in ${pids//,/ }; do file+=("/proc/$pid/exe"); done
		mapfile -t words < <(sed -n 's|^[^ ]* r-x. [^/]*\(/.*\)$|\1|p' "/proc/${pids%%,*}/maps" \
			2>/dev/null | sort -u)
	else
		words=("${command[@]}")
		[ -z "$server" ] || words=("${server_command[@]}")
		file=("$(program_of "${words[0]}")")
		mapfile -t words < <(libraries_of "${file[0]}")
	fi
	objects=("${file[@]}")
	for pid in "${words[@]+"${words[@]}"}"; do
		case $pid in
		/lib/* | /lib64/* | /usr/* | *' (deleted)') ;;
		*) [ "$pid" -ef "${file[0]}" ] || objects+=("$pid") ;;
		esac
	done
}

# Set `call_graph` to fp, dwarf or lbr, and `method_why` to the reason.
method_why=''
choose_method() {
	local object words=() line

	find_objects
	for object in "${objects[@]}"; do words+=(--program "$object"); done
	line=$(exec "$hotdrift" doctor "${words[@]}" 2>/dev/null) || line=''
	case $line in
	'call graph  fp: '*) call_graph=fp ;;
	'call graph  dwarf: '*) call_graph=dwarf ;;
	'call graph  none: '*) call_graph=lbr ;;
	*)	call_graph=dwarf method_why="the program's files cannot be read"
		return ;;
	esac
	method_why=${line#call graph  *: }
	[ "$call_graph" != lbr ] || has_lbr || call_graph=fp
}

# Return 0 if this processor has last branch records of calls.
has_lbr() {
	LC_ALL=C "$perf" record -N --call-graph lbr -e cycles:u -o "$tmp/lbr.data" -- true >/dev/null 2>&1 </dev/null
}

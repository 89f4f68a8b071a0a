# shellcheck shell=bash
# objects.sh - choose the method of recording stacks for the program: --call-graph auto
#
# `hotdrift doctor --program` examines the executable (for a script, its interpreter) and the shared libraries outside the
# system's folders.  Libraries of the distribution are ignored: nearly all lack frame pointers, but a program that keeps
# frame pointers is still best recorded with them.
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Print the file that WORD executes, in the folder of the target.
program_of() { (cd -- "$work_dir" && file=$(type -P -- "$1") && readlink -f -- "$file"); }

# Print the interpreter of a script, or the file itself.
interpreter_of() {	# FILE
	local words

	if [ "$(head -c 2 -- "$1" 2>/dev/null | tr -d '\0')" = '#!' ]; then
		read -r -a words < <(head -n 1 -- "$1" | cut -c 3-)
		[ "${words[0]##*/}" != env ] || words=("${words[@]:1}")
		type -P -- "${words[0]:-sh}" && return
	fi
	printf '%s\n' "$1"
}

# Set `objects` to the files with the program's code.
find_objects() {
	local file=() words pid

	objects=()
	if [ -n "$pids" ]; then
		for pid in ${pids//,/ }; do file+=("/proc/$pid/exe"); done
		mapfile -t words < <(sed -n 's|^[^ ]* r-x. [^/]*\(/.*\)$|\1|p' "/proc/${pids%%,*}/maps" 2>/dev/null | sort -u)
	else
		words=("${command[@]}")
		[ -z "$server" ] || words=("${server_command[@]}")
		file=("$(interpreter_of "$(program_of "${words[0]}")")")
		mapfile -t words < <(ldd "${file[0]}" 2>/dev/null | sed -n 's|.*=> \(/.*\) (0x.*|\1|p')
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
	line=$("$hotdrift" doctor "${words[@]}" 2>/dev/null) || line=''
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

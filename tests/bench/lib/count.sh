# shellcheck shell=bash
# count.sh - count instructions by valgrind, a measure without noise, on the 10 MB recordings
# shellcheck disable=SC2154	# here, work: set by run.sh

counted_commands() { echo our-all-1 our-fold our-top script-plain report-folded report-flat; }

count_instructions() {	# NAME
	local name=$1 command argv=() n

	case $name in
	c.dw.s | sq.dw.s | cpp.dw.s | cpp.fp.s | cpp.dw.z.s) ;;
	*) return 0 ;;
	esac
	if ! command -v valgrind >/dev/null; then
		skipped "instructions of $name" "valgrind is not installed"
		return 0
	fi
	note "counting instructions on $name ..."
	for command in $(counted_commands); do
		command_line "$command" "$RECORDINGS/$name.data" "$work/out"
		n=$(timeout "$((4 * LIMIT))" valgrind --tool=callgrind --callgrind-out-file=/dev/null "${argv[@]}" \
			2>&1 >/dev/null </dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
		[ -z "$n" ] || line count "$name" "$command" "$n"
	done
}

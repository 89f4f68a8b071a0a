# shellcheck shell=bash
# shellcheck disable=SC2154	# here, work: set by run.sh
# accuracy.sh - compare the results with those of perf on the same recording
#
#   with_stack, root, root_unstitched, stitched, cut   samples, by info --json; root includes stitched ones
#   unknown_pct, perf_unknown_pct   frames without a name (ours, perf's)
#   perf_root_pct, our_root_pct, our_root_stitched_pct   stacks with a root function (roots.awk), by the names alone
#   equal_pct        of the stacks that both complete (equal_of), the part that is equal, frame by frame
#   differ_known     stacks that differ only where perf looks up a return address one byte late (fp: compare.awk)
#   self_diff        the largest difference of a share among perf report's top 20, in points
#   symbol_kib       symbol, unwind and debug sections of the objects with samples
#
# Only for recordings up to 100 MB, because perf's text of a gigabyte takes too long.

perf_folded() { "$PERF" script -i "$1" --no-inline -F comm,tid,ip,sym,symoff 2>/dev/null | awk \
	-f "$here/lib/fold.awk"; }

our_folded() {	# FILE OPTION...
	local file=$1

	shift
	"$HOTDRIFT" fold --no-inline --weight samples "$@" "$file" 2>/dev/null
}

# Print the largest difference among the 20 costliest functions of perf report.  Functions of one name are added up.
self_difference() {	# FILE
	"$PERF" report --stdio --no-children --no-inline --fields=period,sym -g none -t '|' --percent-limit 0 -i "$1" \
		2>/dev/null |
		awk '/^#/ || !/\|/ { next } {
			p = $0; sub(/\|.*/, "", p)
			sub(/^[^|]*\| *\[.\] /, ""); sub(/ *$/, "")
			print p + 0 "\t" $0
		}' >"$work/out/perf.self"
	"$HOTDRIFT" top -n 0 --json "$1" 2>/dev/null |
		jq -r '(if .reports then .reports[0] else . end).rows[] | "\(.self)\t\(.symbol)"' >"$work/out/our.self"
	awk -F'\t' -f "$here/lib/self.awk" "$work/out/perf.self" "$work/out/our.self"
}

symbol_kib() {	# FILE
	local source total=0 n

	while read -r source; do
		[ -f "$source" ] || continue
		n=$(readelf -SW "$source" 2>/dev/null | awk '
			{ sub(/^ *\[ *[0-9]+\] */, "") }
			$1 ~ /^\.(symtab|strtab|dynsym|dynstr|eh_frame|eh_frame_hdr|gnu_debugdata|z?debug_.*)$/ {
				print $5
			}' |
			{ sum=0; while read -r hex; do sum=$((sum + 0x$hex)); done; echo "$sum"; })
		[ "$n" != 0 ] || n=$(stat -L -c %s "$source")	# kallsyms has no sections: use its size
		total=$((total + n))
	done < <("$HOTDRIFT" info --json "$1" 2>/dev/null | jq -r '.objects[].source // empty' | sort -u)
	echo $((total / 1024))
}

accuracy() {	# NAME
	local name=$1 file=$RECORDINGS/$1.data key value

	line acc "$name" symbol_kib "$(symbol_kib "$file")"
	"$HOTDRIFT" info --json "$file" 2>/dev/null | jq -r '.stacks |
		["with_stack", .with_stack], ["root", .root_reached + (.stitched_root // 0)],
		["root_unstitched", .root_reached], ["stitched", .stitched], ["cut", .truncated],
		["unknown_pct", 100 * .unknown_frames / ([.frames, 1] | max)] | @tsv' |
		while read -r key value; do line acc "$name" "$key" "$value"; done
	case $(size_of "$name") in l) return ;; esac
	note "comparing $name with perf ..."
	rm -f "$work/out/$name.differences"
	perf_folded "$file" >"$work/out/perf.folded"
	our_folded "$file" --no-stitch >"$work/out/our.folded"
	our_folded "$file" >"$work/out/our.stitched"
	awk -F'\t' -v late="$(case $name in *.fp*) echo 1 ;; *) echo 0 ;; esac)" \
		-v differences="$work/out/$name.differences" \
		-f "$here/lib/roots.awk" -f "$here/lib/compare.awk" "$work/out/perf.folded" "$work/out/our.folded" \
		"$work/out/our.stitched" |
		while read -r key value; do line acc "$name" "$key" "$value"; done
	line acc "$name" self_diff "$(self_difference "$file")"
}

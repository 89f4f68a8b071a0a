# shellcheck shell=bash
# stitch.sh - measure how many stacks shorter stack copies lose, and whether stitching restores the true stacks
#
# cut.c shortens the copies of a recording with 64 KiB, so the samples are the same as if perf had copied less.  The
# full recording without stitching is the truth.  Only stacks that reach a root there are counted.
# shellcheck disable=SC2154	# here, work: set by run.sh

stitch_accuracy() {	# NAME: a recording with copies of 64 KiB
	local name=$1 file=$RECORDINGS/$1.data copy kib cut=$work/out/cut.data

	note "cutting $name ..."
	"$HOTDRIFT" fold --no-inline --no-stitch --weight samples "$file" >"$work/out/full.folded" 2>/dev/null
	for kib in 1 2 4 8 16 32; do
		copy=$((kib * 1024))
		"$work/bin/cut" "$copy" "$file" "$cut" 2>/dev/null || {
			skipped "$name" "its stack copies cannot be cut"
			return 0
		}
		"$HOTDRIFT" fold --no-inline --no-stitch --weight samples "$cut" >"$work/out/cut.folded" 2>/dev/null
		"$HOTDRIFT" fold --no-inline --weight samples "$cut" >"$work/out/cut.stitched" 2>/dev/null
		line stitch "$name" "$kib" "$(awk -f "$here/lib/roots.awk" -f "$here/lib/stitch.awk" \
			"$work/out/full.folded" "$work/out/cut.folded" "$work/out/cut.stitched")"
	done
	rm -f "$cut"
}

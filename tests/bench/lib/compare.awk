# compare.awk - compare perf's folded stacks (with masks) with ours, without and with stitching
#
# Frames outside of main() are removed, because perf loses them in the processes of a recording that ran exec.
# First, equal stacks are paired with their counts.  The remaining ones are paired if only the frames of a mask differ
# (with late=1), then by the frames that replace each other.  The differences are written to the file `differences`,
# with their counts.
function weight_of(line) { match(line, / [0-9]+$/); return substr(line, RSTART + 1) + 0 }
function stack_of(line) { sub(/ [0-9]+$/, "", line); return line }
# Return the number of frames outside of main(), or of start code if main has no name.
function outside(stack,   f, n, i, at) {
	n = split(stack, f, ";")
	for (i = 2; i <= n && i <= 8; i++)
		if (is_root(f[i]) || f[i] == "_dl_sysdep_start")
			at = i
	return at ? at - 2 : 0
}
# Return `comm;f;g;main;h` without its first n frames.
function without(stack, n,   comm) {
	if (!n)
		return stack
	comm = stack
	sub(/;.*/, "", comm)
	for (n++; n > 0; n--)
		sub(/^[^;]*;/, "", stack)
	return comm ";" stack
}
FNR == 1 { input++ }
{
	stack = stack_of($1); weight = weight_of($1); frames = gsub(/;/, ";", stack); unknown = unknown_frames(stack)
	whole = reaches_root(stack)
	outer = outside(stack)
	stack = without(stack, outer)
}
input == 1 {
	perf_n += weight; perf_frames += weight * frames; perf_unknown += weight * unknown
	if (whole) { perf_whole += weight; perf[stack] += weight; mask[stack] = without($2, outer) }
}
input == 2 {
	our_n += weight
	if (whole) { our_whole += weight; ours[stack] += weight }
}
input == 3 { stitched_n += weight; if (whole) stitched_whole += weight }

function fits(stack, m,   a, b, na, nb, i) {
	na = split(stack, a, ";")
	nb = split(m, b, ";")
	if (na != nb)
		return 0
	for (i = 1; i <= na; i++)
		if (b[i] != "?" && a[i] != b[i])
			return 0
	return 1
}
# Return a line about the outermost frame in which the stacks differ.
function first_difference(p, o,   a, b, na, nb, i) {
	na = split(p, a, ";")
	nb = split(o, b, ";")
	for (i = 1; i <= na && i <= nb && a[i] == b[i]; i++)
		;
	return (i > na ? "(ends)" : a[i]) "  ->  " (i > nb ? "(ends)" : b[i])
}
function common(p, o,   n, i) {
	n = length(p) < length(o) ? length(p) : length(o)
	for (i = 1; i <= n && substr(p, i, 1) == substr(o, i, 1); i++)
		;
	return i
}
END {
	for (s in perf) {
		take = s in ours ? (perf[s] < ours[s] ? perf[s] : ours[s]) : 0
		equal += take
		if (perf[s] > take) left[s] = perf[s] - take
		if (s in ours) ours[s] -= take
	}
	for (s in ours) if (ours[s] > 0) extra[s] = ours[s]
	if (late)
		for (s in left) for (o in extra) if (left[s] > 0 && extra[o] > 0 && fits(o, mask[s])) {
			take = left[s] < extra[o] ? left[s] : extra[o]
			left[s] -= take; extra[o] -= take; known += take
		}
	for (s in left) if (left[s] > 0 && tried++ < 400) {	# the nearest of ours, for the list of differences
		best = ""; longest = 0
		for (o in extra) if (extra[o] > 0 && (c = common(s, o)) > longest) { longest = c; best = o }
		seen[best == "" ? "(no such stack)" : first_difference(s, best)] += left[s]
	}
	for (d in seen) print seen[d] "\t" d >differences
	if (length(differences)) close(differences)
	both = perf_whole < our_whole ? perf_whole : our_whole
	printf "perf_root_pct %.4f\n", 100 * perf_whole / (perf_n ? perf_n : 1)
	printf "our_root_pct %.4f\n", 100 * our_whole / (our_n ? our_n : 1)
	printf "our_root_stitched_pct %.4f\n", 100 * stitched_whole / (stitched_n ? stitched_n : 1)
	printf "perf_unknown_pct %.4f\n", 100 * perf_unknown / (perf_frames ? perf_frames : 1)
	printf "samples_differ %d\n", perf_n - our_n
	printf "equal_of %d\n", both
	if (both)
		printf "equal_pct %.4f\ndiffer_known_pct %.4f\n", 100 * equal / both, 100 * known / both
}

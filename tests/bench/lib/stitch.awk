# stitch.awk - compare folded stacks: the truth, a shortened copy without stitching, and the same copy with stitching
#
# Prints these values, separated by tabs: the number of complete stacks in the truth; the percentages of this number
# that are complete without and with stitching; the percentage of the stacks completed with stitching that equal the
# truth, frame by frame; and over all stacks the largest error of a function's total share in points, without and with
# stitching.  Frames outside of main() are ignored, because a copy may end there.
function weight_of(line) { match(line, / [0-9]+$/); return substr(line, RSTART + 1) + 0 }
function stack_of(line,   comm) {
	sub(/ [0-9]+$/, "", line)
	comm = line
	sub(/;.*/, "", comm)
	if (match(line, /;main;/))
		line = comm substr(line, RSTART)
	return line
}
# Add the weight of a stack to each of its functions once.
function add_totals(stack, weight,   f, n, i, once) {
	n = split(stack, f, ";")
	for (i = 2; i <= n; i++)
		if (f[i] != "[unknown]" && !(f[i] in once)) {
			once[f[i]] = 1
			total[input, f[i]] += weight
			functions[f[i]] = 1
		}
	samples[input] += weight
}
function most_wrong(against,   f, d, most) {
	for (f in functions) {
		d = 100 * total[1, f] / samples[1] - 100 * total[against, f] / samples[against]
		if (d < 0) d = -d
		if (d > most) most = d
	}
	return most
}
FNR == 1 { input++ }
{ stack = stack_of($0); weight = weight_of($0); add_totals(stack, weight) }
!reaches_root(stack) { next }
input == 1 { truth[stack] += weight; whole += weight }
input == 2 { bare += weight }
input == 3 { found[stack] += weight; all += weight }
END {
	for (s in found) right += (s in truth) ? (truth[s] < found[s] ? truth[s] : found[s]) : 0
	if (!whole) whole = 1
	for (i = 1; i <= 3; i++) if (!samples[i]) samples[i] = 1
	printf "%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", whole, 100 * bare / whole, 100 * all / whole,
		all ? 100 * right / all : 0,
		most_wrong(2), most_wrong(3)
}

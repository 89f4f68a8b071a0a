# adaptive.awk - are estimates right on average when the interval was raised meanwhile, and no further off than is told?
#
#     awk -v largest=N -f adaptive.awk TRUTH FOLDED...     each FOLDED: one seed, hotdrift fold --event allocated
#
# When it was raised depends on the clock, so that the scatter is not known beforehand: the mean over the seeds must be
# within 5 standard errors as they are measured, and the mean square error below the largest interval times the truth,
# which is what the told error is made of.
FNR == NR {
	if (/^TRUTH allocated /) {
		split($5, bytes, "=")
		want[$3] = bytes[2]
	}
	next
}
FNR == 1 { seed++ }
{
	weight = $NF
	sub(/ [0-9]+$/, "")
	depth = split($0, frame, ";")
	for (i = depth; i > 1; i--)
		if (frame[i] in want) {
			got[frame[i], seed] += weight
			break
		}
}
END {
	for (site in want) {
		sum = squares = error = 0
		for (i = 1; i <= seed; i++) {
			sum += got[site, i]
			error += (got[site, i] - want[site]) ^ 2
		}
		mean = sum / seed
		for (i = 1; i <= seed; i++)
			squares += (got[site, i] - mean) ^ 2
		standard = sqrt(squares / (seed - 1) / seed) + 1e-6 * want[site]
		bad = (mean - want[site]) / standard > 5 || (mean - want[site]) / standard < -5 || error / seed > largest * want[site]
		printf "%s%s: mean of %d seeds is %.3f of the truth, %.1f standard errors off; error %.2f of what is told\n", \
			bad ? "WRONG " : "", site, seed, mean / want[site], (mean - want[site]) / standard, \
			sqrt(error / seed / (largest * want[site]))
		failed += bad
		checked++
	}
	exit failed > 0 || !checked || seed < 10
}

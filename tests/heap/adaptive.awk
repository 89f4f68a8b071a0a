# adaptive.awk - check estimates of recordings whose interval was raised during the recording
#
#     awk -v kind=allocated -v seeds=N -v largest=N -f seeds.awk -f adaptive.awk TRUTH FOLDED...
#
# The time at which the interval was raised depends on the clock, so the variance of the estimates is unknown in
# advance.  The mean over the seeds must be within 5 measured standard errors of the truth.  The mean square error
# must be below the largest interval times the truth, from which hotdrift computes the error that it prints.
END {
	for (site in want) {
		sum = squares = error = 0
		for (i = 1; i <= seeds; i++) {
			sum += got[site, i]
			error += (got[site, i] - want[site]) ^ 2
		}
		mean = sum / seeds
		for (i = 1; i <= seeds; i++)
			squares += (got[site, i] - mean) ^ 2
		standard = sqrt(squares / (seeds - 1) / seeds) + 1e-6 * want[site]
		bad = (mean - want[site]) / standard > 5 || (mean - want[site]) / standard < -5 ||
			error / seeds > largest * want[site]
		printf "%s%s: mean of %d seeds is %.3f of the truth, " \
			"%.1f standard errors off; error %.2f of what is told\n", \
			bad ? "WRONG " : "", site, seeds, mean / want[site], (mean - want[site]) / standard, \
			sqrt(error / seeds / (largest * want[site]))
		failed += bad
		checked++
	}
	exit failed > 0 || !checked || seeds < 10
}

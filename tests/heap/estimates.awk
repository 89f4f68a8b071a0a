# estimates.awk - check the mean and the variance of estimates over many sampled recordings
#
#     awk -v kind=leaked -v seeds=N -v interval=65536 -f seeds.awk -f estimates.awk TRUTH FOLDED...
#
# For a site of n blocks of s bytes, with q = 1 - exp(-(s + 1) / interval), the standard deviation of an estimate is
# size * sqrt((1 - q) / (q n)).  The mean over the seeds must be within 5 standard errors of the truth (by chance,
# one mean in two million is not).  The variance must be within the bounds of the chi-squared distribution.
END {
	for (site in want) {
		size = want[site] / n[site]
		q = 1 - exp(-(size + 1) / interval)
		sd = want[site] * sqrt((1 - q) / (q * n[site]))
		sum = squares = 0
		for (i = 1; i <= seeds; i++) {
			sum += got[site, i]
			squares += (got[site, i] - want[site]) ^ 2
		}
		off = (sum / seeds - want[site]) / (sd / sqrt(seeds) + 1e-9 * want[site])
		scatter = squares / seeds / (sd ^ 2 + (1e-6 * want[site]) ^ 2)
		# With few samples per seed, an estimate is far from normal: its fourth moment widens the bounds.
		wide = 6 * sqrt((2 + 1 / (q * n[site])) / seeds)
		bad = off > 5 || off < -5 || scatter > 1 + wide || (sd > 1e-3 * want[site] && scatter < 1 - wide)
		printf "%s%s: mean of %d seeds is %.3f of the truth, " \
			"%.1f standard errors off; scatter %.2f of what is told\n", \
			bad ? "WRONG " : "", site, seeds, sum / seeds / want[site], off, scatter
		failed += bad
		checked++
	}
	exit failed > 0 || !checked
}

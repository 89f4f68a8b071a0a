# peaks.awk - check estimates of the peak: their mean, and their reported error
#
#     awk -v seeds=N -v least=0.6 -v most=1.6 -f peaks.awk TRUTH TOP...
#
# Each TOP is the output of hotdrift top --event peak --json for one seed.  The mean over the seeds must be within 5
# standard errors of the truth, and the root mean square error between `least` and `most` times the reported standard
# deviation.
function number(key,   s) {
	if (!match($0, "\"" key "\": [0-9.]+"))
		return 0
	s = substr($0, RSTART, RLENGTH)
	sub(/.*: /, "", s)
	return s + 0
}
FNR == NR {
	if ($1 == "TRUTH" && $2 == "peak") {
		split($5, bytes, "=")
		want[$3] = bytes[2]
	}
	next
}
match($0, /"symbol": "[a-z]+"/) {
	site = substr($0, RSTART + 11, RLENGTH - 12)
	if (!(site in want))
		next
	n[site]++
	sum[site] += number("self")
	squares[site] += number("self") ^ 2
	error[site] += (number("self") - want[site]) ^ 2
	told[site] += number("self_sd_pct") / 100 * number("self")
}
END {
	for (site in want) {
		mean = sum[site] / seeds
		standard = sqrt((squares[site] / seeds - mean ^ 2) / seeds) + 1e-6 * want[site]
		off = (mean - want[site]) / standard
		ratio = sqrt(error[site] / seeds) / (told[site] / seeds)
		bad = n[site] != seeds || off > 5 || off < -5 || ratio > most || ratio < least
		printf "%s%s: mean of %d seeds is %.3f of the truth, %.1f standard errors off; " \
			"the error is %.2f times the reported one\n",
			bad ? "WRONG " : "", site, seeds, mean / want[site], off, ratio
		failed += bad
		checked++
	}
	exit failed > 0 || !checked
}

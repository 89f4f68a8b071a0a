# self.awk - read lines `PERIOD <TAB> NAME` of perf, then ours, and print the largest difference of a share among perf's
# top 20, in percentage points
#
# Addresses without a symbol are not compared: perf prints file offsets, hotdrift prints addresses of the linked file.
NR == FNR { perf_total += $1; if ($2 !~ /^0x[0-9a-f]+$/) perf[$2] += $1; next }
{ ours[$2] += $1; our_total += $1 }
END {
	if (!perf_total || !our_total) { print "none"; exit }
	for (k = 0; k < 20; k++) {
		best = ""
		for (n in perf) if (!(n in done) && (best == "" || perf[n] > perf[best])) best = n
		if (best == "") break
		done[best] = 1
		d = 100 * perf[best] / perf_total - 100 * ours[best] / our_total
		if (d < 0) d = -d
		if (d > worst) worst = d
	}
	printf "%.4f\n", worst
}

# goals.awk - print for each goal of goals.tsv whether it was reached or missed
#
# Workloads may have different goals, so the ratio of each recording is divided by its goal first.  A goal is reached if
# the median of these values is at least 1 and the smallest is at least 2/3.
BEGIN { FS = "\t" }
FILENAME == goals_file && !/^#/ && NF == 9 {
	work[++n] = $1; against[n] = $2; mine[n] = $3; peer[n] = $4; metric[n] = $5; mode[n] = $6; size[n] = $7
	workloads[n] = $8; goals[n] = $9
}

function goal_for(row, workload,   part, i, k, pair, g) {
	k = split(goals[row], part, " ")
	g = part[1]
	for (i = 2; i <= k; i++) {
		split(part[i], pair, "=")
		if (pair[1] == workload)
			g = pair[2]
	}
	return g
}
function limit_of(row, rec,   kib) {
	kib = peer[row] + 0
	return peer[row] ~ /\+symbols$/ ? kib + acc[rec, "symbol_kib"] : kib
}
function value(row, rec) {
	if (metric[row] == "memory")
		return rss[rec, mine[row]] > 0 ? limit_of(row, rec) / rss[rec, mine[row]] : 0
	return ratio(metric[row], rec, mine[row], peer[row])
}
function measured(row, rec) {
	if (!have(rec, mine[row]))
		return 0
	return metric[row] == "memory" || have(rec, peer[row])
}
# Return the recording of a workload; for "a|b" the first one that was measured.
function recording(row, names, at,   w, i, k) {
	k = split(names, w, "|")
	for (i = 1; i < k && !measured(row, w[i] "." mode[row] "." at); i++)
		;
	return w[i]
}
# Fill ratios and marks for the recordings of a row at one size; return their number.
function collect(row, at,   w, i, k, rec, found) {
	k = split(workloads[row], w, " ")
	told = ""
	for (i = 1; i <= k; i++) {
		w[i] = recording(row, w[i], at)
		rec = w[i] "." mode[row] "." at
		if (!measured(row, rec))
			continue
		found++
		shown[found] = value(row, rec)
		share[found] = shown[found] / goal_for(row, w[i])
		told = told (told == "" ? "" : ", ") w[i] " " \
			(metric[row] == "memory" ? "" : at_least(rec, peer[row])) short(shown[found])
	}
	return found + 0
}
# Return "reached" or "MISSED"; at a smaller size than that of the goal, only the ratio is printed.
function verdict(row, at, found,   holds) {
	sort_numbers(share, found)
	holds = middle(share, found) >= 1 && share[1] >= 2 / 3
	if (at != size[row])
		return (holds ? "reached" : "below") " at " bytes_name[at] ", not judged"
	return holds ? "reached" : "MISSED"
}
END {
	bytes_name["s"] = "10 MB"; bytes_name["m"] = "110 MB"; bytes_name["l"] = "1 GB"
	print "| work (ours: folded, SVG and top 5, unless said) | against | ratios " \
		"| median | lowest | goal | verdict |"
	print "|---|---|---|--:|--:|--:|---|"
	for (r = 1; r <= n; r++) {
		order = size[r] == "l" ? "lms" : size[r] == "m" ? "ms" : "s"
		found = 0
		for (i = 1; i <= length(order) && !found; i++)
			found = collect(r, at = substr(order, i, 1))
		if (!found) {
			printf "| %s | %s | | | | %s | not measured |\n", work[r], against[r], goals[r]
			continue
		}
		v = verdict(r, at, found)
		sort_numbers(shown, found)
		printf "| %s | %s | %s | %s | %s | %s | %s |\n", work[r], against[r], told, short(middle(shown, found)),
			short(shown[1]), goals[r], v
	}
}

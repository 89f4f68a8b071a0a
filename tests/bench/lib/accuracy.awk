# accuracy.awk - print the accuracy of the results, and check the goals that every recording must reach
BEGIN { FS = "\t" }
function pct(rec, key, of) {
	return (rec, key) in acc && acc[rec, of] > 0 ? sprintf("%.2f", 100 * acc[rec, key] / acc[rec, of]) : ""
}
function cell(rec, key, form) {
	return (rec, key) in acc && acc[rec, key] != "none" ? sprintf(form, acc[rec, key]) : ""
}
# In frame-pointer chains, perf can give a frame the name of the next function (fold.awk).  Return the percentage of the
# stacks that differ only by this, as text; "" if it is negligible.
function late(rec) {
	if ((rec, "differ_known_pct") in acc && acc[rec, "differ_known_pct"] > 0.005)
		return cell(rec, "differ_known_pct", " + %.2f late")
	return ""
}
# Return the reason why a recording fails, or "".  A frame for which perf gives the name of the next function counts as
# equal.  Stacks are judged only if there are at least a hundred.
function misses(rec,   m, p) {
	m = ""
	if ((rec, "self_diff") in acc && (acc[rec, "self_diff"] == "none" || acc[rec, "self_diff"] > 0.01))
		m = m " self"
	if ((rec, "equal_of") in acc && acc[rec, "equal_of"] >= 100 &&
			acc[rec, "equal_pct"] + acc[rec, "differ_known_pct"] < 99)
		m = m " stacks"
	if ((rec, "perf_root_pct") in acc && acc[rec, "our_root_pct"] < acc[rec, "perf_root_pct"] - 0.005)
		m = m " root"
	if ((rec in same) && same[rec] != "yes")
		m = m " threads"
	return m
}
function verdict(rec, m) {
	if (m != "")
		return "MISSED:" m
	return ((rec, "equal_pct") in acc) ? "reached" : ""
}
END {
	print "| recording | root reached % | without stitching % | stitched % | cut % " \
		"| by names: ours, stitched, perf % | unknown frames: ours, perf % " \
		"| stacks equal %, of | top 20 differ by | 1 = 2 threads | verdict |"
	print "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|"
	for (i = 1; i <= nrecs; i++) {
		rec = recs[i]
		if (!(rec in compared))
			continue
		m = misses(rec)
		printf "| %s | %s | %s | %s | %s | %s%s%s | %s%s | %s%s | %s | %s | %s |\n", rec,
			pct(rec, "root", "with_stack"), pct(rec, "root_unstitched", "with_stack"),
				pct(rec, "stitched", "with_stack"), pct(rec, "cut", "with_stack"),
			cell(rec, "our_root_pct", "%.2f"), cell(rec, "our_root_stitched_pct", ", %.2f"),
				cell(rec, "perf_root_pct", ", %.2f"),
			cell(rec, "unknown_pct", "%.2f"), cell(rec, "perf_unknown_pct", ", %.2f"),
			cell(rec, "equal_pct", "%.2f"), late(rec) cell(rec, "equal_of", ", %d"),
			cell(rec, "self_diff", "%.4f"), (rec in same) ? same[rec] : "", verdict(rec, m)
	}
}

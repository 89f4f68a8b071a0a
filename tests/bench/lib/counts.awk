# counts.awk - print instructions (valgrind --tool=callgrind) in millions, and the ratio of a peer's to ours
BEGIN { FS = "\t" }
function counterpart(cmd) { return cmd ~ /folded$/ ? "our-fold" : cmd == "report-flat" ? "our-top" : "our-all-1" }
END {
	if (!ncounting)
		exit
	printf "| million instructions |"
	for (c = 1; c <= ncounting; c++) printf " %s |", counting[c]
	printf "\n|---|"
	for (c = 1; c <= ncounting; c++) printf "--:|"
	print ""
	for (i = 1; i <= nrecs; i++) {
		rec = recs[i]
		if (!(rec in counted))
			continue
		printf "| %s |", rec
		for (c = 1; c <= ncounting; c++) {
			cmd = counting[c]
			if (!((rec, cmd) in count)) { printf " |"; continue }
			printf " %.1f", count[rec, cmd] / 1e6
			mine = counterpart(cmd)
			if (!is_ours(cmd) && count[rec, mine] > 0)
				printf " (%sx)", short(count[rec, cmd] / count[rec, mine])
			printf " |"
		}
		print ""
	}
}

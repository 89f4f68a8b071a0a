# ratios.awk - print the ratios of each peer's CPU time, wall time and peak memory to ours, one row per recording
BEGIN { FS = "\t" }
# Return our command with which a peer is compared.
function counterpart(cmd) { return cmd ~ /folded$/ ? "our-fold" : cmd == "report-flat" ? "our-top" : "our-all" }
END {
	printf "| peer / ours: CPU, wall, memory |"
	for (c = 1; c <= ncommands; c++) if (!is_ours(commands[c]) && commands[c] != "cat") printf " %s |", commands[c]
	printf "\n|---|"
	for (c = 1; c <= ncommands; c++) if (!is_ours(commands[c]) && commands[c] != "cat") printf "--:|"
	print ""
	for (i = 1; i <= nrecs; i++) {
		rec = recs[i]
		printf "| %s |", rec
		for (c = 1; c <= ncommands; c++) {
			cmd = commands[c]
			if (is_ours(cmd) || cmd == "cat") continue
			mine = counterpart(cmd)
			if (!have(rec, cmd) || !have(rec, mine)) { printf " |"; continue }
			printf " %s%s, %s, %s |", at_least(rec, cmd), short(ratio("cpu", rec, mine, cmd)),
				short(ratio("wall", rec, mine, cmd)), short(ratio("rss", rec, mine, cmd))
		}
		print ""
	}
}

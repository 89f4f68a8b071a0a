# times.awk - print a table of one value (what=cpu, wall or rss), with a row per recording and a column per command
BEGIN { FS = "\t" }
END {
	printf "| %s | MB | samples |", what == "cpu" ? "CPU s" : what == "wall" ? "wall s" : "peak MiB"
	for (c = 1; c <= ncommands; c++) printf " %s |", commands[c]
	printf "\n|---|--:|--:|"
	for (c = 1; c <= ncommands; c++) printf "--:|"
	print ""
	for (i = 1; i <= nrecs; i++) {
		rec = recs[i]
		printf "| %s | %.0f | %d |", rec, bytes[rec] / 1e6, samples[rec]
		for (c = 1; c <= ncommands; c++) {
			cmd = commands[c]
			if (!((rec, cmd) in status)) printf " |"
			else if (status[rec, cmd] == "failed") printf " failed |"
			else if (what == "rss") printf " %.0f |", rss[rec, cmd] / 1024
			else printf " %s%.3f |", at_least(rec, cmd), metric_of(what, rec, cmd)
		}
		print ""
	}
}

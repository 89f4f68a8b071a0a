# growth.awk - print time per sample and peak memory by the size of the recording; a constant time per sample means that
# the total time is linear
BEGIN { FS = "\t" }
END {
	print "| our-all | us of CPU a sample: 10 MB, 110 MB, 1 GB | peak MiB: 10 MB, 110 MB, 1 GB | symbol data MiB |"
	print "|---|--:|--:|--:|"
	for (i = 1; i <= nrecs; i++) {
		rec = recs[i]
		base = rec
		sub(/\.[sml]$/, "", base)
		if (!(base in done)) { done[base] = 1; order[++n] = base }
		if (have(rec, "our-all") && samples[rec] > 0) sizes[base]++
	}
	for (i = 1; i <= n; i++) {
		base = order[i]
		if (sizes[base] < 2)
			continue
		us = mib = ""
		split("s m l", at, " ")
		for (k = 1; k <= 3; k++) {
			rec = base "." at[k]
			there = have(rec, "our-all") && samples[rec] > 0
			us = us (k > 1 ? ", " : "") (there ? short(1e6 * cpu[rec, "our-all"] / samples[rec]) : "-")
			mib = mib (k > 1 ? ", " : "") (there ? sprintf("%.0f", rss[rec, "our-all"] / 1024) : "-")
			if (there) last = rec
		}
		printf "| %s | %s | %s | %s |\n", base, us, mib,
			(last, "symbol_kib") in acc ? sprintf("%.0f", acc[last, "symbol_kib"] / 1024) : ""
	}
}

# seeds.awk - read the estimates of many seeds for the sites of the truth; the awk program after it checks them
#
#     awk -v kind=leaked -v seeds=N -f seeds.awk -f JUDGE TRUTH FOLDED...
#
# Each FOLDED is the output of hotdrift fold --event kind for one seed.
#
# Sets want[site] (true bytes), n[site] (true blocks) and got[site, 1 .. seeds] (estimated bytes).
FNR == NR {
	if ($1 == "TRUTH" && $2 == kind) {
		split($4, blocks, "=")
		split($5, bytes, "=")
		n[$3] = blocks[2]
		want[$3] = bytes[2]
	}
	next
}
FNR == 1 { seed++ }
{
	weight = $NF
	sub(/ [0-9]+$/, "")
	depth = split($0, frame, ";")
	for (i = depth; i > 1; i--)
		if (frame[i] in want) {
			got[frame[i], seed] += weight
			break
		}
}

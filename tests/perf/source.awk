# source.awk - make the levels of a data source comparable; src/perfdata/datasrc.c explains which level is right
#
#     awk -v since=6.1|6.5 -f source.awk PERF OURS
#
# since: 6.5 if perf has this version or a later one, otherwise 6.1.
BEGIN { FS = OFS = "|"; split("L2 MHB,Memory-side Cache,Unknown level 7,Uncached", newer, ",") }
function hex(s,   i, v) {
	for (i = 1; i <= length(s); i++)
		v = 16 * v + index("0123456789abcdef", substr(s, i, 1)) - 1
	return v
}
function trimmed(level) { gsub(/^ +| +$/, "", level); return level == "" ? "N/A" : level }
NR == FNR {
	number[$1] = int(hex($2) / 2 ^ 33) % 16
	remote[$1] = int(hex($2) / 2 ^ 37) % 2
	if (number[$1] == 15) {
		sub(/ or N\/A/, "", $5)
		if ($5 != "N/A") sub(/N\/A/, "", $5)
	} else if (number[$1]) {
		sub(/L1 or /, "", $5)
		if (match($5, /L[5-8]/))
			$5 = substr($5, 1, RSTART - 1) newer[substr($5, RSTART + 1, 1) - 4] substr($5, RSTART + 2)
	}
	$5 = trimmed($5)
	$2 = ""
	print >"perf.values"
	next
}
{
	if (since == "6.5" && (number[$1] == 0 || number[$1] == 15)) {
		if (remote[$1]) sub(/^Remote/, "", $4)
		sub(/ *(core, same node|node, same socket|socket, same board|board)$/, "", $4)
		sub(/^N\/A (hit|miss)$/, "N/A", $4)
		$4 = trimmed($4)
	}
	$1 = $1 OFS
	print >"our.values"
}

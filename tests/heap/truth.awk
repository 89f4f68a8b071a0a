# truth.awk - compare the folded stacks of a heap recording with the counts that the program printed
#
#     awk -f truth.awk TRUTH event=EVENT FILE      FILE is the output of hotdrift fold --event EVENT
#
# EVENT is an event of the recording: leaked, leaked-blocks, ...  A stack belongs to its innermost frame that a
# TRUTH line of this kind names.
function kind_of(event) {
	return event ~ /^leaked/ ? "leaked" : event ~ /^alloc/ ? "allocated" : event ~ /^peak/ ? "peak" : "temporary"
}
function unit_of(event) {
	return event ~ /blocks$/ || event == "allocations" || event == "temporary" ? "blocks" : "bytes"
}
FNR == NR && /^TRUTH / {
	split($4, blocks, "=")
	split($5, bytes, "=")
	want[$2, $3, "blocks"] = blocks[2]
	want[$2, $3, "bytes"] = bytes[2]
	next
}
FNR == NR { next }
{
	kind = kind_of(event)
	weight = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, frame, ";")
	for (i = n; i > 1; i--) {
		sub(/_\[[kij]\]$/, "", frame[i])
		if ((kind, frame[i], "bytes") in want) {
			got[kind, frame[i], unit_of(event)] += weight
			break
		}
	}
}
END {
	for (key in want) {
		split(key, part, SUBSEP)
		if (part[1] != kind_of(event) || part[3] != unit_of(event))
			continue
		checked++
		if (got[key] + 0 != want[key]) {
			printf "%s %s: %d %s recorded, %d in truth\n", part[1], part[2], got[key], part[3], want[key]
			failed++
		}
	}
	if (!checked)
		print "no TRUTH lines"
	exit failed > 0 || !checked
}

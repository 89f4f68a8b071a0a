# judge.awk - compare the numbers of MANIFEST.md with hotdrift's
#
#   awk -f judge.awk -v file=NAME expected found
#
# Both files have the lines of one capture, in the form of the manifest.  Each expected line is one test: hotdrift must
# have printed the same line.  For a kernel, the expected line may end inside its name, and its rank must be the same.
# Devices and copy kinds that the manifest does not list are faults; further kernels are not.

function result(ok, line, other)
{
	if (ok) {
		passed++
	} else {
		failed++
		print "FAILED: " file ": expected `" line "`, found `" other "`"
	}
}
FNR == 1 { part++ }
part == 1 { expected[++n] = $0; next }
{ found[++m] = $0 }
function key(line, w)
{
	split(line, w, " ")
	return w[1] == "dev" || w[1] == "memcpy" ? w[1] " " w[2] : w[1] == "###" ? w[1] : ""
}
END {
	for (i = 1; i <= m; i++)
		if (key(found[i], w) != "")
			at[key(found[i], w)] = found[i]
		else
			rank[++kernels] = w[2]
	for (i = 1; i <= n; i++) {
		line = expected[i]
		sub(/^ +/, "", line)
		k = key(line, w)
		if (k != "") {
			other = k in at ? at[k] : ""
			sub(/^ +/, "", other)
			result(other == line, line, other)
			delete at[k]
			continue
		}
		# print "kern NS ns COUNTx PCT% NAME", the longest first
		ok = 0
		ranked = rank[++listed] == w[2]
		for (j = 1; j <= m && !ok; j++) {
			other = found[j]
			sub(/^ +/, "", other)
			ok = index(other, line) == 1
		}
		result(ok && ranked, line, ok ? "it at another rank" : "no such kernel")
	}
	for (k in at)
		result(0, "nothing", at[k])
	print passed + 0, failed + 0
}

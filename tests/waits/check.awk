# check.awk - compare recorded times of threads off the CPU with those that the threads measured themselves
#
#     awk -f check.awk -v within=0.03 -v places=1 -v stolen=0 truth folded.blocked folded.queued folded.preempted
#
# truth: lines TRUTH thread reason function OFF_NS ROUNDS MOST_NS; the true value is between OFF_NS and MOST_NS.
# within: the allowed difference as a part of OFF_NS, to which 4 ms are added.  stolen: ns in which the hypervisor ran
# something else; the program did not run then, but no switch was recorded.  Not all hypervisors report them, so another
# 8 ms may be missing in the recording.  places: if 1, at least 97 % of the time that a thread was blocked must be in
# its function.  The output is one line for each thread: `ok NAME` or `not ok NAME: why`.
FNR == 1 { file++ }
file == 1 && $1 == "TRUTH" { reason[$2] = $3; in_function[$2] = $4; truth[$2] = $5; most[$2] = $7; order[++n] = $2 }
file > 1 {
	weight = $NF
	split($0, frame, ";")
	thread = frame[1]
	off[thread] += weight
	if (file == 2)
		blocked[thread] += weight
	if (file == 2 && index($0, ";" in_function[thread] ";"))
		there[thread] += weight
}
END {
	for (i = 1; i <= n; i++) {
		t = order[i]
		missing = truth[t] - off[t] - stolen - 8e6
		excess = off[t] - most[t]
		if ((missing > excess ? missing : excess) > within * truth[t] + 4e6)
			printf "not ok %s: %.2f ms off the CPU, and it says %.2f to %.2f ms\n", t, off[t] / 1e6,
				truth[t] / 1e6, most[t] / 1e6
		else if (places && reason[t] != "preempted" && there[t] < 0.97 * blocked[t])
			printf "not ok %s: of %.2f ms blocked %.2f ms are in %s\n", t, blocked[t] / 1e6, there[t] / 1e6,
				in_function[t]
		else
			print "ok " t
	}
	if (!n)
		print "not ok truth: the program said nothing"
}

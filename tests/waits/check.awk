# check.awk - threads' times off the CPU against what the threads themselves measured
#
#     awk -f check.awk -v within=0.03 -v places=1 -v stolen=0 truth folded.blocked folded.queued folded.preempted
#
# truth: lines TRUTH thread reason function OFF_NS ROUNDS.  Within: a part of it and 4 ms; for those that never stop
# running by themselves 15 ms, since they may lose the CPU before their first and after their last look at the clock.  stolen: ns that a hypervisor
# ran something else: no switch of the machine's own, but time that the program did not run.  places: at least 97 % of
# what it was blocked must be in its function.  One line a thread: `ok NAME` or `not ok NAME: why`.
FNR == 1 { file++ }
file == 1 && $1 == "TRUTH" { reason[$2] = $3; in_function[$2] = $4; truth[$2] = $5; order[++n] = $2 }
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
		d = off[t] - truth[t]
		if (d < 0)
			d = -d - stolen
		if (d > within * truth[t] + (reason[t] == "preempted" ? 15e6 : 4e6))
			printf "not ok %s: %.2f ms off the CPU, and it says %.2f ms\n", t, off[t] / 1e6, truth[t] / 1e6
		else if (places && reason[t] != "preempted" && there[t] < 0.97 * blocked[t])
			printf "not ok %s: of %.2f ms blocked %.2f ms are in %s\n", t, blocked[t] / 1e6, there[t] / 1e6, in_function[t]
		else
			print "ok " t
	}
	if (!n)
		print "not ok truth: the program said nothing"
}

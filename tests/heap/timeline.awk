# timeline.awk - compare the rows of a memory CSV with the values that a program printed at its pauses
#
#     awk -f timeline.awk TRUTH kind=classes FILE
#             the values must be exact at each pause
#     awk -f timeline.awk TRUTH kind=rss slack=BYTES wait=US FILE
#             the values `wait` us after the start of each pause, and the maximum, must be right within 2 % and `slack`
function columns_of(line,   i) {
	n = split(line, part, " ")
	for (i = 4; i <= n; i++) {
		split(part[i], pair, "=")
		want[pauses, pair[1]] = pair[2]
	}
}
function off(a, b) { return a < b ? b - a : a - b }
FNR == NR && /^TRUTH at / {
	split($0, word, " ")
	at[++pauses] = word[3]
	columns_of($0)
	next
}
FNR == NR { next }
FNR == 1 {
	if ($0 != "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes")
		bad = "the header is " $0
	next
}
{
	split($0, cell, ",")
	rows++
	time[rows] = cell[1]
	rss[rows] = cell[2]
	class["kv_cache", rows] = cell[3]
	class["activation", rows] = cell[4]
	class["temp_buffer", rows] = cell[5]
	if (rows > 1 && time[rows] <= time[rows - 1])
		bad = "times do not rise at row " rows
	highest = cell[2] > highest ? cell[2] : highest
}
function row_at(us,   i, last) {
	for (i = 1; i <= rows && time[i] <= us; i++)
		last = i
	return last
}
END {
	if (bad || !pauses || !rows) {
		print bad ? bad : "no pauses, or no rows"
		exit 1
	}
	for (i = 1; i <= pauses; i++) {
		row = row_at(at[i] + (kind == "rss" ? wait : 20000))
		if (kind == "rss") {
			sum = want[i, "rss_bytes"] + want[i, "own_bytes"]
			most = sum > most ? sum : most
			if (off(rss[row], sum) > 0.02 * sum + slack)
				failed += printf_it(i, "rss", rss[row], sum)
			continue
		}
		for (k = split("kv_cache activation temp_buffer", name, " "); k; k--)
			if (class[name[k], row] "" != want[i, name[k]] "")
				failed += printf_it(i, name[k], class[name[k], row], want[i, name[k]])
	}
	if (kind == "rss" && off(highest, most) > 0.02 * most + slack)
		failed += printf_it(0, "highest rss", highest, most)
	exit failed > 0
}
function printf_it(i, what, got, truth) {
	printf "pause %d: %s is %s, in truth %s\n", i, what, got, truth
	return 1
}

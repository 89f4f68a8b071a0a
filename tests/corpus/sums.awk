# sums.awk - compare samples and periods by event, comm and dso with samples_by_event_comm_dso.tsv
#
#   awk -f sums.awk -v recording=NAME -v CONVFMT=%.17g OURS WANTED EXPLAINED
#
# Prints a line for each difference.  If both sides have one event, its name is not compared.  A kernel module is a path
# or [name], depending on perf's version.  corpus-explained.tsv lists the other names that differ in perf.
BEGIN { FS = "\t" }
function base(s) { sub(/^ +/, "", s); sub(/:[ukhHGpPSDIWeb]+$/, "", s); return s }
function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
function object(s) {
	if (s == "[kernel]") return "[unknown]"	# kernel addresses without a mapping, which perf does not tell apart
	if (s !~ /\.ko(\.[a-z0-9]+)?$/) return s
	sub(/\.ko(\.[a-z0-9]+)?$/, "", s); sub(/.*\//, "", s); gsub(/-/, "_", s)
	return "[" s "]"
}
function key(event) { return (only ? "" : event " / ") trim($2) " / " object($3) }
FILENAME == ARGV[1] {
	event = base($1)
	if (!(event in ours_event)) {
		ours_event[event] = 1
		events++
	}
	rows[++n] = $0
	next
}
FILENAME == ARGV[2] && FNR == 1 { next }
$1 == recording && FILENAME == ARGV[3] { if ($2 == "dso") { instead[$3] = $4; section[$3] = $5 } next }
FILENAME == ARGV[3] { next }
FILENAME == ARGV[2] {
	event = base($1)
	if (!(event in want_event)) {
		want_event[event] = 1
		wanted++
	}
	want_rows[++m] = $0
}
# The reference gives a tracepoint by its number if perf read no name; simpleperf's recordings have a name.
function numbered(name) { return name ~ /^tracepoint-[0-9]+$/ }
END {
	for (e in ours_event)
		if (!(e in want_event))
			for (k in want_event)
				if (numbered(k) && !(k in ours_event))
					alias[k] = e
	only = events == 1 && wanted == 1
	for (i = 1; i <= n; i++) { $0 = rows[i]; k = key(base($1)); got_n[k] += $4; got_w[k] += $5 }
	for (i = 1; i <= m; i++) {
		$0 = want_rows[i]
		if ($3 in instead) {
			because[section[$3]]++
			$3 = instead[$3]
			$0 = $1 FS $2 FS $3 FS $4 FS $5
		}
		e = base($1)
		k = key(e in alias ? alias[e] : e)
		want_n[k] += $4
		want_w[k] += $5
	}
	for (k in want_n)
		if (want_n[k] != got_n[k] || want_w[k] != got_w[k])
			if (bad++ < 5)
				print k ": " got_n[k] + 0 " samples, " got_w[k] + 0 " in all, expected " want_n[k] \
					", " want_w[k]
	for (k in got_n) if (!(k in want_n) && bad++ < 5) print k ": " got_n[k] " samples, expected none"
	if (bad > 5) print "and " bad - 5 " more"
	for (s in because) print "explained: " because[s] " sums: " s
}

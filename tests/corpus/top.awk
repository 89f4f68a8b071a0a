# top.awk - compare perf's first 20 rows by self cost with the rows of `report --by event,comm,dso,symbol`
#
#   awk -f top.awk -v recording=NAME -v CONVFMT=%.17g OURS TOP20 EXPLAINED
#
# Each of perf's rows has to be in our output with its samples and period, and each row of ours that costs more than
# perf's last one has to be in perf's (ties are in an arbitrary order).  perf's column of commands is as wide as its
# title: a command of seven characters may be the beginning of ours.  EXPLAINED (corpus-explained.tsv) has rows of
#     case  column  perf's  ours  section of docs/peers.md
# for names that perf report changes; a row that needs one is printed as `explained: ...`.
BEGIN { FS = "\t" }
function base(s) { sub(/^ +/, "", s); sub(/:[ukhHGpPSDIWeb]+$/, "", s); return s }
function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
function last(s) { sub(/.*\//, "", s); return s }
# perf prints the address of a kernel module in that boot, hotdrift prints it relative to the module's start, which
# is page aligned: the last three digits, the period and the samples must agree.
function module(d) {
	return d ~ /\.ko(\.[a-z0-9]+)?$/ ||
		(d ~ /^\[[A-Za-z0-9_-]+\]$/ && d !~ /^\[(unknown|kernel|vdso|vdso32|vdsox32|vsyscall|heap|stack)\]$/)
}
function place(d, a, period, samples) {
	return module(d) && a ~ /^0x/ ? "..." substr(a, length(a) - 2) " " period " " samples : a
}
function object(d) { return d == "[kernel]" ? "[unknown]" : d }
function event(s) { return only ? "" : base(s) }
FILENAME == ARGV[1] { if (!(base($1) in e1)) { e1[base($1)] = 1; n1++ } ours[++n] = $0; next }
FILENAME == ARGV[2] { if (FNR > 1) { if (!(base($1) in e2)) { e2[base($1)] = 1; n2++ } want[++m] = $0 } next }
$1 == recording { instead[$2, $3] = $4; section[$2, $3] = $5 }
# Return the period of the row for these names, and set found_comm and found_dso to its names; -1: there is none.
function look(e, c, d, a,   i) {
	if ((e, c, d, a) in got) { found = e SUBSEP c SUBSEP d SUBSEP a; return 1 }
	if (length(c) == 7)
		for (i = 1; i <= ncomms; i++)
			if (substr(comms[i], 1, 7) == c && ((e, comms[i], d, a) in got)) {
				found = e SUBSEP comms[i] SUBSEP d SUBSEP a
				return 1
			}
	return 0
}
END {
	only = n1 == 1 && n2 == 1
	for (i = 1; i <= n; i++) {
		$0 = ours[i]
		c = trim($2); k = event($1) SUBSEP c SUBSEP object(last($3)) SUBSEP place(last($3), $4, $5, $6)
		got[k] += $5; times[k] += $6
		named += $4 !~ /^0x/
		if (!(c in known)) { known[c] = 1; comms[++ncomms] = c }
	}
	# Only simpleperf and hiperf store names in a recording.  perf does not read them, so its rows differ.
	if (named && recording ~ /^(simpleperf|hiperf)-/) {
		print "explained: first rows not compared: Names inside of a recording"
		exit
	}
	for (i = 1; i <= m; i++) {
		$0 = want[i]
		e = event($1); c = trim($5); d = $6; a = place(d, substr($7, 5), $4, $3)
		nrows[e]++
		if (!(e in least) || $4 + 0 < least[e]) least[e] = $4 + 0
		ok = look(e, c, d, a)
		if (!ok && (("dso", d) in instead)) {
			ok = look(e, c, instead["dso", d], a)
			if (ok)
				because[section["dso", d]]++
		}
		if (!ok && (("comm", c) in instead)) {
			ok = look(e, instead["comm", c], d, a)
			if (ok)
				because[section["comm", c]]++
		}
		if (!ok || got[found] != $4 || times[found] != $3) {
			if (bad++ < 5)
				print "top " $2 " " e " / " c " / " d " / " a ": " \
					(ok ? times[found] " samples, " got[found] : "none") ", expected " $3 ", " $4
		} else hit[found] = 1
	}
	for (k in got) {
		split(k, part, SUBSEP)
		if ((part[1] in nrows) && got[k] > (nrows[part[1]] < 20 ? 0 : least[part[1]]) &&
				!(k in hit) && bad++ < 5)
			print "top: " part[2] " / " part[3] " / " part[4] " costs " got[k] \
				" and is not among perf's first 20"
	}
	for (s in because) print "explained: " because[s] " rows: " s
}

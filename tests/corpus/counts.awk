# counts.awk - compare hotdrift's counts and header fields with counts.tsv, structure.txt and header.txt
#
#   awk -f counts.awk -v kept=COLUMN -v CONVFMT=%.17g -v recording=NAME OURS COUNTS STRUCTURE EXPLAINED HEADER
#
# Prints a line for each difference, and nothing when there is none.  An event may have perf's name or the name of the
# structural walk.  The modifiers after the colon change with perf's version, so they are dropped from perf's names.
BEGIN { FS = "\t" }
function base(s) { sub(/^ +/, "", s); sub(/:[ukhHGpPSDIWeb]+$/, "", s); return s }
function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
function tell(s) { print s }
# perf replaces unprintable characters by its own rules, so such texts are compared with structure.txt only.
function plain(s) { return s !~ /[^ -~]/ && s !~ /\\/ }
FILENAME == ARGV[1] {
	if ($1 == "event") {
		n = $2 + 1; ours_name[$2] = $3; ours_n[$2] = $4; ours_w[$2] = $5
		total_n += $4; total_w += $5
		by_n[base($3)] += $4; by_w[base($3)] += $5
	} else if ($1 == "record") records[$2] = $3
	else ours[$1] = $2
	next
}
FILENAME == ARGV[2] {
	if ($1 == "what") {
		for (i = 3; i <= NF; i++) if ($i == kept) col = i
		if (!col) { tell("counts.tsv has no column " kept); exit }
		next
	}
	if ($1 == "samples_total" && $col != total_n) tell("samples: " total_n ", expected " $col)
	if ($1 == "period_total" && $col != total_w) tell("periods: " total_w ", expected " $col)
	if ($1 == "samples_attr" || $1 == "period_attr") {
		at = $2; sub(/ .*/, "", at); what = $2; sub(/^[0-9]+ /, "", what)
		walk_name[at] = what
		if ($1 == "samples_attr") walk_n[at] = $3; else walk_w[at] = $3
	}
	if ($1 == "samples_event" && $col != "") want_n[base($2)] += $col
	if ($1 == "period_event" && $col != "") want_w[base($2)] += $col
	if ($1 == "lost_events" && $3 != ours["lost_events"]) tell("lost events: " ours["lost_events"] ", expected " $3)
	if ($1 == "lost_samples" && $3 != ours["lost_samples"])
		tell("lost samples: " ours["lost_samples"] ", expected " $3)
	if ($1 == "records" && $3 + 0 > 0) {
		told[$2] = 1
		if ($3 != records[$2] + 0) tell("records " $2 ": " records[$2] + 0 ", expected " $3)
	}
	next
}
# structure.txt cuts long lines
FILENAME == ARGV[3] && $1 ~ /^(mode|endian|osrelease|arch|version|cpudesc|cmdline)$/ {
	found = length($2) < 300 ? ours[$1] : substr(ours[$1], 1, length($2))
	if ($2 != found) tell($1 ": \"" found "\", expected \"" $2 "\"")
	next
}
FILENAME == ARGV[4] { if ($1 == recording) section[$2, $3, $4] = $5; next }
# perf report --header-only prints `# name : value`, and (null) for a missing value.
FILENAME == ARGV[5] && /^# [a-z ]+ : / {
	what = $0; sub(/^# /, "", what); value = what; sub(/ : .*/, "", what); sub(/^[^:]*: /, "", value)
	what = trim(what)
	if (what == "total memory") sub(/ kB$/, "", value)
	if (value == "(null)") value = ""
	if (!(what in ours) || !plain(value) || !plain(ours[what]) || trim(value) == trim(ours[what])) next
	if ((what, trim(value), trim(ours[what])) in section) because[section[what, trim(value), trim(ours[what])]]++
	else tell(what ": \"" ours[what] "\", perf prints \"" value "\"")
}
END {
	for (s in because) print "explained: " because[s] " header lines: " s
	for (r in records) if (!(r in told)) tell("records " r ": " records[r] ", expected none")
	for (i = 0; i < n; i++) {
		if (!ours_n[i]) continue
		b = base(ours_name[i])
		if ((b in want_n) && want_n[b] == by_n[b] && want_w[b] == by_w[b]) seen[b] = 1
		# The reference walk numbers tracepoints that only simpleperf's own sections name.
		else if ((base(walk_name[i]) == b || walk_name[i] ~ /^tracepoint-[0-9]+$/) && walk_n[i] == ours_n[i] &&
				walk_w[i] == ours_w[i])
			by_place = 1
		else tell("event " i " " b ": " ours_n[i] " samples, " ours_w[i] " in all, expected " \
			  (b in want_n ? want_n[b] ", " want_w[b] : walk_n[i] ", " walk_w[i] " of " walk_name[i]))
		# The reference walk has a name as it is recorded.  If it had to construct one, the parts are in
		# perf's table.
		if ((i in walk_n) && walk_n[i] != ours_n[i] && !(b in want_n))
			tell("event " i ": " ours_n[i] " samples, the walk has " walk_n[i])
	}
	for (b in want_n) if (want_n[b] && !(b in seen) && !by_place) tell("event " b ": none, expected " want_n[b])
}

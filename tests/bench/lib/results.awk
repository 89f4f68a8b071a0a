# results.awk - read results.tsv (measure.sh describes its form) for the other .awk files
function remember(rec) { if (!(rec in known)) { known[rec] = 1; recs[++nrecs] = rec } }
$1 == "run" { run[$2] = $3 }
$1 == "rec" { remember($2); bytes[$2] = $3; samples[$2] = $4 }
$1 == "time" {
	remember($2)
	cpu[$2, $3] = $4; wall[$2, $3] = $5; rss[$2, $3] = $6; runs[$2, $3] = $7; status[$2, $3] = $8
	if (!($3 in command)) { command[$3] = 1; commands[++ncommands] = $3 }
}
$1 == "same" { same[$2] = $3 }
$1 == "acc" { remember($2); acc[$2, $3] = $4; compared[$2] = 1 }
$1 == "count" {
	remember($2)
	count[$2, $3] = $4; counted[$2] = 1
	if (!($3 in counts)) { counts[$3] = 1; counting[++ncounting] = $3 }
}

function have(rec, cmd) { return (rec, cmd) in status && status[rec, cmd] != "failed" }
function metric_of(what, rec, cmd) {
	return what == "cpu" ? cpu[rec, cmd] : what == "wall" ? wall[rec, cmd] : rss[rec, cmd]
}
# Return ">" if the command was stopped, because it would have taken longer than its time says.
function at_least(rec, cmd) { return status[rec, cmd] == "limit" ? ">" : "" }
function short(x) { return x >= 99.5 ? sprintf("%.0f", x) : x >= 9.95 ? sprintf("%.1f", x) : sprintf("%.2f", x) }
function is_ours(cmd) { return cmd ~ /^our-/ }
# Return the ratio of a peer's value to ours.
function ratio(what, rec, mine, peer,   m) {
	m = metric_of(what, rec, mine)
	return m > 0 ? metric_of(what, rec, peer) / m : 0
}
# Sort a[1..n] in ascending order.
function sort_numbers(a, n,   i, j, t) {
	for (i = 2; i <= n; i++) {
		t = a[i]
		for (j = i - 1; j > 0 && a[j] > t; j--)
			a[j + 1] = a[j]
		a[j + 1] = t
	}
}
function middle(a, n) { return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }

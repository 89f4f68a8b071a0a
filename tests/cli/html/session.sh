# results folders become one page, in the mode order of profile.sh; an unreadable folder affects its own panel only
mkdir -p results/a results/b results/c results/broken
printf 'app;main;f 10\napp;main;g 5\n' >results/a/perf.data
cp results/a/perf.data results/b/perf.data
printf '{"mode": "memory", "status": "failed", "reason": "app was killed by signal 9", "target": "app"}' \
	>results/b/run.json
cat >results/a/run.json <<'END'
{"mode": "cpu", "status": "ok", "reason": null, "target": "app", "command": ["./app", "a <b>"],
 "commit": "0123456789abcdef0123", "dirty": true, "record_seconds": 2.5}
END
printf '{"mode": "syscall", "status": "ok", "reason": null, "target": "app"}' >results/c/run.json
printf '{"mode"' >results/broken/run.json
mkdir results/all-1
hotdrift html results/b results/c/ results/a results/broken --failed 'async=not <here>' --session all-1 \
	-o results/all-1/all.html
echo "status $?"
page=results/all-1/all.html
grep -o '<section class="mode"[^>]*>' $page
grep '<h1>\|<p class="reason">\|^<div><dt>' $page
grep -o '<a href="[^"]*">' $page
grep -o '<td><code>[^/]*' $page
sed -n 's/^<li>\([^<]*\)<.li>$/\1/p' $page
hotdrift html results/b results/c/ results/a results/broken --failed 'async=not <here>' --session all-1 \
	-o - 2>/dev/null | cmp - $page | sed 's/differ.*/differ in their links/'
for arguments in 'none' 'results/a/run.json' 'results/a --runs latest' '--session x' 'results/a --failed async' \
	'results/a -o none/all.html'; do
	# shellcheck disable=SC2086 # a command line, to be split
	hotdrift html $arguments 2>&1 || echo "status $?"
done
ls results/all-1
# the values of run.json may have any type, and its files may be of any kind
mkdir -p odd/fifos odd/types odd/nothing
mkfifo odd/fifos/perf.data odd/fifos/latency.csv odd/types/config odd/types/db
printf '{"mode": "cpu", "status": "ok"}' >odd/fifos/run.json
cat >odd/types/run.json <<'END'
{"mode": 5, "status": [], "reason": {}, "target": null, "command": [1, {}, "x"], "commit": "", "dirty": "no",
 "record_seconds": 1e999, "config": "odd/types/config", "run": "x", "db": "odd/types/db", "event": 7}
END
cp results/a/perf.data odd/types/
mkfifo odd/nothing/run.json
hotdrift html odd/* -o odd.html
grep -o '<p class="reason">.*' odd.html

# diff compares two profiles of any kind: files, runs, or one of each
printf 'serve;main;%s\n' 'parse;read_row 300' 'parse 50' 'decode 200' 'hash_probe 110' 'emit 70' 'idle 1' >a.folded
printf 'serve;main;%s\n' 'parse.isra.0;read_row 420' 'parse.isra.0 50' 'decode 200' 'emit 70' 'probe2 100' 'idle2 1' \
	>b.folded
hotdrift diff a.folded b.folded
echo; echo '# one function and the stacks through it'
hotdrift diff a.folded b.folded --symbol parse --significant
echo; echo '# for machines'
hotdrift diff a.folded b.folded --json -n 1
hotdrift diff a.folded b.folded --csv -n 2
hotdrift diff a.folded b.folded --markdown -n 1
hotdrift diff a.folded b.folded --format folded --normalize
echo; echo '# twice the samples are no change'
awk '{ print $1, 2 * $2 }' a.folded >twice.folded
hotdrift diff a.folded twice.folded
echo; echo '# a run against a file, and against a run'
hotdrift add a.folded --target serve --commit none --recorded 2026-10-01T12:00:00Z >/dev/null
hotdrift add b.folded --target serve --commit none --recorded 2026-10-02T12:00:00Z >/dev/null
mask() { sed 's/-[0-9a-f]\{8\}:/-XXXXXXXX:/'; }
hotdrift diff latest:serve~1 a.folded | mask
hotdrift diff latest~1 run:latest -n 1 | mask

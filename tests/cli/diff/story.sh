# what changed between two profiles, whichever they are: files, runs, one of each
printf 'serve;main;parse;read_row 300\nserve;main;parse 50\nserve;main;decode 200\nserve;main;hash_probe 110\nserve;main;emit 70\nserve;main;idle 1\n' >a.folded
printf 'serve;main;parse.isra.0;read_row 420\nserve;main;parse.isra.0 50\nserve;main;decode 200\nserve;main;emit 70\nserve;main;probe2 100\nserve;main;idle2 1\n' >b.folded
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

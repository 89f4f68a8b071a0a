# a page of selected runs is written completely or not at all, is reproducible, and its contents are reported
printf 'main;f 10\nmain;g 5\n' >a.folded
printf 'main;f 10\nmain;g 9\n' >b.folded
printf 'main;f 3\nmain;g 1\n' >c.folded
hotdrift add --commit none --target serve --recorded 2026-11-20T00:00:00Z a.folded >/dev/null
hotdrift add --commit none --target serve --recorded 2026-11-21T00:00:00Z b.folded >/dev/null
hotdrift add --commit none --target batch --recorded 2026-11-22T00:00:00Z c.folded >/dev/null
hotdrift html 2>&1 | sed 's/[0-9.]* MB/N MB/g'
ls
hotdrift html -o - >again.html
cmp report.html again.html && echo same
data() { sed -n '/^<script type="application\/json"/,/^<\/script>/p' | sed '1d;$d'; }
count() { hotdrift html -o - "$@" | data | jq \
	-c '[(.runs.id | length), (.lanes | length), (.trees | length), (.symbols | length)]'; }
count
count --target serve
count --since 2026-11-21 --until 2026-11-21
count --last 1
count --stacks 0
count --runs latest:serve,latest
count -n 1
hotdrift html -o - --target serve | data | jq -c '.lanes[0] | [.run, .w, .n], (.cols[] | [.sym, .v])'
hotdrift html -o - --title 'a <b>' | grep -a '<title>'

# report --html writes a page: one file, the same bytes each time, to standard output or a file, with a title
printf 'main;parse;read 30\nmain;close 10\n' >a.folded
hotdrift report --html a.folded >page.html
head -n 2 page.html
hotdrift report --html -o again.html a.folded
cmp page.html again.html && echo same
hotdrift report --html --title 'a <b>' a.folded | grep -a '<title>'
recording=$FIXTURES/recordings/two-events
hotdrift report --html --symfs "$recording/symfs" "$recording/perf.data" | grep -ac '"packed":"H4sI'
hotdrift report --html --by comm a.folded 2>&1 || echo "status $?"
hotdrift report --html --json a.folded 2>&1 || echo "status $?"
hotdrift report --html --callers read a.folded 2>&1 || echo "status $?"
hotdrift report --html -o none/page.html a.folded 2>&1 || echo "status $?"

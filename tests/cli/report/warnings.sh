# what was lost stands on the page, too
head -c 4000 "$FIXTURES/recordings/calls/perf.data" >cut.data
hotdrift report --symfs "$FIXTURES/recordings/calls/symfs" cut.data 2>err | grep -A 3 ^Warnings
wc -l <err

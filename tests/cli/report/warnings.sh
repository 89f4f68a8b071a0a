# the report also lists what was lost
head -c 4000 "$FIXTURES/recordings/calls/perf.data" >cut.data
hotdrift report --symfs "$FIXTURES/recordings/calls/symfs" cut.data 2>err | grep -A 3 ^Warnings
wc -l <err

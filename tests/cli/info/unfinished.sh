# perf was killed before it wrote the size of the data: all samples are read
cp "$FIXTURES/recordings/calls/perf.data" a.data
head -c 8 /dev/zero | dd of=a.data bs=1 seek=48 conv=notrunc 2>/dev/null
hotdrift info --symfs "$FIXTURES/recordings/calls/symfs" a.data | grep -e ^format -e ^samples

# a title for the picture; of several events the first, with one note
hotdrift analyze --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data" -o . \
	--title 'serve at 4f1c2e9' >/dev/null
grep -c 'serve at 4f1c2e9' flamegraph.svg

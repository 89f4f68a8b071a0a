# --title sets the title of the picture; of several events the first is drawn, with one note
hotdrift analyze --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data" -o . \
	--title 'serve at 4f1c2e9' >/dev/null
grep -c 'serve at 4f1c2e9' flamegraph.svg

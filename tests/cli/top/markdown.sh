# top prints a Markdown table, for a merge request
hotdrift top --format markdown --total --symfs "$FIXTURES/recordings/family/symfs" \
	"$FIXTURES/recordings/family/perf.data"

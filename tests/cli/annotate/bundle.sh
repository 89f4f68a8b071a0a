# a bundle contains no code: annotate uses its lines, or the local file with the same build-id
copies=$FIXTURES/recordings/copies
hotdrift bundle --symfs "$copies/symfs" "$copies/perf.data" -o b.hdb 2>/dev/null
hotdrift annotate b.hdb --json > lines.json
hotdrift annotate --symfs "$copies/symfs" "$copies/perf.data" --json > whole.json
# the costs of addresses and lines are the same
for f in lines whole; do
	jq -c '.symbols[0] | . as $s | [.instructions[] | select(.cost != []) | [.address, .cost]],
		[.lines[] | select(.cost != []) | [$s.files[.file].path, .line, .cost]]' $f.json > $f.costs
done
cmp lines.costs whole.costs
jq -r '.symbols[0].notes[]' lines.json
jq '.symbols[0].instructions | length < 5' lines.json

# a name, a pattern, a regular expression and an address select functions; the sums of both events are kept
two=$FIXTURES/recordings/two-events
hotdrift annotate --symfs "$two/symfs" "$two/perf.data" '*' --limit 0 --json > all.json
hotdrift annotate --symfs "$two/symfs" "$two/perf.data" '/./' --limit 0 --json | cmp - all.json
# for each function and event: instructions, lines and the function have the same cost
jq -c '.symbols[] | . as $s | [.symbol, ([range(.events | length) as $e |
	([$s.instructions[].cost[] | select(.event == $e).weight] | add // 0) == $s.events[$e].weight and
	([$s.lines[].cost[] | select(.event == $e).weight] | add // 0) == $s.events[$e].weight and
	([$s.instructions[].cost[] | select(.event == $e).samples] | add // 0) == $s.events[$e].samples] |
		all)]' all.json
jq '[.matched, (.symbols | length)] | unique | length' all.json
address=$(jq -r '.symbols[0].instructions[0].address' all.json)
hotdrift annotate --symfs "$two/symfs" "$two/perf.data" "$address" --json |
	jq --slurpfile all all.json '.symbols[0].symbol == $all[0].symbols[0].symbol'

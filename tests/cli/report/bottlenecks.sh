# bottlenecks of samples: slow symbols; what samples cannot show is listed; JSON, Markdown; a unit that is no time
R=$FIXTURES/recordings
hotdrift report --bottlenecks "$R/memgraph-cpu/perf.data" --symfs "$R/memgraph-cpu/symfs" 2>/dev/null
hotdrift report --bottlenecks --json "$R/memgraph-cpu/perf.data" --symfs "$R/memgraph-cpu/symfs" 2>/dev/null |
	jq -c '.format, .version, (.rows[] | [.severity, .kind, .event, .name, .value, .limit]),
		(.not_judged[] | .what)'
hotdrift report --bottlenecks -n 1 --format markdown "$R/two-events/perf.data" 2>/dev/null
printf 'main;parse 60\nmain;read 40\n' | hotdrift report --bottlenecks -
status=0; hotdrift report --bottlenecks --by dso "$R/two-events/perf.data" || status=$?; echo "status $status"

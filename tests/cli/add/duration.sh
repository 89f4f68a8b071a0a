# the time limit of a recording is stored with the run, which is compared only with runs of the same limit
file=$FIXTURES/recordings/two-events/perf.data
add() { hotdrift add "$file" --target t --commit none --db a.db "$@" | sed -n 's/^run *//p' | cut -d ' ' -f 1; }
whole=$(add --recorded 2026-01-01T00:00:00Z 2>stderr)
part=$(add --recorded 2026-01-02T00:00:00Z --duration 10 2>stderr)
hotdrift query --db a.db --csv 'SELECT selection FROM run ORDER BY id'
hotdrift show "$part" --against last --db a.db 2>>stderr | grep since
hotdrift gate --db a.db --target t --base "$whole" --head "$part" 2>&1 | grep selection

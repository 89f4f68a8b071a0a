# a stored run has the samples of its event; its stacks have no sample counts, and no command prints their number as one
of=$FIXTURES/recordings/memgraph-cpu
hotdrift add "$of/perf.data" --symfs "$of/symfs" --target t --commit none --db a.db >/dev/null 2>&1
export HOTDRIFT_DB=a.db
hotdrift info latest | grep -E '^(format|samples)'
hotdrift top latest -n 2
hotdrift top latest -n 2 --inline
hotdrift report latest -n 2 2>/dev/null | grep -A2 '^rank'
hotdrift report --by symbol -n 2 latest 2>/dev/null
hotdrift report --by symbol --json latest 2>/dev/null | grep -o '"samples": null' | sort -u

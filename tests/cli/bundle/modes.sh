# only the owner may read new bundles and databases; other outputs follow the umask; an existing mode is kept
umask 022
hotdrift bundle "$FIXTURES/recordings/memgraph-cpu/perf.data" -o a.hdb 2>/dev/null
hotdrift add "$FIXTURES/recordings/memgraph-cpu/perf.data" --target t --commit none --db a.db >/dev/null 2>&1
hotdrift fold "$FIXTURES/recordings/memgraph-cpu/perf.data" -o a.folded 2>/dev/null
stat -c '%a %n' a.*
chmod 664 a.*
hotdrift bundle "$FIXTURES/recordings/memgraph-cpu/perf.data" -o a.hdb 2>/dev/null
hotdrift add "$FIXTURES/recordings/memgraph-cpu/perf.data" --target t --commit none --db a.db >/dev/null 2>&1
hotdrift fold "$FIXTURES/recordings/memgraph-cpu/perf.data" -o a.folded 2>/dev/null
stat -c '%a %n' a.*

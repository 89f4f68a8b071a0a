# errors about missing symbols, targets and series list those that exist
try() { hotdrift history "$@" 2>&1 || echo "status $?"; }
try
printf 'serve;main;parse_row 30\nserve;main;decode 20\n' >x.folded
hotdrift add x.folded --target serve --commit none --recorded 2026-10-01T12:00:00Z >/dev/null
try nothing
try pars
try parse_row --event cycles
try parse_row --target nobody
try --series p99
try --series nonsense
try --series latency:x:
try parse_row --series p99
try parse_row --json --csv
try -n x
try parse_row -n 1 | sed 's/-[0-9a-f]\{8\} /-XXXXXXXX /'

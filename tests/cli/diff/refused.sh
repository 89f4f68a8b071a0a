# diff rejects operands that are neither files nor runs, and options that exclude each other
try() { hotdrift diff "$@" 2>&1 || echo "status $?"; }
printf 'main;f 3\n' >a.folded
try a.folded
try a.folded nowhere
try a.folded run:latest
hotdrift add a.folded --no-stacks --commit none --recorded 2026-10-01T12:00:00Z >/dev/null
try a.folded nowhere
try a.folded a.folded --symbol nothing
try a.folded a.folded --normalize
try a.folded a.folded --csv --json
try - -
try latest a.folded | sed 's/-[0-9a-f]\{8\}:/-XXXXXXXX:/'

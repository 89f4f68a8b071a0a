# diff of runs prints the same change as gate, and an unchanged function does not appear to shrink
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual
commit slow
sed 's/parse_row 1210/parse_row 2400/' usual >slow
runs slow
number() { sed -n 's/.*[^-+0-9.]\([-+][0-9.]*\)[ ]*%.*\( *[-+][0-9]* \.\. [-+][0-9]*\) *%.*/\1 \2/p' | tr -s ' '; }
hotdrift gate --db h.db --no-record | grep '^R  parse_row' | number
hotdrift diff main HEAD --db h.db --symbol parse_row | grep '  parse_row$' | number
hotdrift diff main HEAD --db h.db -n 4
echo '# other ways to record, said in words'
hotdrift add run.folded --db h.db --target serve --commit none --inline --recorded 2026-11-21T10:00:00Z >/dev/null 2>&1
{ hotdrift diff main latest --db h.db -n 1 >/dev/null; } 2>&1

# expect compares declared shares with an input and with a run, and stores them for the target of the run
cat >shares.txt <<'END'
# what serve spends
similarity 15..25 %
primary: read_row, parse
secondary: hash_probe
tertiary: idle, nowhere
total main >= 99 %
e* < 10 %
others < 1 %
END
printf 'serve;main;%s\n' 'parse;read_row 300' 'parse.isra.0 70' 'similarity 200' 'hash_probe 55' 'emit 370' 'idle 5' \
	>a.folded
hotdrift expect shares.txt a.folded || echo "status $?"
hotdrift add a.folded --target serve --commit none --recorded 2026-10-01T12:00:00Z >/dev/null
mask() { sed 's/-[0-9a-f]\{8\}\([:"`]\)/-XXXXXXXX\1/'; }
{ hotdrift expect shares.txt --run latest:serve --tolerance 30 || echo "status $?"; } | mask
{ hotdrift expect shares.txt --store --tolerance 30 --markdown || echo "status $?"; } | mask
{ hotdrift expect || echo "status $?"; } | mask
{ hotdrift expect --json || echo "status $?"; } | mask
hotdrift query 'SELECT target, symbol, measure, at_least, at_most, reason FROM expectation ORDER BY id'

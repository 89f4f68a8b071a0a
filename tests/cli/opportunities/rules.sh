# owners, weights and skip rules of hotdrift.ini; names of any bytes; an invalid rule is rejected with its line number
# shellcheck source=/dev/null
. "$(dirname "$0")/matrix.inc"
matrix
cat >hotdrift.ini <<'END'
[hotdrift]
weights = cpu=1,
	memory=1
[owners]
rows = read_?ow, Row::*
everything.else = *
[target serve]
run = serve
skip = hash, !malloc
END
hotdrift opportunities --db h.db
hotdrift opportunities --db h.db --target load --weights syscall=1
hotdrift opportunities --db h.db -n 1 --skip 'decode, read_*'
# a path needs the source file, which folded text does not have
printf '[owners]\nrows = src/rows/*\n' >paths.ini
hotdrift opportunities --db h.db -n 1 --ini paths.ini
try() {
	# shellcheck disable=SC2059	# the escapes of the argument
	printf "$1" >bad.ini
	hotdrift opportunities --db h.db --ini bad.ini 2>&1 || echo "status $?"
}
try '[owners]\na = ,\n'
try '[owners]\na =\n'
try '[owners]\na b = x\n'
try "[owners]\na = $(printf '%0300d' 0)\n"
try '[hotdrift]\nweights = cpu=1,nothing=2\n'
try '[hotdrift]\nweights = cpu=nan\n'
try '[hotdrift]\nweights = cpu=0\n'
# a name of any bytes stays text: it adds no line or cell to the output, and no formula to a spreadsheet
printf 'main;=cmd()|"x",\033[31m,`<b>\303\050 30\nmain;a\\nb 20\nmain;[unknown] 9\n' >odd.folded
hotdrift add odd.folded --db odd.db --target "$(printf 'x\033[0m<y>')" --commit none --recorded 2026-10-01T12:00:00Z \
	>/dev/null
for how in '' --csv --markdown --json; do
	hotdrift opportunities --db odd.db $how
done

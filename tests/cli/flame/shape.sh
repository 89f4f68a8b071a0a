# flame draws pictures that are reversed, cut at a function, in input order, or wider; it rejects invalid options
frames() { grep -o '<title>[^<]*' "$1" | sed 's/<title>//' | tail -n +2 | grep \
	-v ' drawn\| event \|^f: \|^[0-9]' | paste -sd ' ' -; grep -o 'data-f="[^"]*"' "$1"; }
printf 'app;main;parse;lex 4\napp;main;eval;lex 2\napp;main 1\n' >f
hotdrift flame --reverse f -o r.svg; frames r.svg
hotdrift flame --base-symbol parse f -o b.svg; frames b.svg
hotdrift flame --base-symbol nowhere f || echo "status $?"
printf 'app;a 1\napp;b 2\napp;a 3\n' >g
hotdrift flame --flamechart g -o c.svg; frames c.svg
hotdrift flame --total 20 g -o t.svg; frames t.svg
hotdrift flame f g -o m.svg; frames m.svg
for o in "--height 1" "--fonttype a;b" "--bgcolors red" "--minwidth 101%" "--reverse --no-sort" "--colors pink" \
	"--encoding latin1"; do
	# shellcheck disable=SC2086	# $o is words
	hotdrift flame $o f || echo "status $?"
done

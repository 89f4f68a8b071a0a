# help, --help and -h list the commands; help COMMAND is COMMAND --help
hotdrift help >a; hotdrift --help >b; hotdrift -h >c
cmp a b; cmp a c
sed -n 's/^  \([a-z]*\) .*/\1/p' a >commands
grep -x -e info -e fold -e flame -e top -e report commands
while read -r command; do
	hotdrift help "$command" >long; hotdrift "$command" --help >option; hotdrift "$command" -h >letter
	cmp long option; cmp long letter
	head -n 1 long | grep -q "^usage: hotdrift $command" || echo "$command: no usage line"
	[ "$(sed -n 3p long | cut -d ' ' -f 1-2)" = "$command -" ] || echo "$command: no summary"
done <commands
hotdrift help nonsense

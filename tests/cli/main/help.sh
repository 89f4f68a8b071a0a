# help, --help and -h list the commands; help COMMAND equals COMMAND --help and has the form of a help text
hotdrift help >a; hotdrift --help >b; hotdrift -h >c
cmp a b; cmp a c
sed -n 's/^  \([a-z]*\) .*/\1/p' a >commands
grep -x -e info -e fold -e flame -e top -e report commands
while read -r command; do
	hotdrift help "$command" >long; hotdrift "$command" --help >option; hotdrift "$command" -h >letter
	cmp long option; cmp long letter
	head -n 1 long | grep -q "^usage: hotdrift $command" || echo "$command: no usage line"
	[ "$(sed -n 3p long | cut -d ' ' -f 1-2)" = "$command -" ] || echo "$command: no summary"
	sed '/^examples:$/,$d' long | grep -n '.\{101\}' && echo "$command: these lines are too long"
	! grep -n '[[:blank:]]$' long || echo "$command: these lines end with blanks"
done <commands
hotdrift help nonsense

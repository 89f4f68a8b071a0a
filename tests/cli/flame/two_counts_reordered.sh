# two counts per line are drawn as a difference, whose tree has one order
printf 'a;b 3 4\na;c 0 2\nd 5 0\n' >two.folded
for o in --reverse --no-sort --flamechart '--base-symbol b'; do
	# shellcheck disable=SC2086	# an option and its value
	hotdrift flame $o two.folded || echo "status $?"
done
hotdrift flame two.folded -o two.svg && grep -c '<svg' two.svg
hotdrift flame --reverse --event folded two.folded 2>/dev/null | grep -c "<svg"

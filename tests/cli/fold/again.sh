# folding folded text gives the same text, from a file and from standard input
hotdrift fold --symfs "$FIXTURES/recordings/family/symfs" "$FIXTURES/recordings/family/perf.data" >once
cp once want
hotdrift fold once | cmp - want
hotdrift fold - <once | cmp - want
# shellcheck disable=SC2002	# a pipe, not a file
cat once | hotdrift fold /dev/stdin | cmp - want
printf 'b;c 2\na;\\x23x;\\e 1\nb;c 3\n' | hotdrift fold -

# help --man-dir writes a man page for the program and one for each command
mkdir man
hotdrift help --man-dir man
commands=$(hotdrift help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for c in $commands; do [ -s "man/hotdrift-$c.1" ] || echo "no page for $c"; done
[ -s man/hotdrift.1 ]
[ "$(find man -type f | wc -l)" = $(($(echo "$commands" | wc -w) + 3)) ]
grep -l '^\.SH EXIT STATUS' man/hotdrift-top.1
hotdrift help --man-dir absent

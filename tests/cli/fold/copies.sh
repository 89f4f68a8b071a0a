# stack copies are unwound, cut stacks stitched, inlined functions are frames; threads do not change the result
copies() { hotdrift fold --symfs "$FIXTURES/recordings/copies/symfs" "$FIXTURES/recordings/copies/perf.data" \
	--weight samples "$@"; }
short() { sed 's/\(descend;\)\{3,\}/descend;...;/'; }
copies | short
echo
copies --annotate --no-inline | short | sort | uniq -c
copies --annotate | tail -n 1
echo
copies --no-stitch | short | sort | uniq -c
copies --threads 1 >one
copies --threads 7 | cmp - one
copies -j 2 | cmp - one

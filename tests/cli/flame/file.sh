# the file is well-formed, loads nothing, has every function by name, and the numbers of fold
hotdrift flame --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" -o f.svg
head -c 5 f.svg
echo
grep -c '<svg' f.svg
for name in _start main recurse through_pointer other_work finish work calls; do
	grep -q "$name" f.svg ||
		echo "no $name"
done
grep -o 'cpu-clock:u' f.svg | sort -u
grep -c -E 'src="|href="http|url\(http|@import' f.svg || :
hotdrift flame --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" | cmp - f.svg

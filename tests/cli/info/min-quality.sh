# below --min-quality every command exits with 1, and all but info write nothing
file=$FIXTURES/recordings/family/perf.data
symfs=$FIXTURES/recordings/family/symfs
try() { status=0; "$@" || status=$?; echo "exit $status"; }
try hotdrift info --symfs "$symfs" --min-quality 100 "$file" | tail -n 1
printf 'a;b 1\n' > f.folded
for command in info fold top flame report; do
	echo "$command:"
	try hotdrift "$command" --min-quality 50 f.folded
done
try hotdrift analyze -o out --min-quality 50 f.folded
try hotdrift add --db db --min-quality 50 f.folded
[ ! -e out ]
[ ! -e db ]
try hotdrift top --min-quality 0 f.folded
try hotdrift top --min-quality 101 f.folded

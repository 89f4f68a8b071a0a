# every file equals the output of its command, and stdout lists the files
file=$FIXTURES/recordings/copies/perf.data
symfs=$FIXTURES/recordings/copies/symfs
hotdrift analyze --symfs "$symfs" "$file" -o out -n 2
ls out
same() {
	name=$1
	shift
	"$@" --symfs "$symfs" "$file" 2>/dev/null | cmp - "out/$name" && echo "$name: the same"
}
same folded.txt hotdrift fold
same flamegraph.svg hotdrift flame
same top5.txt hotdrift top
same report.md hotdrift report --format markdown
same report.json hotdrift report --format json
same info.json hotdrift info --json
hotdrift analyze --symfs "$symfs" "$file" -o out2 --no-inline >/dev/null
hotdrift fold --no-inline --symfs "$symfs" "$file" 2>/dev/null | cmp - out2/folded.txt
hotdrift report --no-inline --format markdown --symfs "$symfs" "$file" 2>/dev/null | cmp - out2/report.md
hotdrift analyze --symfs "$symfs" "$file" -o out3 --inline >/dev/null
hotdrift top --inline --symfs "$symfs" "$file" 2>/dev/null | cmp - out3/top5.txt
hotdrift report --inline --json --symfs "$symfs" "$file" 2>/dev/null | cmp - out3/report.json

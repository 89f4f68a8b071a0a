# annotate prints instructions with inlined functions, jump arrows, lines and costs, as text and as Markdown
copies=$FIXTURES/recordings/copies
annotate() { hotdrift annotate --symfs "$copies/symfs" "$copies/perf.data" "$@"; }
# The text of instructions depends on the version of capstone; run-perf.sh compares addresses and costs with perf.
hide() { sed -E 's/^(.*4010[0-9a-f]{2}: [^a-z(]*)[a-z(].*/\1.../'; }
mkdir checkout
cp "$FIXTURES/recordings/programs/copies.c" checkout
touch -d 2000-01-01 checkout/copies.c
if annotate --json | grep -q 'built without capstone\|is not installed (Debian: libcapstone'; then
	echo "capstone is not installed (Debian: libcapstone-dev)" >&2
	exit 77
fi
annotate --source-prefix checkout | hide
annotate --source-prefix checkout --markdown --context 0 -n 1 | hide
annotate --asm-only --percent-type global-hits | hide
annotate --asm-only -M intel | grep -c 'qword ptr \[rip'
annotate --json --source-prefix checkout | jq -c '.symbols[0] | .scopes, .notes, [.instructions[] | del(.text)][-6:]'

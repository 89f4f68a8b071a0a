# callgrind: a file that is cut off has fewer costs than its summary names; totals: is exact, summary: only about so
part() { # SUMMARY TOTALS: one part with costs of 70 Ir and 6 Dw
	printf 'events: Ir Dw\nsummary: %s\nfn=(1) main\n1 10 5\nfn=(2) work\n2 60 1\n' "$1"
	printf 'totals: %s\n' "$2"
}
header() { printf 'creator: %s\n' "$1"; }
try() { # NAME
	echo "$1: $(hotdrift fold --strict "$1" 2>err | tail -1), $(grep -m1 -o 'its costs.*' err || echo whole)"
}
{ header callgrind-3.19.0; part '70 6' '70 6'; } >whole
{ header callgrind-3.19.0; part '72 7' '70 6'; } >whole-cache-sim
{ header callgrind-3.19.0; part '70 6' '70 6'; part '70 6' '70 6'; } >two-parts
{ header callgrind-3.19.0; part '71 6' '70 6' | sed '$d'; } >no-totals
{ header callgrind-3.19.0; part '70 6' '70 6' | sed '/work/,$d'; } >cut-off
{ header callgrind-3.19.0; part '70 6' '70 6'; part '70 6' '70 6' | sed '/work/,$d'; } >cut-in-part-2
{ header pyprof2calltree; part '71 6' '' | sed '$d'; } >rounded
{ part '71 6' '' | sed '/work/,$d'; } >cut-unknown
for file in whole whole-cache-sim two-parts no-totals cut-off cut-in-part-2 rounded cut-unknown; do try "$file"; done
printf 'main;a 10\nmain;b 20\n' | hotdrift convert - --to callgrind -o own
try own
sed '/^fn=(4)$/,$d' own >own-cut
try own-cut
hotdrift fold cut-off

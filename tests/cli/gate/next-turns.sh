# the commands after `next` show the comparison that the gate made: its runs, and its event
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
usually >usual
sed 's/parse_row 1210/parse_row 2100/' usual >before
sed 's/parse_row 1210/parse_row 1560/' usual >slow
runs before --session old
runs usual --session turns
commit slow
runs slow --session turns
hotdrift gate --db h.db --target serve >out 2>/dev/null || echo "status $?"
grep -E '^R|^next' out | mask
sed -n 's/^next *//p' out | sh | grep parse_row
# two events, and only the second one of them grew
text() {	# SAMPLES-OF-PARSE-IN-MISSES RUN
	awk -v misses="$1" -v run="$2" 'BEGIN {
		n = split("parse 300 decode 200 emit 200 fmt 150 hash 120", of, " ")
		for (e = 0; e < 2; e++)
			for (i = 1; i < n; i += 2) {
				count = e && of[i] == "parse" ? misses : of[i + 1]
				count += (run * 7 + i * 3 + e) % 5 - 2
				while (count-- > 0)
					printf "app 9/9 [000] %.6f: 1000 %s: \n\t%x %s+0x10 (/bin/app)\n\n", ++t / 1e3,
						e ? "cache-misses:u" : "cycles:u", 4198400 + 256 * i, of[i]
			}
	}'
}
texts() {	# SAMPLES-OF-PARSE-IN-MISSES
	for i in 1 2 3 4 5; do
		text "$1" "$i" >run.txt
		made=$((made + 1))
		hotdrift add run.txt --db e.db --target serve --machine unknown --recorded "2026-11-20T11:$made:00Z" \
			>/dev/null 2>&1
	done
}
made=10
git checkout -q main
texts 100
git checkout -q slow
texts 200
hotdrift gate --db e.db --event cache-misses:u >out 2>/dev/null || echo "status $?"
sed -n '/^next/,$p' out
sed -n 's/^next *//p' out | sh | grep -E '^  base|parse$' | head -2

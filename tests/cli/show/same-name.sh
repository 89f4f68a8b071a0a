# functions of one name in two objects: each has the change of its own object
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
text() {	# SAMPLES-OF-COPY-IN-LIBB RUN
	awk -v copy="$1" -v run="$2" 'BEGIN {
		n = split("parse /bin/app 300 emit /bin/app 200 hash /bin/app 120 copy /lib/liba.so 400 " \
			"copy /lib/libb.so " copy, of, " ")
		for (i = 1; i < n; i += 3) {
			count = of[i + 2] + (run * 7 + i * 3) % 5 - 2
			while (count-- > 0)
				printf "app 9/9 [000] %.6f: 1000 cycles:u: \n\t%x %s+0x10 (%s)\n\n", ++t / 1e3,
					4198400 + 256 * i, of[i], of[i + 1]
		}
	}'
}
texts() {	# SAMPLES-OF-COPY-IN-LIBB
	for i in 1 2 3; do
		text "$1" "$i" >run.txt
		made=$((made + 1))
		hotdrift add run.txt --db h.db --target serve --machine unknown --recorded "2026-11-20T11:$made:00Z" \
			>/dev/null 2>&1
	done
}
made=10
texts 210
commit slow
texts 320
hotdrift show latest --against latest~3 --db h.db | sed -n '/^  was/,$p'
hotdrift log --top5 latest --against latest~3 --db h.db --json |
	grep -E '"(symbol|object|change_pct|within_noise)"' | head -8
# the level of an acknowledgement is that of one object
hotdrift ack copy --object libb.so --reason known --db h.db 2>/dev/null
hotdrift ack copy --reason known --db h.db 2>/dev/null

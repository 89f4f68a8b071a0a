# f costs the same all along: its share falls when h doubles, and rises when h halves, and neither is called a change
add() {
	hotdrift add "$2" --db "$1.db" --target serve --commit "$(printf '%02d%038d' "$3" 0)" \
		--recorded "2026-10-$(printf %02d "$3")T1${4:-0}:00:00Z" ${5:+--work "$5"} >/dev/null
}
for to in 6000 1500; do
	for i in $(seq 1 16); do
		a_little=$((i * 37 % 50)) h=3000
		[ "$i" -le 8 ] || h=$to
		printf 'main;%s\n' "f $((3000 + a_little))" "g $((2000 - a_little))" 'k 2500' "l $((1500 + a_little))" \
			"h $h" >x.folded
		add "$to" x.folded "$i"
	done
	for symbol in f h; do
		hotdrift history "$symbol" --db "$to.db" -n 8 | sed '1,2d'
	done
	hotdrift history f --db "$to.db" -n 8 --csv | sed -n '1,2p' | cut -d, -f 5,10,15-
	hotdrift history f --db "$to.db" -n 8 --json | sed -n '/"changes"/,$p' | sed 's/-[0-9a-f]\{8\}"/-X"/'
done
hotdrift history h --db 6000.db -n 8 --json | sed -n '/"standing"/,$p' | sed 's/-[0-9a-f]\{8\}"/-X"/'
# the top five: three runs of each commit, whose work is known; g passes k by chance, h doubles
for i in 1 2 3; do
	for run in 1 2 3; do
		work=$((8 + run)) h=3000
		[ "$i" -lt 3 ] || h=6000
		printf 'main;%s\n' "f $((300 * work + run * 7))" "g $((200 * work + (i - 2) * 12 - run))" \
			"k $((200 * work + run))" "l $((150 * work - run * 5))" "h $((h * work / 10))" >x.folded
		add top x.folded "$i" "$run" "$work"
	done
done
hotdrift history --db top.db
hotdrift history --db top.db -n 1 --markdown
hotdrift history --db top.db -n 1 --csv
hotdrift history --db top.db -n 1 --json | grep -E 'cost_of|"symbol": "[fh]"'

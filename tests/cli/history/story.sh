# history prints one symbol over 24 commits: parse_row changes at the 15th; a varying compiler suffix is ignored
for i in $(seq 1 24); do
	parse=$((1200 + i * 7 % 11)) suffix=
	[ "$i" -lt 15 ] || parse=$((parse + 400))
	[ "$((i % 2))" = 0 ] || suffix=.isra.0
	printf 'serve;main;%s\n' "parse_row $parse" "decode$suffix 800" "hash_probe $((620 + i % 3))" \
		'emit 500' 'idle 300' >x.folded
	hotdrift add x.folded --target serve --commit "$(printf '%02d%038d' "$i" 0)" \
		--recorded "2026-10-$(printf %02d "$i")T12:00:00Z" >/dev/null
done
hotdrift history parse_row -n 12
hotdrift history decode -n 2
hotdrift history -n 2
hotdrift history -n 1 --csv hash_probe
hotdrift history -n 1 --csv
hotdrift history -n 1 --markdown emit
hotdrift history -n 1 --json emit | sed 's/-[0-9a-f]\{8\}"/-XXXXXXXX"/g'

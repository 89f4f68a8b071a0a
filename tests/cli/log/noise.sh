# order changes by chance are reported as noise, and real ones are not; g enters the top five by passing b
for i in 1 2 3 4; do
	awk -v i="$i" '{ print $1, $2 + (i == 2) * $3 + (i == 3) * $4 + (i == 4 && $1 ~ /g$/) * 2400 }' \
		>"$i.folded" <<-END
		main;a 3000 0 900
		main;b 2500 0 0
		main;c 1010 -30 0
		main;d 1000 30 0
		main;e 505 -15 0
		main;f 500 15 0
		main;g 400 0 0
	END
	hotdrift add "$i.folded" --target serve --recorded "2026-11-2${i}T10:00:00Z" --commit none >/dev/null
done
mask() { sed 's/-[0-9a-f]\{8\}$/-XXXXXXXX/'; }
hotdrift show latest~2 --against last | mask
hotdrift show latest~1 --against last | mask
hotdrift show latest~2 --against last --json | grep -E '"(set|order)_|cost_of|"symbol": "c"' |
	sed 's/-[0-9a-f]\{8\}"/-X"/; s/"linkage.*//'
hotdrift query --csv --name set-changes serve | cut -d, -f 4,5,7-10
hotdrift query --csv --name order-shifts serve | cut -d, -f 3-5

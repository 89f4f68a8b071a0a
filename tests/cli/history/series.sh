# history prints statistics of CSV files over the commits: latency changes at the ninth, energy does not
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	slow=0
	[ "$i" -lt 9 ] || slow=200
	printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n' >lat.csv
	for k in 1 2 3 4 5 6 7 8 9 10; do echo "$k,$((1000 + slow + i * k % 7)),100,128"; done >>lat.csv
	printf 'timestamp_us,watts\n0,40\n1000000,%d\n2000000,40\n' "$((41 + i % 2))" >pow.csv
	printf 'serve;main;parse_row 30\nserve;main;decode 20\n' >x.folded
	hotdrift add x.folded --latency lat.csv --power pow.csv --target serve --commit "$(printf '%02d%038d' "$i" 0)" \
		--recorded "2026-10-$(printf %02d "$i")T12:00:00Z" >/dev/null 2>&1
done
hotdrift history --series p99 -n 7
hotdrift history --series joules -n 2
hotdrift history --series latency:wall_time_us:mean -n 1 --csv
hotdrift history --series wall_time_us:n -n 1 --json | sed 's/-[0-9a-f]\{8\}"/-XXXXXXXX"/g' | tail -n 14
hotdrift history --series watts:p77 2>&1 | cut -c 1-140

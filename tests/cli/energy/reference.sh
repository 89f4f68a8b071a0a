# energy agrees with awk, which applies the trapezoidal rule to the same rows
awk 'BEGIN {
	srand(5)
	print "timestamp_us,watts"
	for (i = 0; i < 2000; i++) printf "%d,%.3f\n", rand() * 6e7, 40 + 30 * rand()
}' > p.csv
tail -n +2 p.csv | sort -t , -s -k 1,1n | awk -F , '
	NR > 1 { joules += ($1 - t) / 1e6 * ($2 + w) / 2 }
	{ t = $1; w = $2; sum += w; if (w > peak) peak = w; if (NR == 1) first = t }
	END { printf "%.9g %.9g %.9g %.9g %d\n", joules, sum / NR, peak, (t - first) / 1e6, NR }' > want
hotdrift energy --json p.csv 2> warnings |
	jq -r '[.total_joules, .mean_watts, .peak_watts, .duration_s, .n_samples] | @tsv' |
	awk '{ printf "%.9g %.9g %.9g %.9g %d\n", $1, $2, $3, $4, $5 }' > got
cmp want got && echo agree

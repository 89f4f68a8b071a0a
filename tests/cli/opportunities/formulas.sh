# impact, Wilson's intervals, confidence and score equal those that awk computes; the impacts add up to 100 %
# shellcheck source=/dev/null
. "$(dirname "$0")/matrix.inc"
matrix
hotdrift opportunities --db h.db -n 0 --csv --skip none --hot 2 --weights cpu=6,memory=3,syscall=1 >got.csv
hotdrift opportunities --db h.db -n 0 --json --skip none --hot 2 --weights cpu=6,memory=3,syscall=1 |
	sed -n 's/.*"reason": "cold".*"impact_pct": \([0-9.]*\), "examples.*/cold \1/p' >cold
awk -F '\t' -v hot=2 '
	function wilson(k, n, sign,	p, z, root) {
		p = k / n; z = 1.959963984540054
		root = sqrt(p * (1 - p) / n + z * z / 4 / n / n)
		return 100 * (p + z * z / 2 / n + sign * z * root) / (1 + z * z / n)
	}
	BEGIN { w["cpu"] = 6; w["memory"] = 3; w["syscall"] = 1 }
	{ cost[$3, $4] = $5; whole[$3] += $5; cell[$3] = $1 "\t" $2; symbols[$4]; runs[$1 "\t" $2]
	  if (!($3 in seen)) { seen[$3]; n[$1 "\t" $2]++ } }
	END {
		for (c in n) { split(c, f, "\t"); sum[f[1]] += w[f[2]] }
		for (t in sum) targets++
		for (s in symbols) {
			impact = best = 0; split("", mode)
			for (c in n) {
				split(c, f, "\t"); mean = 0
				for (r in cell) if (cell[r] == c) mean += 100 * cost[r, s] / whole[r] / n[c]
				m[c] = mean
				mode[f[2]] += w[f[2]] / sum[f[1]] / targets * mean
			}
			for (x in mode) { impact += mode[x]; if (mode[x] > best) { best = mode[x]; main = x } }
			ht = nt = hr = nr = 0
			for (c in n) { split(c, f, "\t"); if (f[2] != main) continue; nt++; ht += m[c] >= hot }
			for (r in cell) {
				split(cell[r], f, "\t")
				if (f[2] != main) continue
				nr++; hr += 100 * cost[r, s] / whole[r] >= hot
			}
			confidence = 100 * (ht / nt + hr / nr) / 2
			if (impact * confidence > 0)
				printf "%s %.4f %.4f %s %d %d %.4f %.4f %d %d %.4f %.4f %.4f\n",
					s, impact * confidence / 100, impact, main,
					ht, nt, wilson(ht, nt, -1), wilson(ht, nt, 1),
					hr, nr, wilson(hr, nr, -1), wilson(hr, nr, 1), confidence
		}
	}' cells.tsv | sort >want
awk -F , 'NR > 1 {
	gsub(/"/, "")
	printf "%s %.4f %.4f %s %d %d %.4f %.4f %d %d %.4f %.4f %.4f\n",
		$2, $6, $7, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22
}' got.csv | sort >got
# A rounded half may fall on either side.
paste -d ' ' want got | awk '
	{
		n = NF / 2
		for (i = 1; i <= n; i++) {
			d = $i - $(i + n)
			if ($i != $(i + n) && (d > 0.0002 || d < -0.0002 || d == 0)) { print "differs:", $0; next }
		}
		same++
	}
	END { print same, "symbols agree" }'
cut -d ' ' -f 1,4,5,6,9,10 got
awk -F , 'NR > 1 { sum += $7 } END { print sum }' got.csv | cat - cold |
	awk '{ sum += $NF } END { printf "%.3f\n", sum }'
# Each cell has two runs, and a draw takes one of them.  So the ends are the sums of the smaller and of the larger
# shares.  read_row has a cost only in cells of two runs.
awk -F '\t' '
	{ cost[$3, $4] = $5; whole[$3] += $5; cell[$3] = $1 "\t" $2 }
	END {
		for (r in cell) {
			v = 100 * cost[r, "read_row"] / whole[r]; c = cell[r]
			if (!(c in lo) || v < lo[c]) lo[c] = v
			if (v > hi[c]) hi[c] = v
		}
		s = "serve\tcpu"; l = "load\tcpu"
		printf "read_row %.4f %.4f\n", (6 / 9 * lo[s] + 6 / 7 * lo[l]) / 2, (6 / 9 * hi[s] + 6 / 7 * hi[l]) / 2
	}' cells.tsv
awk -F , '$2 == "\"read_row\"" { printf "read_row %.4f %.4f\n", $8, $9 }' got.csv

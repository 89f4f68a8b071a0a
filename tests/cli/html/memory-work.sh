# What a program allocates is compared per unit of work, too, if all runs know theirs: only `grown` allocates more.
at=10
for w in 10 20; do
	for run in 1 2 3 4 5; do
		at=$((at + 1))
		awk -v w=$w -v run=$run 'BEGIN {
			n = split("grown same other fourth", name)
			split(w * 10 " 100 90 80", bytes)
			printf "{ \"shared\": { \"frames\": ["
			for (i = 1; i <= n; i++) printf "%s{ \"name\": \"%s\" }", (i > 1 ? ", " : ""), name[i]
			printf "] }, \"profiles\": [{ \"type\": \"sampled\", \"name\": \"heap\", \"unit\": \"bytes\", "
			printf "\"startValue\": 0, \"endValue\": 9, \"samples\": ["
			for (i = 0; i < 4000; i++) printf "%s[%d]", i ? ", " : "", i % 4
			printf "], \"weights\": ["
			for (i = 0; i < 4000; i++) printf "%s%d", i ? ", " : "", w * bytes[i % 4 + 1] + run
			print "] }], \"$schema\": \"https://www.speedscope.app/file-format-schema.json\" }"
		}' >run.json
		hotdrift add run.json --db h.db --target serve --commit none --work $w \
			--recorded "2026-11-20T$at:00:00Z" >/dev/null 2>&1 || echo "status $?"
	done
done
hotdrift html --db h.db -o page.html >/dev/null 2>&1
grep -o '"c":\[[^"]*' page.html | sed -E 's/\[([0-9]+),[^]]*\]/\1/g; s/,$//; s/[]}]*$//'

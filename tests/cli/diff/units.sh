# costs of different units are printed each in its own, and their change is unknown; a folded file has any unit
profile() {	# UNIT COST-OF-PARSE
	cat <<JSON
{"\$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "main"},
{"name": "parse"}, {"name": "emit"}, {"name": "$1"}]}, "profiles": [{"type": "sampled", "name": "app", "unit": "$1",
"startValue": 0, "endValue": 1, "samples": [[0, 1], [0, 2], [0, 3]], "weights": [$2, 2000000, 1000000]}]}
JSON
}
profile bytes 3000000 >memory.json
profile nanoseconds 2000000 >waits.json
hotdrift diff waits.json memory.json
hotdrift diff --markdown memory.json waits.json 2>/dev/null
hotdrift diff --json waits.json memory.json 2>/dev/null |
	jq -c '.size_change_pct, (.symbols[] | [.symbol, .base_cost, .head_cost, .change_pct])' |
	sed 's/\.000000//g'	# jq 1.7 prints numbers as they were
hotdrift diff --csv waits.json memory.json 2>/dev/null
# gate, too, has no run to compare with, and says so of the run that was named
for i in waits memory; do
	hotdrift add $i.json --db h.db --target serve --mode $i --recorded 2026-11-20T10:00:00Z >/dev/null
done
hotdrift diff latest~1 latest --db h.db 2>&1 >/dev/null | sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/g'

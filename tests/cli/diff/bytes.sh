# bytes do not depend on the machine: a function that allocates as before has no change beside one that stopped
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
profile() {	# BYTES-OF-LEAK
	cat <<JSON
{"\$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "main"},
{"name": "leak"}, {"name": "parse"}, {"name": "emit"}, {"name": "hash"}]}, "profiles": [{"type": "sampled",
"name": "app", "unit": "bytes", "startValue": 0, "endValue": 1, "samples": [[0, 1], [0, 2], [0, 3], [0, 4]],
"weights": [$1, 4096, 2048, 1024]}]}
JSON
}
profile 1000000 >before.json
profile 1000 >after.json
hotdrift diff before.json after.json | sed -n '/^cost/,$p'
hotdrift add before.json --db h.db --target serve --recorded 2026-11-20T10:00:00Z >/dev/null
commit mended
hotdrift add after.json --db h.db --target serve --recorded 2026-11-20T11:00:00Z >/dev/null
hotdrift diff latest~1 latest --db h.db 2>/dev/null | sed -n '/^cost/,$p'

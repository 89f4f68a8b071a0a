# speedscope: a sample without a weight, or with a negative one, is dropped with a warning
profile() { # WEIGHTS SAMPLES
	printf '{"shared": {"frames": [{"name": "main"}, {"name": "f"}]}, "profiles": [{"type": "sampled", '
	printf '"name": "t", "unit": "none", "startValue": 0, "endValue": 9%s, "samples": %s}]}' "$1" "$2"
}
profile ', "weights": [5]' '[[0], [0, 1], [0]]' >short.json
profile ', "weights": [5, -3, 2]' '[[0], [0, 1], [0]]' >negative.json
profile ', "weights": [5, 7, 2]' '[[0], [9], [0, 1]]' >frame.json
profile '' '[[0], [0, 1]]' >none.json
for file in short negative frame none; do
	hotdrift fold $file.json
	hotdrift fold --strict $file.json >/dev/null 2>&1 || echo "strict: $?"
done

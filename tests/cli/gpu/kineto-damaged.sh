# a cut trace is read as far as it goes; the warning names the place, and --strict makes it an error
try() { status=0; hotdrift "$@" || status=$?; echo "status $status"; }
{
	printf '{"schemaVersion": 1, "traceEvents": [\n'
	i=0
	while [ $i -lt 2000 ]; do
		i=$((i + 1))
		printf '{"ph": "X", "cat": "kernel", "name": "k", "ts": %d, "dur": 1, ' $i$((i * 7919 % 1000 + 1000))
		printf '"args": {"device": 0, "stream": 7}},\n'
	done
	printf '{"ph": "X", "cat": "kernel", "name": "late"'
} > cut.json
try fold cut.json
try fold cut.json --strict
sed '20s/"dur": 1/"dur" 1/' cut.json > damaged.json
try fold damaged.json
sed '20s/"dur": 1/"dur": null/' cut.json | head -30 > one.json
try fold one.json
gzip -nc cut.json | head -c 1000 > cut.json.gz
hotdrift fold cut.json.gz 2>&1 | sed 's/^k [0-9]*/k N/; s/at byte [0-9]*/at byte N/'

# docs/json.md has a section for each JSON format in the sources, and names each member that these commands print
command -v jq >/dev/null || { echo "no jq" >&2; exit 77; }
tests=$(cd "$(dirname "$0")" && pwd)
top=$(readlink -f "$FIXTURES/..")
# shellcheck source=/dev/null
. "$tests/../gate/history.inc"
json() {	# NAME COMMAND...: store the JSON that the command prints; a negative result is no error
	name=$1
	shift
	"$@" >"out/$name.json" 2>err || [ $? = 1 ] || { cat err; echo "failed: $*"; }
}
mkdir out
usually >usual
sed 's/parse_row 1210/parse_row 1560/' usual >slow
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n1,100,0,0\n2,120,0,0\n3,130,0,0\n' >latency.csv
printf '%s\n' timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes 1,2,3,4,5 2,3,4,5,6 \
	>memory.csv
printf 'timestamp_us,watts\n0,1\n1000,2\n2000,3\n' >power.csv
printf 't_ns,source,domain,watts,joules_cum,stale\n%s\n' 1,nvml,gpu-0,20,,0 2,nvml,gpu-0,20,,0 >sources.csv
printf 'parse > 50 %%\nothers < 5 %%\n' >shares
printf '[hotdrift]\nresults = r\n[target app]\nbuild = make\nrun = app\n' >app.ini
echo '{"a": 1}' >a.json
echo '{"a": 2, "b": 3}' >b.json

# recordings
json top hotdrift top usual --json
json top-events hotdrift top "$FIXTURES/recordings/two-events/perf.data" --json
json top-skipped hotdrift top usual --skip 'parse*' --json
json report hotdrift report usual --json
json report-keys hotdrift report "$FIXTURES/recordings/calls/perf.data" --by pid,tid,cpu,line --json
json tree hotdrift report --tree usual --json
for form in callers callees peek; do
	json "$form" hotdrift report "--$form" parse usual --json
done
json functions hotdrift report -g graph usual --json
json bottlenecks hotdrift report usual --bottlenecks --json
json annotate hotdrift annotate "$FIXTURES/recordings/calls/perf.data" --symfs "$FIXTURES/recordings/calls/symfs" \
	/./ --json
json info hotdrift info usual --json
json info-perf hotdrift info "$FIXTURES/recordings/calls/perf.data" --json
json batch hotdrift analyze --batch -o batch usual
json expect hotdrift expect shares usual --json
json diff hotdrift diff usual slow --json

# runs
runs usual
commit slow
runs slow --work 100
json add hotdrift add usual latency.csv --db h.db --target measured --json
json acks hotdrift ack parse_row --db h.db --level 30 --reason checks --target serve
json acks hotdrift ack --list --db h.db --json
json gate hotdrift gate --db h.db --target serve --head slow --pin main --json
json drift hotdrift drift --db h.db --target serve main slow --json
json log hotdrift log --db h.db --json
json top5 hotdrift log --db h.db --top5 latest:serve --against latest:serve~1 --json
json show hotdrift show --db h.db latest:serve --against latest:serve~1 --json
json show-series hotdrift show --db h.db latest --json
json series hotdrift show --db h.db latest --series --json
json history hotdrift history --db h.db --target serve --json
json history-symbol hotdrift history parse_row --db h.db --target serve --json
json history-series hotdrift history --series p99 --db h.db --target measured --json
json query hotdrift query --db h.db 'SELECT id, status FROM run' --json
json opportunities hotdrift opportunities --db h.db --json
json merge hotdrift merge --db m.db h.db --json
json push hotdrift push --db h.db m.db --json
json prune hotdrift prune --db m.db --keep 1 --dry-run --json
json verify hotdrift verify --db h.db --json
hotdrift witness export latest:serve --db h.db -o run.jsonl
json witness hotdrift witness verify run.jsonl --json

# measurements and the rest
json stats hotdrift stats latency.csv --json
json stats-memory hotdrift stats memory.csv --json
json energy hotdrift energy power.csv --json
json energy-sources hotdrift energy sources.csv --json
json bench-inputs hotdrift bench --generate 20 --json -- cat -- cat
json hash hotdrift hash a.json --json
json explain hotdrift hash --explain a.json b.json --json
json target hotdrift target --file app.ini --json

{
	grep -rhoE 'hotdrift\.[a-z][a-z0-9_-]+' "$top/src" "$top/scripts" | sort -u |
		grep -vxE 'hotdrift\.(ini|fish|flame)' | sed 's/^/name /'	# names of files, and a format of text
	jq -r '.format as $format | "version \($format) \(.version)",
		([paths | map(if type == "number" then "[]" else "." + . end) | join("") | ltrimstr(".") |
			sub("(\\[\\])+$"; "")] | unique[] | "member \($format) \(.)")' out/*.json
} >list
awk -f "$tests/json-page.awk" "$top/docs/json.md" list

# symbols that micro-benchmarks cover have a column that names them
# shellcheck source=/dev/null disable=SC2154	# the file sets `commit`
. "$(dirname "$0")/matrix.inc"
matrix
hotdrift opportunities --db h.db -n 1 --json | sed -n 's/.*"benchmarks"/"benchmarks"/p'
cat >google.json <<'END'
{"context":{},"benchmarks":[
 {"name":"BM_decode/8","run_name":"BM_decode/8","run_type":"iteration","iterations":100,
  "real_time":20,"cpu_time":19,"time_unit":"ns"},
 {"name":"BM_decode/64","run_name":"BM_decode/64","run_type":"iteration","iterations":100,
  "real_time":80,"cpu_time":79,"time_unit":"ns"},
 {"name":"read_row/all","run_name":"read_row/all","run_type":"iteration","iterations":100,
  "real_time":20,"cpu_time":19,"time_unit":"ns"}]}
END
hotdrift add --benchmarks google.json --db h.db --target serve --commit "$commit" --recorded 2026-10-02T00:00:00Z \
	>/dev/null
hotdrift opportunities --db h.db
hotdrift opportunities --db h.db --csv -n 3 | cut -d , -f 2,24-
hotdrift opportunities --db h.db -n 1 --json | sed -n 's/.*"benchmarks"/"benchmarks"/p'

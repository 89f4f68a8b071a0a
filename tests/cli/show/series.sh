# show prints stored series: --csv prints the file that was added, JSON has its rows, and text the first rows
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,100.125,80,16\n1,120,90,32\n2,110,85,16\n3,1e17,85,64\n' \
	>latency.csv
printf 'timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\r\n' >memory.csv
printf '0,1000,0,0,0\r\n10,3000,0,0,0' >>memory.csv
printf '\357\273\277depth,"a ""b"",\033[31m",empty,v\n1,=cmd(),,0.5\n-2,"3",,-1e+3\n-0.5e-3,x,,007\n' >odd.csv
hotdrift add latency.csv memory.csv --series 'q=odd.csv' --db h.db --target serve --commit none \
	--recorded 2026-10-01T12:00:00Z \
	>/dev/null
for kind in latency memory other; do
	hotdrift show --db h.db --series=$kind --csv >$kind.out
done
cmp latency.csv latency.out && cmp memory.csv memory.out && cmp odd.csv other.out && echo "the same bytes"
hotdrift show --db h.db --series=wall_time_us --csv -o again.csv && cmp latency.csv again.csv &&
	echo "the same bytes by the name of a series"
hotdrift show --db h.db --series
hotdrift show --db h.db --series=latency -n 1
hotdrift show --db h.db --series=other --json | sed 's/-[0-9a-f]\{8\}"/-XXXXXXXX"/g'
# the rows in JSON are equal to those that awk reads from the file
hotdrift show --db h.db --series=latency --json | sed -n 's/^ *\[\([0-9].*\)\],*$/\1/p' | tr -d ' ' >rows
awk 'NR > 1' latency.csv | cmp - rows && echo "the same rows"
# the view v_series_csv lists the stored files with their checksums
hotdrift query --db h.db 'SELECT kind, first_series, series, samples, bytes FROM v_series_csv ORDER BY kind'
[ "$(hotdrift query --db h.db --csv "SELECT sha256 FROM v_series_csv WHERE kind = 'latency'" | tail -n 1)" = \
	"$(sha256sum <latency.csv | cut -d ' ' -f 1)" ] && echo "the view has the SHA-256 of the file"
try() { hotdrift show --db h.db "$@" 2>&1 | sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/g'; }
try --series --csv
try --series=nothing
try --csv
try --series --against last
printf 'main;a 1\n' >a.folded
hotdrift add a.folded --db h.db --target bare --commit none --recorded 2026-10-02T12:00:00Z >/dev/null
try latest:bare --series

# a column that was not measured is 0 in the CSV file, a note in the summary, and NULL in the database
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,100,0,0\n1,120,0,0\n' >latency.csv
printf 'timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n0,1000,0,7,0\n10,3000,0,0,0\n' \
	>memory.csv
printf 'setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,p95_latency_us,accuracy\n' \
	>results.csv
printf 'a,0,0,0,0,12,0\nb,0,0,0,0,0,0\n' >>results.csv
for f in latency memory results; do
	hotdrift stats $f.csv | sed -n 's/^not measured */not measured: /p'
	hotdrift stats --json $f.csv | grep not_measured
done
hotdrift stats --format markdown results.csv | grep 'not measured'
hotdrift add latency.csv memory.csv results.csv --db h.db --target serve --commit none --recorded 2026-10-01T12:00:00Z \
	>/dev/null
hotdrift query --db h.db "SELECT t.kind, t.name, t.samples, x.value AS mean FROM series t
	LEFT JOIN series_summary x ON x.run_id = t.run_id
	AND x.series = t.series AND x.stat = 'mean' ORDER BY t.series"
# the restored rows have the zeros of the file
hotdrift show --db h.db --series=latency --csv | cmp - latency.csv && echo same
# one value that is not 0 shows that the column was measured
printf '2,130,1,0\n' >>latency.csv
hotdrift stats latency.csv | sed -n 's/^not measured */not measured: /p'

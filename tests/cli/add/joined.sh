# a recording and its CSV files are one run, which keeps its selection, its work and its side
printf 'main;parse;read_row 30\nmain;decode 20\nother;idle 5\n' >a.folded
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n0,100,80,16\n1,120,90,16\n2,110,85,16\n3,300,85,16\n' >l.csv
printf 'timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n0,1000,1,2,3\n10,3000,1,2,3\n' \
	>m.csv
printf 'timestamp_us,watts\n0,10\n1000000,20\n2000000,30\n' >p.csv
printf 'setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,p95_latency_us,accuracy\n' >r.csv
printf 'a,1,2,3,4,5,6\nb,1,2,3,4,5,7\n' >>r.csv
printf 'depth,"a""; DROP TABLE run"\n1,2\n3,4\n' >q.csv
mask() {
	sed 's/nocommit-[0-9a-f]\{8\}/nocommit-XXXXXXXX/; s/"hash": "[0-9a-f]*"/"hash": "X"/
		s/^\(added\|hash\|follows\) .*/\1 X/'
}
hotdrift add a.folded l.csv m.csv r.csv --power p.csv --series 'my queue=q.csv' --work 2.5e3 --session 'job 7' \
	--side B --comm main --symbol read_row --symbol decode --weight samples --commit none \
	--recorded 2026-11-20T14:01:02Z --json | mask
hotdrift show | mask
hotdrift query --json 'SELECT p50_us, p95_us, p99_us, peak_rss_bytes, mean_rss_bytes, joules, mean_watts, peak_watts,
	top5, top5_pct, work,
	selection, session, side FROM v_run_summary'
hotdrift query "SELECT kind, name, unit, stat, value, lo, hi FROM v_series
	WHERE stat IN ('mean', 'joules', 'kv_cache_total') ORDER BY series, ordinal"
hotdrift verify
# series alone are a run, too
hotdrift add l.csv --commit none --recorded 2026-11-20T15:00:00Z | mask
hotdrift add l.csv --commit none --recorded 2026-11-20T15:00:00Z --once | mask
hotdrift log | mask
hotdrift query 'SELECT run_id IS NOT NULL AS run, event, top5, p99_us FROM v_run_summary WHERE event IS NULL'
# runs with different selections are not compared
hotdrift add a.folded --commit none --recorded 2026-11-20T16:00:00Z >/dev/null 2>&1
hotdrift show --against 20261120T1401 || echo "status $?"
hotdrift show --against last

# every CSV file in the results folder of a run has a table, however many there are
mkdir run
printf 'app;main;f 10\n' >run/perf.data
printf '{"mode": "cpu", "status": "ok", "target": "app"}' >run/run.json
for i in 1 2 3 4 5 12; do printf 'depth\n1\n2\n' >run/series-$i.csv; done
printf 'timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n1,1000,0,0,0\n2,2000,0,0,0\n' \
	>run/timeline.csv
hotdrift html run -o page.html
grep -o '<h3>[a-z0-9-]*.csv</h3>' page.html

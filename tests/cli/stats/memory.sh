# stats prints peak, mean and totals of a memory file, in addition to the columns
printf '%s\r\n' timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes \
	1000000,1048576,4096,100,0 2000000,3145728,8192,200,0 3000000,2097152,12288,300,0 > m.csv
hotdrift stats m.csv
hotdrift stats --json m.csv | jq -c '{peak_rss,mean_rss,kv_cache_total,activation_total}'
hotdrift stats --json m.csv | jq -c '.columns.kv_cache_bytes | {slope,intercept,r2,against}'

# stats handles the utilisation and the memory of two GPUs
cat > gpu.csv <<'EOF'
t_ns,device,util_pct,mem_util_pct,mem_used_bytes,mem_free_bytes,mem_total_bytes
1700000000000000000,0,10,2,1000,3000,4000
1700000000000000000,1,,,500,3500,4000
1700000000100000000,0,90,40,2000,2000,4000
1700000000100000000,1,,,500,3500,4000
EOF
hotdrift stats gpu.csv
hotdrift stats --json --column mem_used_bytes gpu.csv 2>warned | jq -c '.columns.mem_used_bytes | {n,mean,max}' 
# each device is a separate series in the database
hotdrift add gpu.csv --db h.db --commit none >/dev/null
hotdrift query --db h.db \
	"SELECT kind, name, unit, samples, value AS max FROM v_series WHERE stat = 'max' ORDER BY series"

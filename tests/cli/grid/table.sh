# grid prints the table and the criteria, handles missing measurements, and writes the files of --write
mkdir -p g/csv
cat > g/settings.csv <<'END'
setting,lambda,tau,status,run
mincut_l0.1_t8,0.1,8,ok,
baseline,,,ok,20261124T115241Z-61af233-37a38c15
mincut_l0.5_t8,0.5,8,ok,
mincut_l0.9_t8,0.9,8,failed,
END
latency=sample_id,wall_time_us,kernel_time_us,seq_len
memory=timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes
printf '%s\n0,100,90,64\n1,200,180,64\n2,100,90,64\n3,100,90,64\n' $latency > g/csv/baseline.csv
printf '%s\n0,90,90,64\n1,230,180,64\n2,90,90,64\n3,90,90,64\n' $latency > g/csv/mincut_l0.1_t8.csv
printf '%s\n0,50,45,64\n1,100,90,64\n2,50,45,64\n3,50,45,64\n' $latency > g/csv/mincut_l0.5_t8.csv
printf '%s\n1,4000,1000,0,0\n2,8000,1000,0,0\n3,4000,1000,0,0\n4,4000,1000,0,0\n' $memory > g/csv/baseline-memory.csv
printf '%s\n1,4000,900,0,0\n2,8000,900,0,0\n3,4000,900,0,0\n4,4000,900,0,0\n' $memory > g/csv/mincut_l0.1_t8-memory.csv
printf '%s\n1,4000,500,0,0\n2,6000,500,0,0\n3,4000,500,0,0\n4,4000,500,0,0\n' $memory > g/csv/mincut_l0.5_t8-memory.csv
code=0
hotdrift grid g --write --min-kv-reduction 5 --min-energy-reduction 5 || code=$?
echo "exit $code"
cat g/csv/results.csv g/csv/results-ci.csv
ls g/figs
hotdrift grid g --need one --max-p95 0 --min-kv-reduction 40
hotdrift grid g --format markdown --need one --max-p95 -60 || echo "exit $?"
hotdrift grid g --json --max-p95 20 | jq -c '.verdict, .criteria[], .settings[3], .not_measured'

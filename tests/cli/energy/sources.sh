# domains overlap; domains that are not added are listed with the reason
cat > s.csv <<'END'
t_ns,source,domain,watts,joules_cum,stale
1700000000000000000,intel-rapl,package-0,30,1000,0
1700000000000000000,intel-rapl,core,20,500,0
1700000000000000000,intel-rapl,dram,5,50,0
1700000000000000000,nvml,gpu-0,200,,0
1700000001000000000,intel-rapl,package-0,30,1032,0
1700000001000000000,intel-rapl,core,20,521,0
1700000001000000000,intel-rapl,dram,5,55,0
1700000001000000000,nvml,gpu-0,200,,1
1700000002000000000,intel-rapl,package-0,40,1067,0
1700000002000000000,intel-rapl,core,22,542,0
1700000002000000000,intel-rapl,dram,5,60,0
1700000002000000000,nvml,gpu-0,300,,0
END
hotdrift energy s.csv
hotdrift energy --json s.csv |
	jq -c '{total_joules,mean_watts,peak_watts,duration_s,n_samples,method,counter_joules,disagreement_pct}'

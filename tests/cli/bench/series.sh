# CSV files that a run writes become values of this run
cat >run.sh <<'END'
printf 'sample_id,wall_time_us,kernel_time_us,seq_len\n1,10,1,5\n2,20,2,5\n3,30,3,5\n' >latency.csv
printf 'timestamp_us,watts\n0,10\n1000000,10\n' >power.csv
END
hotdrift bench -r 3 --json --series latency.csv --series power.csv -- sh run.sh |
	jq -c '.metrics | to_entries[4:][] |
		[.key, .value.unit, .value.sides[0].n, .value.sides[0].mean, .value.sides[0].cv]'
hotdrift bench -r 3 --series power.csv -- sh run.sh | grep -oE ' (joules|mean_watts|peak_watts)$'
# a run fails if its CSV file is missing or invalid
status=0; hotdrift bench -r 1 -w 0 --series other.csv -- sh run.sh >out || status=$?
grep '^failed' out; echo "status $status"
status=0; hotdrift bench -r 1 -w 0 --series bad.csv -- sh -c ': >bad.csv' >out || status=$?
grep '^failed' out; echo "status $status"

# fewer than two samples give 0 J over 0 s and a message
e() { printf %b "$1" | hotdrift energy --json - | jq -c '{total_joules,duration_s,mean_watts,n_samples,status}'; }
e 'timestamp_us,watts\n'
e 'timestamp_us,watts\n7,12.5\n'
e 'timestamp_us,watts\n7,12.5\n7,13.5\n'
printf 'timestamp_us,watts\n7,12.5\n' | hotdrift energy -

# bench prints units of work per second: N divided by the mean time, and its interval
hotdrift bench -r 4 --throughput elements=5000 --json -- true >bench.json
jq -c '.throughput | [.unit, .per_run]' bench.json
jq -c '(.throughput.sides[0].per_second * .metrics.wall_time_us.sides[0].mean / 5000e6 - 1 | fabs) < 1e-9,
	(.throughput.sides[0].ci[0] * .metrics.wall_time_us.sides[0].ci.mean[1] / 5000e6 - 1 | fabs) < 1e-9' bench.json
hotdrift bench -r 3 --throughput bytes=1e9 -- true -- true | grep -cE '(base|head): .*B/s \(.*B/s \.\. .*\)$'
for bad in 5 elements elements= elements=0 bytes=-1 items=5 bytes=nan; do
	status=0; hotdrift bench --throughput "$bad" -- true || status=$?; echo "status $status"
done

# --time repeats the runs until the time is used up, at least five times or as often as --runs requires
runs() { hotdrift bench --json "$@" -- true | jq -c '[.warmup, .metrics.wall_time_us.sides[0].n]'; }
runs --time 0
runs --time 0 --runs 3
runs --time 0.000001 --warmup-time 0.000001 -w 2
status=0; hotdrift bench --time soon -- true || status=$?; echo "status $status"
status=0; hotdrift bench --warmup-time 1e7 -- true || status=$?; echo "status $status"

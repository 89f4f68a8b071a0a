# --sizes runs the command for each size and fits the growth of the time.  The command waits for as many milliseconds as
# its size, because a wait takes hardly longer on a busy machine, and a computation many times longer.
wait='sleep $(($1 / 1000)).$(printf %03d $(($1 % 1000)))'
hotdrift bench -r 3 -w 0 --sizes 1,100,400,1000 --throughput 'elements={size}' --json --csv sizes.csv \
	--html sizes.html -- sh -c "$wait" x '{size}' >sweep.json
jq -c '[.format, .version, .swept, (.values | length)]' sweep.json
jq -c '.values[] | [.value, .bench.format, .bench.sides[0].command[-1], .bench.throughput.per_run]' sweep.json
jq -c '.growth[] | [.side, .order != "O(1)", (.candidates | length), .r2 > 0.5, .base_us >= 0, .factor_us > 0,
	.p < 0.01]' sweep.json
jq -c '.line[] | [.side, .slope_us > 0, .n]' sweep.json
cut -d , -f 1-3 sizes.csv | sort -u | sort -n
grep -c '<details class="session">' sizes.html
work='i=0; while [ $i -lt $1 ]; do i=$((i+1)); done'
# with --iterations, the slope of a line is the time of one iteration
hotdrift bench -r 3 --iterations 1,100000,200000 -- sh -c "$work" x '{iterations}' | sed -E 's/ [0-9].*/ TIME/' |
	grep -E '^(line|run) '
# the growth is fitted for each of two commands
hotdrift bench -r 2 --sizes 1,2,3 --base "printf {size}" --head "printf {size}" |
	grep -oE '^(base|head|growth) +(printf .*|base: O|head: O)'
# invalid lists of sizes, and a list of two
for bad in '' 0 1,1 1,,2 1.5 -3 1e30 x; do
	status=0; hotdrift bench --sizes "$bad" -- echo '{size}' || status=$?; echo "status $status"
done
status=0; hotdrift bench --sizes 1,2 --iterations 1,2 -- echo '{size}' || status=$?; echo "status $status"
status=0; hotdrift bench --sizes 1,2 -- echo '{iterations}' || status=$?; echo "status $status"
hotdrift bench -r 2 -w 0 --sizes 5,7 -- echo '{size}' | grep '^growth'
# the exit status is that of a command that fails for one size
status=0; hotdrift bench -r 1 -w 0 --sizes 1,2 -- sh -c 'exit $(({size} - 1))' >out ||
	status=$?; grep -c failed out; echo "status $status"

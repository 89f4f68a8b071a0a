# a constant power given by the user; the command has our input and output, and exits with 0
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
printf 'a line\n' | hotdrift sample --power=constant:20 -o out -- sh \
	-c 'read -r line; echo "read $line"; echo error >&2' 2>err
sed -E 's/J, mean/J, mean/; s/power   [0-9.]+ J/power   E J/' err | steady
ls out
head -n 1 out/power.csv
jq -c '{format, mean_watts, peak_watts, method, status, product: ((.total_joules - 20 * .duration_s) | fabs < 1e-9),
	domain: .domains[0] | {source, domain, method, wraps, quantity, counted}}' out/power.json
jq -c '{format, command, pid, status, exit_status, signal, interval_s, files, not_read}' out/sample.json
# the values equal those of 'energy'
hotdrift energy --json out/power.csv | jq -S 'del(.domains[].wraps, .domains[].quantity)' >a
jq -S 'del(.domains[].wraps, .domains[].quantity)' out/power.json | cmp - a && echo the same
# the first row is at the start and the last one at the end
awk -F, 'NR == 2 { from = $1 } { to = $1 } END { printf "%.0f\n", to - from }' out/power.csv | tr -d '\n' >span
jq '.duration_s * 1e9 | round' out/sample.json |
	awk -v span="$(cat span)" '{ d = $1 - span; print (d < 0 ? -d : d) < 2000 ? "whole" : "not whole" }'

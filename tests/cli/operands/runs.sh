# a run, a commit and `latest` are accepted wherever a recording is; an existing file wins
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
export HOTDRIFT_DB=h.db
usually >usual
runs usual
git tag v1
commit slow
sed 's/parse_row 1210/parse_row 1560/' usual >slow
runs slow
echo '== one run: the stored list, as show prints it'
hotdrift top latest | sed 1d
hotdrift show latest | mask | grep -A5 rank | head -6
echo '== the runs of two commits'
hotdrift diff HEAD~1 HEAD --symbol parse_row | mask | head -7
echo '== each command that reads a recording'
hotdrift flame latest -o latest.svg && grep -o '<title>[^<]*' latest.svg | head -1 | mask
hotdrift fold v1 | grep -c .
hotdrift fold HEAD | grep parse_row
hotdrift report v1 --by symbol -n 2 2>&1 | mask
hotdrift info latest | mask | head -2
hotdrift analyze latest~1 -o files >/dev/null && find files -type f -printf '%f\n' | sort | head -3
hotdrift convert latest --to pprof -o x.pb.gz && wc -c <x.pb.gz | grep -c '^[1-9]'
hotdrift diff run:latest v1 -n 1 | mask | head -3
echo '== runs by their ids, added up'
hotdrift fold "$(hotdrift query --csv 'SELECT run_id FROM run ORDER BY id LIMIT 2' | sed 1d | tr -d '"' | paste -sd,)" |
	grep parse_row
echo '== a file of that name wins'
cp usual latest
hotdrift top latest -n 1
rm latest
echo '== what is neither is an error'
status hotdrift top v1.0
status hotdrift flame nowhere
status hotdrift top HEAD~9
status hotdrift top latest --target serve --pid 3

# a process that runs already: until it ends
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
sh -c 'while ! [ -d out ]; do :; done' &
s=0
hotdrift sample --memory --power=constant:5 --pid $! -o out 2>err || s=$?
wait
grep -q pidfd_open err && { echo "no pidfd_open" >&2; exit 77; }
echo "status $s"
sed -n 's/process [0-9]*: .*/process N/p' err
jq -c '{command, status, exit_status, has_pid: (.pid > 0)}' out/sample.json

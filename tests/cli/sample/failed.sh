# if the command fails, the measured values are kept, and the exit status is 6
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
try() {	# COMMAND
	s=0
	hotdrift sample --power=constant:1 --memory -o out -- "$@" 2>err || s=$?
	echo "status $s"
	grep -v '^power\|^memory\|^cost\|^files' err | steady
	[ ! -e out ] || jq -c '{status, exit_status, signal}' out/sample.json
	rm -rf out
}
try sh -c 'exit 3'
try sh -c 'kill -KILL $$'
try /nowhere/app --option
try ./lib.sh
# a signal is sent to the command, which decides how to end
try sh -c 'trap "echo it has the signal; exit 9" TERM; kill -TERM $PPID; while :; do sleep 0.01; done'
try sh -c 'trap "" INT; kill -INT $PPID; exit 0'

# a command that fails: what was sampled is kept, and the exit is 6
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
# interrupted: the signal goes to the command, which decides
try sh -c 'trap "echo it has the signal; exit 9" TERM; kill -TERM $PPID; while :; do sleep 0.01; done'
try sh -c 'trap "" INT; kill -INT $PPID; exit 0'

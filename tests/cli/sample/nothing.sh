# if nothing can be measured, the command is not run
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
say() {	# OPTIONS
	s=0
	hotdrift sample "$@" -o out -- sh -c 'echo it ran; touch ran' 2>&1 |
		sed "s|$PWD|PWD|g; s|such file or directory|such file|g" || s=$?
	[ ! -e ran ] && [ ! -e out ] && echo 'not run, no folder'
}
say --power
say --gpu
say --power=rapl,battery --gpu
# sources that exist but have invalid contents
zone intel-rapl:0 package-0 'not a number' 10000000
say --power
zone intel-rapl:0 package-0 5 0
say --power=rapl
# memory can be measured, so the command runs
s=0
hotdrift sample --power --memory -o out -- echo 'it runs' 2>err || s=$?
echo "status $s"
sed "s|$PWD|PWD|g" err | grep -v '^sample\|^memory\|^cost'
jq -c '.not_read[] | {what, state}' out/sample.json
ls out

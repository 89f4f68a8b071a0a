# setup runs once, prepare and conclude around each run, and cleanup once, also after a failure
hotdrift bench -r 2 -w 1 --shell --setup 'echo setup >>log' --prepare 'echo prepare >>log' \
	--conclude 'echo conclude >>log' \
	--cleanup 'echo cleanup >>log' 'echo run >>log' >/dev/null
cat log
rm log
status=0
hotdrift bench -r 2 -w 0 --shell --cleanup 'echo cleanup >>log' 'exit 4' >/dev/null || status=$?
echo "status $status"; cat log
# each run reads the same input, and its output is not part of ours
echo 'from the file' >in
hotdrift bench -r 2 --input in --shell 'read x; echo "$x" >seen; echo printed; echo error >&2' |
	grep -cE 'printed|error' || :
cat seen

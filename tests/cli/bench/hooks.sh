# setup once, prepare and conclude around each run, cleanup once, also after a failure
hotdrift bench -r 2 -w 1 --shell --setup 'echo setup >>log' --prepare 'echo prepare >>log' \
	--conclude 'echo conclude >>log' \
	--cleanup 'echo cleanup >>log' 'echo run >>log' >/dev/null
cat log
rm log
status=0
hotdrift bench -r 2 -w 0 --shell --cleanup 'echo cleanup >>log' 'exit 4' >/dev/null || status=$?
echo "status $status"; cat log
# the input of each run; nothing of what it prints is in our output
echo 'from the file' >in
hotdrift bench -r 2 --input in --shell 'read x; echo "$x" >seen; echo printed; echo error >&2' |
	grep -cE 'printed|error' || :
cat seen

# the command line of a run may have the maximum length of the system
mkdir run
printf 'app;main;f 10\n' >run/perf.data
awk 'BEGIN { printf "{\"mode\": \"cpu\", \"status\": \"ok\", \"target\": \"ld\", \"command\": [\"ld\""
	for (i = 0; i < 20000; i++) printf ", \"%0100d\"", i
	print "]}" }' >run/run.json
hotdrift html run -o page.html
echo "status $?"
grep -o '<section class="mode"[^>]*>' page.html

# speedscope: our own files name their events; for other files, a warning reports events that are added up
cat >text <<'END'
app 10/10 1.000000:     2000000 cpu-clock: 
	            1000 main+0x10 (/usr/bin/app)

app 10/10 2.000000:     3000000 task-clock: 
	            1000 main+0x10 (/usr/bin/app)

app 10/11 3.000000:     4 page-faults: 
	            1000 main+0x10 (/usr/bin/app)

END
hotdrift convert text --to speedscope -o own.json
jq -c '.profiles[] | [.name, .unit, .hotdrift]' own.json
hotdrift top own.json | grep '1 sample,'
hotdrift fold --event task-clock own.json
# another program has no member `hotdrift`
jq 'del(.profiles[].hotdrift)' own.json >other.json
hotdrift top other.json | grep 'samples\?,'
jq '.profiles |= map(.unit = "none") | .profiles[0].name = "app -- Dr" | .profiles[1].name = "app -- Dw"' \
	other.json >exported.json
hotdrift fold exported.json
# threads of one event
jq '.profiles |= map(.unit = "none") | .profiles[0].name = "thread 1" | .profiles[1].name = "thread 2"' \
	other.json >threads.json
hotdrift fold threads.json

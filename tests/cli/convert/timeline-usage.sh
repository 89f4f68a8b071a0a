# a timeline needs a GPU capture, or samples with times; that of a capture is selected by time, pid and tid
try() { status=0; hotdrift convert "$@" || status=$?; echo "status $status"; }
printf 'a;b 3\n' > folded.txt
try folded.txt --to chrome
try folded.txt --to perfetto -o out.pftrace
ls out.pftrace || :
try - --to chrome < folded.txt
try trace.json --to chrome
# a cut capture is written as far as it goes, and an error with --strict
printf '[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"args":{"device":0,"stream":7}},{"ph"' > cut.json
try cut.json --to chrome
try cut.json --to chrome --strict
try cut.json --to chrome --event gpu-kernels
# through a pipe
try - --to chrome --strict <cut.json
# a selection without a match is an error; a capture without anything is a warning
try cut.json --to chrome --time 5,6 -o none.json
try cut.json --to perfetto --pid 4711 -o none.json
echo '{"schemaVersion":1,"traceEvents":[]}' >empty.json
try empty.json --to chrome -o empty.out
ls none.json || :
mkdir folder
try folder --to chrome

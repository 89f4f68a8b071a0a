# report prints trees of callers and of callees, in each form; a recursion counts once
calls="$FIXTURES/recordings/calls"
report() { hotdrift report "$@" --symfs "$calls/symfs" "$calls/perf.data"; }
report --callers recurse
report --callees '*pointer'
report --callees recurse --max-depth 2
report --callers work --no-children --percent-limit 20
report --callers work --format markdown --nodefraction 0.3
report --callees /^recurse$/ --csv
report --callers recurse --json
# -g none, as in perf, is the report without trees
report --sort symbol >plain
report -g none,0.5,caller --sort symbol | cmp - plain
report -g graph,0.5,caller,function,period --max-depth 1 -n 1

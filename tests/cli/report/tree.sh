# report prints the whole call tree, and a tree for every function as perf report -g does
calls="$FIXTURES/recordings/calls"
report() { hotdrift report "$@" --symfs "$calls/symfs" "$calls/perf.data"; }
report --tree --percent-limit 10
report -g --percent-limit 30
report -g fractal,20,callee --no-children
report --call-graph=graph,10,caller --no-children
# names of the input are encoded, lines of the tree are not
printf '%s\n' 'app;main;a\x1b[31m;</script> 3' 'app;main;b|c;"d" 2' 'app;main 1' > names.folded
hotdrift report --tree names.folded
hotdrift report --tree --format markdown names.folded
hotdrift report --tree --csv names.folded

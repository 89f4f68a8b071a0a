# callers, the function and its callees, as pprof counts them: the caller of a recursion is not itself
calls="$FIXTURES/recordings/calls"
hotdrift report --peek recurse --symfs "$calls/symfs" "$calls/perf.data"
hotdrift report --peek '*' -n 2 --json --symfs "$calls/symfs" "$calls/perf.data"
# an edge counts once per sample, wherever it is in the stack
printf '%s\n' 'app;main;f;g 3' 'app;main;f;g;f 4' > two.folded
hotdrift report --peek f two.folded

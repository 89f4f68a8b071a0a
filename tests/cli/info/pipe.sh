# info reads a recording that perf record wrote to a pipe, from a file and from a pipe
hotdrift info --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/pipe.data"
# shellcheck disable=SC2002	# a pipe, not a file
cat "$FIXTURES/recordings/calls/pipe.data" | hotdrift info --symfs "$FIXTURES/recordings/calls/symfs" - >a
hotdrift info --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/pipe.data" |
	sed '1s/ [^ ]*$/ -/' | cmp - a

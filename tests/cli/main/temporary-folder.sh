# input from a pipe is stored in TMPDIR while it is read, and removed afterwards
mkdir here
hotdrift fold - <"$FIXTURES/recordings/calls/pipe.data" >a --symfs "$FIXTURES/recordings/calls/symfs"
# shellcheck disable=SC2002	# a pipe, not a file
cat "$FIXTURES/recordings/calls/pipe.data" | TMPDIR=$PWD/here hotdrift fold \
	- --symfs "$FIXTURES/recordings/calls/symfs" >b
cmp a b
ls -A here
# shellcheck disable=SC2002	# a pipe, not a file
cat "$FIXTURES/recordings/calls/pipe.data" | TMPDIR=not-there hotdrift fold -

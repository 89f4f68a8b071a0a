# the same program recorded with -z, and through a pipe
hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/zstd.data"
echo
hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" - <"$FIXTURES/recordings/calls/pipe.data"

# recordings made with -z and through a pipe give the same result
hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/zstd.data"
echo
hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" - <"$FIXTURES/recordings/calls/pipe.data"

# info reads records that are compressed with zstd
hotdrift info --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/zstd.data"

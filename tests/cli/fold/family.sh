# fold handles a tree of forked processes; a semicolon in a thread name does not start a frame
hotdrift fold --symfs "$FIXTURES/recordings/family/symfs" --weight samples "$FIXTURES/recordings/family/perf.data"

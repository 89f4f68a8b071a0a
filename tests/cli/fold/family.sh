# a fork tree; a semicolon in a thread's name does not make a frame
hotdrift fold --symfs "$FIXTURES/recordings/family/symfs" --weight samples "$FIXTURES/recordings/family/perf.data"

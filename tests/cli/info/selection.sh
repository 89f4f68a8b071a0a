# samples that are not selected are counted
hotdrift info --symfs "$FIXTURES/recordings/family/symfs" --comm family "$FIXTURES/recordings/family/perf.data" |
	grep -e ^samples -e ^events

# --gpu-trace requires a recording with samples of the launch marker
family=$FIXTURES/recordings/family
hotdrift fold --symfs "$family/symfs" "$family/perf.data" --gpu-trace gpu.trace || echo "exit $?"
printf 'main;train 1\n' >folded.txt
hotdrift fold folded.txt --gpu-trace gpu.trace || echo "exit $?"

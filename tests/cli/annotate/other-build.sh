# a file of another build is not disassembled
calls=$FIXTURES/recordings/calls
mkdir -p root/opt/hd
cp "$(command -v hotdrift)" root/opt/hd/calls
hotdrift annotate --symfs root "$calls/perf.data" 2>log | sed 's/build-id is [0-9a-f]*/build-id is .../' | tail -n 30

# a speed-up that is wanted: PASS 0, FAIL 1, INCONCLUSIVE 3
work='i=0; while [ $i -lt $1 ]; do i=$((i+1)); done'
try() { status=0; hotdrift bench "$@" >out || status=$?; }
# a hundred times the work is not twice as fast, and a hundredth of it is, whatever else runs here
try -r 6 --min-speedup 2 -- sh -c "$work" slow 400000 -- sh -c "$work" fast 100
echo "$status $(grep -oE '^(PASS|FAIL|INCONCLUSIVE)' out)"
try -r 6 --min-speedup 2 -- sh -c "$work" fast 100 -- sh -c "$work" slow 400000
echo "$status $(grep -oE '^(PASS|FAIL|INCONCLUSIVE)' out)"
# one run a side decides nothing
try -r 1 --min-speedup 2 -- true -- true
echo "$status $(grep -oE '^INCONCLUSIVE|needs two runs of each at least$' out | tr '\n' ' ')"
# of two equal builds it is not said that one is a thousand times as fast
try -r 3 --min-speedup 1000 -- true -- true
echo "$status $(grep -oE '^(PASS|FAIL|INCONCLUSIVE)' out)"

# bench gives a verdict on a required speed-up, with the exit status: PASS 0, FAIL 1, INCONCLUSIVE 3
work='i=0; while [ $i -lt $1 ]; do i=$((i+1)); done'
try() { status=0; hotdrift bench "$@" >out || status=$?; }
# the loops differ by far more than the required factor, so that other load does not matter
try -r 6 --min-speedup 2 -- sh -c "$work" slow 400000 -- sh -c "$work" fast 100
echo "$status $(grep -oE '^(PASS|FAIL|INCONCLUSIVE)' out)"
try -r 6 --min-speedup 2 -- sh -c "$work" fast 100 -- sh -c "$work" slow 400000
echo "$status $(grep -oE '^(PASS|FAIL|INCONCLUSIVE)' out)"
# one run per side is not enough for a verdict
try -r 1 --min-speedup 2 -- true -- true
echo "$status $(grep -oE '^INCONCLUSIVE|needs two runs of each at least$' out | tr '\n' ' ')"
# for two equal builds, a required speed-up of 1000 is never a PASS
try -r 3 --min-speedup 1000 -- true -- true
echo "$status $(grep -oE '^(PASS|FAIL|INCONCLUSIVE)' out)"

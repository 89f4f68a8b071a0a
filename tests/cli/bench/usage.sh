# invalid options are rejected before any command runs
try() { status=0; hotdrift bench "$@" || status=$?; echo "status $status"; }
try
try --base a
try --base a --head b -- c
try --base-dir . -- true
try --base 'a "b' --head c
try -- a -- b -- c
try -- a --
try --runs 0 -- true
try --min-speedup fast -- true -- true
try --min-speedup 0 -- true -- true
try --max-cv -1 -- true
try --tolerance nan -- true -- true
try --timeout 0 -- true
try --base-dir no-such-folder --head-dir . -- true
try --profile results --freq 0 -- true

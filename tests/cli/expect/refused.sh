# expect rejects files with invalid or no expectations, and options that exclude each other
try() { hotdrift expect "$@" 2>&1 || echo "status $?"; }
printf 'main;f 3\n' >a.folded
printf 'f > 5 %%\n\ng about 5 %%\n' >bad
printf 'f > 5 %%\n' >good
printf 'event cycles\nf > 5 %%\n' >cycles
try bad a.folded
try nowhere a.folded
try cycles a.folded
try good a.folded --tolerance x
try good a.folded --store
try good a.folded --run latest
try good a.folded --json --markdown
try --store
try good
hotdrift add a.folded --commit none --recorded 2026-10-01T12:00:00Z >/dev/null
try
try good a.folded

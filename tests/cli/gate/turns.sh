# only sessions with runs of both sides are compared, because the machine may have been faster at another time
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
usually >usual
awk '{ $NF = int($NF * 1.5); print }' usual >slower-machine
runs usual --session quiet
runs slower-machine --session busy
commit head
runs slower-machine --session busy
status hotdrift gate --db h.db
# runs that are named one by one are compared as they are
ids=$(hotdrift query --db h.db --csv "SELECT run_id FROM run ORDER BY id" | tail -n +2 | tr -d '"')
base=$(echo "$ids" | head -n 10 | paste -s -d ,)
status hotdrift gate --db h.db --base "$base" --head head | sed -n 's/.*\(10 runs\).*/\1/p; /^status/p'
# A function that is most of both profiles grew fourfold.  Runs in turns tell that it was this function.
echo "== one of two functions"
printf 'app;main;%s\n' 'parse 600' 'decode 800' >two
commit many main
runs two --session turns
commit grown many
sed 's/parse 600/parse 2400/' two >fourfold
made=$((made - 5))
# shellcheck disable=SC2034	# for runs
second=30
runs fourfold --session turns
status hotdrift gate --db h.db --base many
hotdrift diff many grown --target serve --db h.db
# the picture has the same change
hotdrift flame --base many grown --db h.db --target serve -o change.svg 2>&1 | sed 's/^/flame: /'
tr '\n' ' ' <change.svg | grep -oE '<title>(parse|decode) [^<]*</title><rect class="[a-z0-9]*"' | sed 's/ x=.*//'
# so has the history
hotdrift history --target serve --db h.db

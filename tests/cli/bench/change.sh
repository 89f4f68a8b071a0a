# a change is compared with the noise threshold; a single build is compared with its last stored runs
work='i=0; while [ $i -lt $1 ]; do i=$((i+1)); done'
hotdrift bench -r 4 --json -- sh -c "$work" slow 300000 -- sh -c "$work" fast 1000 | jq -c '[.noise, .change]'
hotdrift bench -r 4 --json --noise 1e9 -- sh -c "$work" slow 3000 -- sh -c "$work" fast 1000 |
	jq -c '[.noise, .change]'
hotdrift bench -r 4 --noise 1e9 -- true -- sh -c : | grep -oE ': within noise \(1e\+09 %\)$'
status=0; hotdrift bench --noise -1 -- true -- true || status=$?; echo "status $status"
# nothing is stored yet; then the stored runs are the last ones
git init -q -b main . && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m start
hotdrift bench -r 3 --add --db h.db --target app --json -- sh -c "$work" x 3000 | jq -c .last
hotdrift bench -r 2 --add --db h.db --target app --json --noise 1e9 -- sh -c "$work" x 3000 |
	jq -c '.last[] | [.side, .runs, .change, (.recorded | length), (.commit | length), .speedup.ratio > 0]'
hotdrift bench -r 2 --last --db h.db --target app --noise 1e9 -- sh -c "$work" x 3000 |
	grep -oE '^last |fast as the last 5 runs|within noise'
# another command, target, session or commit has other last runs
hotdrift bench -r 2 --last --db h.db --target app --json -- sh -c "$work" x 2 | jq -c .last
hotdrift bench -r 2 --last --db h.db --target lib --json -- sh -c "$work" x 3000 | jq -c .last
hotdrift bench -r 2 --add --session s2 --db h.db --target app -- sh -c "$work" x 3000 >/dev/null
hotdrift bench -r 2 --last --db h.db --target app --json -- sh -c "$work" x 3000 | jq -c '.last[].runs'
git -c user.name=t -c user.email=t@t commit -q --allow-empty -m next
hotdrift bench -r 3 --add --session s2 --db h.db --target app -- sh -c "$work" x 3000 >/dev/null
hotdrift bench -r 2 --last --db h.db --target app --json -- sh -c "$work" x 3000 | jq -c '.last[].runs'
status=0; hotdrift bench --last --db none.db -- true || status=$?; echo "status $status"

# bench runs the run line of a target in the folder of hotdrift.ini
mkdir -p app/sub
cat >app/hotdrift.ini <<'END'
[target app]
run = echo ran >>here; exit 0
[target sub]
run = test -e mark
dir = sub
[target build]
build = make
END
: >app/sub/mark
hotdrift bench -r 2 -w 0 --target app --ini app/hotdrift.ini --json | jq -c '.sides[0] | [.command, .dir, .runs]'
wc -l <app/here
cd app || exit
hotdrift bench -r 2 --target sub --json | jq -c '.sides[0].runs'
status=0; hotdrift bench --target build --ini hotdrift.ini || status=$?
status=0; hotdrift bench --target other --ini hotdrift.ini || status=$?
echo "status $status"

# the run line of a target, in the folder of the file
mkdir -p app/sub
printf '[target app]\nrun = echo ran >>here; exit 0\n[target sub]\nrun = test -e mark\ndir = sub\n[target build]\nbuild = make\n' >app/hotdrift.ini
: >app/sub/mark
hotdrift bench -r 2 -w 0 --target app --ini app/hotdrift.ini --json | jq -c '.sides[0] | [.command, .dir, .runs]'
wc -l <app/here
cd app || exit
hotdrift bench -r 2 --target sub --json | jq -c '.sides[0].runs'
status=0; hotdrift bench --target build --ini hotdrift.ini || status=$?
status=0; hotdrift bench --target other --ini hotdrift.ini || status=$?
echo "status $status"

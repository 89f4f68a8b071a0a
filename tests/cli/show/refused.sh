# a run that does not exist is bad input; runs that cannot be compared give status 4
printf 'main;f 1\n' >a.folded
hotdrift add a.folded --target a --recorded 2026-11-20T14:01:02Z >/dev/null
hotdrift add a.folded --target b --recorded 2026-11-21T14:01:02Z >/dev/null 2>&1
for run in nobody 2026 latest:c latest~7 'latest~x'; do
	hotdrift show "$run" 2>&1 || echo "status $?"
done
hotdrift show latest:b --against latest:a 2>&1 || echo "status $?"
hotdrift show latest:b --against last
hotdrift show latest:b --event cycles 2>&1 | sed 's/run [^ ]* has/run X has/'

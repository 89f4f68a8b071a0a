# selection by thread, function and object; a selection without samples is an error
fold() { hotdrift fold --weight samples --symfs "$FIXTURES/recordings/family/symfs" "$@" \
	"$FIXTURES/recordings/family/perf.data"; }
fold --comm 'grand child;1'
fold >all
fold --comm family --comm 'grand child;1' | cmp - all
for by in --symbol=burn --dso=family --dso=/opt/hd/family --no-kernel --event=cpu-clock \
	--event=cpu-clock:u '--time=0,'; do
	fold "$by" | cmp - all
done
fold --symbol main

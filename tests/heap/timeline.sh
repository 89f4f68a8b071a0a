# shellcheck shell=bash
# timeline.sh - test recordings of memory through time and of page faults; a part of run-heap.sh
#
#     classes.c      live bytes by class: exact; in a sampled recording, the peak within 7 %
#     staircase.c    resident memory, from each source
#     faults.c       page faults by function
# shellcheck disable=SC2154	# of run-heap.sh

profiled() {	# NAME OPTIONS... -- COMMAND...: write NAME.run and NAME.truth, and set $status
	local name=$1
	shift
	rm -rf "$name.results"
	HOTDRIFT=$hotdrift HOTDRIFT_HEAP_LIBRARY=$lib "$root/scripts/profile.sh" memory --no-db --results \
		"$name.results" \
		--result-path "$name.path" "$@" >"$name.out" 2>&1 9>"$name.truth"
	status=$?
	rm -rf "$name.run"
	[ "$status" != 0 ] || mv "$(cat "$name.path")" "$name.run"
}

rules=(--kv-cache 'kv_append*' --activation 'forward, forward_*' --temp-buffer 'scratch')

if build classes; then
	recorded 1 classes ./classes
	same_as_plain classes ./classes
	"${hotdrift_env[@]+"${hotdrift_env[@]}"}" "$hotdrift" timeline classes.heap "${rules[@]}" -o classes.csv \
		2>classes.err
	if awk -f "$sources/timeline.awk" classes.truth kind=classes classes.csv >classes.judged; then
		pass
	else
		fail "classes through time" "not what the program says"
		cat classes.judged classes.err
	fi
	# With samples every 4 KiB, the estimate of 8 MB is accurate to some percent.
	HOTDRIFT_HEAP_SEED=7 recorded 4096 classes ./classes
	"${hotdrift_env[@]+"${hotdrift_env[@]}"}" "$hotdrift" timeline classes.heap "${rules[@]}" -o classes.csv \
		2>classes.err
	if awk -F, \
		'NR > 1 && $3 > most { most = $3 } END { exit !(most > 0.93 * 14000000 && most < 1.07 * 14000000) }' \
		classes.csv; then
		pass
	else
		fail "classes through time, sampled" "estimates are far off"
		cat classes.csv classes.truth
	fi
else
	skip "classes through time" "it does not build here"
fi

build staircase
told() { awk -f "$sources/timeline.awk" staircase.truth kind=rss slack=$slack wait=$((pause * 750)) \
	staircase.run/memory.csv >staircase.judged; }
# shellcheck source=tests/clock.sh
. "$root/tests/clock.sh"
for how in statm rss_stat; do
	if [ $how = rss_stat ] && ! perf_has_our_clock; then
		skip "resident memory from $how" "$OTHER_CLOCK"
		continue
	fi
	slack=65536
	[ $how = rss_stat ] || slack=$((65536 + 655360 + 40 * 4096 * $(nproc)))
	# A busy machine can delay `hotdrift rss`, so that it misses a step, and perf, so that the kernel drops events.
	for pause in 80 400 2000; do
		profiled staircase --exact --rss $how -- ./staircase $pause
		if [ "$status" != 0 ] || told; then break; fi
	done
	if [ "$status" = 6 ] && grep -q -e '--rss rss_stat: ' staircase.out; then
		skip "resident memory from $how" "perf may not record kmem:rss_stat here"
	elif [ "$status" = 0 ] && told; then
		pass
	else
		fail "resident memory from $how" "not what the program says"
		cat staircase.judged staircase.out
	fi
done

build faults
for _ in 1 2 3; do	# a busy machine can delay perf, so that the kernel drops events
	profiled faults --faults -- ./faults
	grep -q 'the kernel dropped events' faults.out || break
done
if [ "$status" = 0 ]; then
	if awk '{ sum = $NF } /;touch_plainly/ { plainly += sum } /;touch_by_memset/ { memset += sum }
		END { exit !(plainly > 39200 && plainly < 40800 && memset > 19600 && memset < 20400) }' \
			faults.run/folded.txt; then
		pass
	else
		fail "page faults by function" "not 40000 and 20000 within 2 %"
		cat faults.run/folded.txt
	fi
else
	skip "page faults by function" "perf records none here: $(grep -m 1 'error:' faults.out)"
fi

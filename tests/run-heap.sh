#!/bin/bash
# run-heap.sh - record programs that print their own allocations, and compare the counts of every allocation site
#
#   tests/heap/*.c, *.cpp    programs; each prints its own counts (site.h), and its first comment says what it tests
#   tests/heap/truth.awk     the comparison: exact recordings must match to the byte
#
# A test is one program and one event.  Each program also runs without the recorder: output and exit status must be
# equal.
#
#   KEEP=DIR   keep programs, recordings and folded stacks in DIR
set -u
export LC_ALL=C
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite heap
root=$top lib=$O/libhotdrift-heap.so sources=$top/tests/heap

if [ -n "${KEEP:-}" ]; then
	dir=$KEEP
	mkdir -p "$dir" || exit 1
else
	temporary_folder
	dir=$tmp
fi
cd "$dir" || exit 1

if [ ! -e "$lib" ]; then
	skip "recording allocations" "libhotdrift-heap.so is for x86-64 and aarch64 Linux and was not built"
	finish
fi
case ${SAN:-} in
*address* | *thread* | *memory* | *leak*) hotdrift_env=(env "ASAN_OPTIONS=detect_leaks=0") ;;
*) hotdrift_env=() ;;
esac
if command -v gcc >/dev/null; then CC=gcc CXX=g++; else CC=${CC:-cc} CXX=c++; fi

# build NAME: compile a test program without frame pointers, because its stacks are harder to unwind
build() {
	case $1 in
	cxx) command -v $CXX >/dev/null && $CXX -std=gnu++17 -O2 -g -fomit-frame-pointer -pthread -I"$sources" -o cxx \
		"$sources/forms.cpp" ;;
	gaps)	# a program at a fixed address with gaps between its segments, like the program node
		$CC -std=gnu11 -D_GNU_SOURCE -O2 -g -fomit-frame-pointer -pthread -w -I"$sources" -no-pie \
			-Wl,-z,max-page-size=0x200000 \
			-Wl,-z,separate-code -o gaps "$sources/forms.c" -ldl ;;
	*) $CC -std=gnu11 -D_GNU_SOURCE -O2 -g -fomit-frame-pointer -pthread -w -I"$sources" -o "$1" "$sources/$1.c" \
		-ldl ;;
	esac >"$1.build" 2>&1
}

# recorded INTERVAL NAME COMMAND...: record into NAME.heap; the output is in NAME.out, the status in $status
recorded() {
	local interval=$1 name=$2
	shift 2
	rm -rf "$name.parts" "$name.heap"
	mkdir "$name.parts"
	HOTDRIFT_HEAP=$dir/$name.parts/r HOTDRIFT_HEAP_INTERVAL=$interval LD_PRELOAD=$lib${HEAP_BEHIND:+:$HEAP_BEHIND} \
		"$@" >"$name.out" 2>&1 9>"$name.truth"
	status=$?
	cat "$name.parts"/* >"$name.heap" 2>/dev/null
}

plainly() {
	local name=$1
	shift
	"$@" >"$name.plain" 2>&1 9>/dev/null
	plain_status=$?
}

folded() {	# NAME EVENT
	"${hotdrift_env[@]+"${hotdrift_env[@]}"}" "$hotdrift" fold --event "$2" "$1.heap" >"$1.$2" 2>"$1.err"
}

# judge NAME: compare each event for which there are TRUTH lines
judge() {
	local name=$1 event kind

	for event in leaked leaked-blocks allocated allocations peak peak-blocks temporary temporary-bytes; do
		case $event in
		leaked*) kind=leaked ;; alloc*) kind=allocated ;; peak*) kind=peak ;; *) kind=temporary ;;
		esac
		grep -q "^TRUTH $kind " "$name.truth" || continue
		folded "$name" "$event"
		if awk -f "$sources/truth.awk" "$name.truth" event=$event "$name.$event" >"$name.judged"; then
			pass
		else
			fail "$name: $event" "not what the program says"
			cat "$name.judged" "$name.err"
		fi
	done
}

is_as_plain() {	# NAME...
	local name=${1%% *}

	if [ "$status" = "$plain_status" ] && cmp -s "$name.out" "$name.plain"; then
		pass
	else
		fail "$1: the program is not changed" "status $status instead of $plain_status, or another output"
		diff "$name.plain" "$name.out" | head -n 10
	fi
}
same_as_plain() {	# NAME COMMAND...
	plainly "$@"
	is_as_plain "$1"
}

exact() {	# NAME [ARGUMENTS...]
	local name=$1
	shift
	if ! build "$name"; then
		skip "$name" "it does not build here: $(head -n 1 "$name.build")"
		return
	fi
	recorded 1 "$name" "./$name" "$@"
	same_as_plain "$name" "./$name" "$@"
	judge "$name"
}

exact forms
exact gaps
exact peak
exact resized
exact threads
exact cxx
exact processes
for plugin in a b; do
	size=11
	[ $plugin = a ] || size=22
	$CC -O2 -g -shared -fPIC -DWHO=plugin_$plugin -DSIZE=$size -o plugin_$plugin.so "$sources/plugin.c" ||
		fail plugins "the plugins do not build"
done
exact plugins ./plugin_a.so ./plugin_b.so
grep -q 'at one address' plugins.out || skip "plugins" "this system loads the second plugin elsewhere than the first"
# A killed process loses what was counted since the last write: 128 blocks, or an eighth of all.
build killed
recorded 1 killed ./killed 2>/dev/null
plainly killed ./killed 2>/dev/null
is_as_plain killed
folded killed leaked-blocks
blocks=$(awk '/;before[ ;]/ { n += $NF } END { print n + 0 }' killed.leaked-blocks)
if [ "$blocks" -ge $((5000 * 7 / 8 - 128)) ] && [ "$blocks" -le 5000 ]; then
	pass
else
	fail "killed" "$blocks of 5000 blocks are in its recording"
fi
# A process that is killed before the first write leaves a recording without allocations.
recorded 1 early sh -c 'kill -KILL $$' 2>/dev/null
if "$hotdrift" info early.heap >early.info 2>&1; then pass; else fail early "$(cat early.info)"; fi
# Neither a limit of the file size nor truncating the recording changes the program; the recorded part must be
# exact.
exact surviving 8000000 0
if [ "$status" = 7 ]; then pass; else fail surviving "it ended with status $status, not 7"; fi
recorded 1 surviving ./surviving 0 1
same_as_plain surviving ./surviving 0 1
judge surviving
recorded 1 surviving ./surviving 100000 0
same_as_plain surviving ./surviving 100000 0
folded surviving leaked-blocks
if grep -q 'because the recording had no room' surviving.err && grep -q ';kept ' surviving.leaked-blocks; then
	pass
else
	fail "surviving a limit of 100,000 bytes" "$(cat surviving.err)"
fi
recorded 1 surviving ./surviving 1000 0		# a limit of 1000 bytes, which is less than any recording needs
same_as_plain surviving ./surviving 1000 0
exact torture
exact jit
folded jit leaked
if grep -qxF "jit;[unknown] $((33 * $(cat jit.out)))" jit.leaked; then
	pass
else
	fail "jit: a frame pointer that is none ends the stack" "$(grep -E '^jit;[^;]*$' jit.leaked)"
fi

# ---- other allocators below the recorder

# The allocators of allocator.c, each with a property that must not break the recorder.
for property in STARTS LACKS; do
	other=$dir/$property.so
	if ! $CC -O2 -g -fno-builtin -shared -fPIC -D$property -o "$other" "$sources/allocator.c"; then
		fail "behind the recorder: an allocator that $property" "it does not build"
		continue
	fi
	for name in forms peak; do
		HEAP_BEHIND=$other recorded 1 "$name" "./$name"
		LD_PRELOAD=$other plainly "$name" "./$name"
		is_as_plain "$name with an allocator that $property"
		judge "$name"
	done
	# If an allocator lacks a function, its blocks have no trailers, and a warning reports that.
	expected=0
	[ $property = STARTS ] || expected=1
	if [ "$(grep -c 'lacks malloc_usable_size or memalign' peak.err)" = $expected ]; then
		pass
	else
		fail "the warning of an allocator that $property" "$(cat peak.err)"
	fi
done

for allocator in libjemalloc.so.2 'libmimalloc.so.[23]' libtcmalloc_minimal.so.4; do
	other=$(ldconfig -p 2>/dev/null | sed -n "s|.*$allocator .*x86-64.* => ||p" | head -n 1)
	if [ -z "$other" ]; then
		skip "behind the recorder: $allocator" "it is not installed (scripts/setup.sh --tests installs it)"
		continue
	fi
	for name in forms peak threads torture; do
		HEAP_BEHIND=$other recorded 1 "$name" "./$name"
		LD_PRELOAD=$other plainly "$name" "./$name"
		is_as_plain "$name with $allocator"
		judge "$name"
	done
	# The allocator's operator new does not call malloc, so its blocks are not recorded, and a warning reports that.
	HEAP_BEHIND=$other recorded 65536 cxx ./cxx
	"${hotdrift_env[@]+"${hotdrift_env[@]}"}" "$hotdrift" info cxx.heap >cxx.info 2>&1
	if grep -q 'defines operator new' cxx.info; then
		pass
	else
		fail "operator new of $allocator" "$(cat cxx.info)"
	fi
done

# Set-user-id programs are not recorded.
if [ "$(id -u)" = 0 ] && cp forms as_another && chown 65534 as_another && chmod 4755 as_another; then
	recorded 1 as_another ./as_another
	plainly as_another ./as_another
	is_as_plain as_another
	if [ ! -s as_another.heap ]; then
		pass
	else
		fail "a setuid program is left alone" "it was recorded"
	fi
else
	skip "a setuid program" "only root can make one of another user"
fi

# Mappings by the program are counted on request, in sampled recordings, too.
HOTDRIFT_HEAP_MMAP=1 exact maps
HOTDRIFT_HEAP_MMAP=1 recorded 65536 maps ./maps
same_as_plain maps ./maps
judge maps
folded maps leaked
if grep -q ';kept;.*mmap[^;]* 4096000$' maps.leaked; then
	pass
else
	fail "maps: the innermost frame is mmap" "$(grep ';kept' maps.leaked)"
fi
if build meanwhile && $CC -std=gnu11 -O2 -g -shared -fPIC -pthread -DBEHIND -o meanwhile.so "$sources/meanwhile.c"; then
	HOTDRIFT_HEAP_MMAP=1 HEAP_BEHIND=$dir/meanwhile.so recorded 1 meanwhile ./meanwhile
	same_as_plain meanwhile ./meanwhile
	judge meanwhile
else
	fail meanwhile "it does not build"
fi
recorded 1 maps ./maps
folded maps allocated
if grep -q ';kept' maps.allocated; then
	fail "maps are not counted unasked" "$(grep ';kept' maps.allocated)"
else
	pass
fi

# ---- estimates: many seeds of one program

seeds=${SEEDS:-60}
build storm
plainly storm ./storm
for interval in 65536 4096; do
	files=()
	for ((seed = 1; seed <= seeds; seed++)); do
		HOTDRIFT_HEAP_SEED=$((seed * 7919)) recorded $interval storm ./storm
		folded storm leaked
		mv storm.leaked "storm.leaked.$seed"
		files+=("storm.leaked.$seed")
	done
	if awk -v kind=leaked -v seeds="$seeds" -v interval=$interval -f "$sources/seeds.awk" \
		-f "$sources/estimates.awk" storm.truth "${files[@]}" >storm.judged; then
		pass
	else
		fail "estimates at $interval bytes" "they are biased, or their errors are not what is told"
		cat storm.judged
	fi
done
[ -z "${KEEP:-}" ] || cat storm.judged

# Adaptive sampling: every allocation is recorded at first; the interval is raised at once here, because samples may
# take 1 % of the time.
files=() largest=1 raised=0
for ((seed = 1; seed <= seeds; seed++)); do
	HOTDRIFT_HEAP_BUDGET=1 HOTDRIFT_HEAP_SEED=$((seed * 7919)) recorded 0 storm ./storm
	folded storm allocated
	mv storm.allocated "storm.allocated.$seed"
	files+=("storm.allocated.$seed")
	now=$(od -An -t u8 -j 40 -N 8 storm.heap)
	[ "$now" = 1 ] || raised=$((raised + 1))
	[ "$now" -le "$largest" ] || largest=$((now))
done
if [ "$raised" -gt $((seeds / 2)) ] &&
	awk -v kind=allocated -v seeds="$seeds" -v largest="$largest" -f "$sources/seeds.awk" \
	-f "$sources/adaptive.awk" storm.truth "${files[@]}" >storm.judged; then
	pass
else
	fail "adaptive estimates" \
		"they are biased or less accurate than reported, or only $raised of $seeds runs raised the interval"
	cat storm.judged
fi
[ -z "${KEEP:-}" ] || cat storm.judged
# The peak of a working set that is replaced all the time: the maximum of many estimates would be too high.
build peaks
for budget in '' 1; do
	# With a fixed interval, the seeds always give the same estimates.  An interval that is raised depends on the
	# clock: of 30 recordings, the error is more than 1.5 times as large as expected once in a million.
	if [ -n "$budget" ]; then least=0.5 most=2; else least=0.6 most=1.6; fi
	files=()
	for ((seed = 1; seed <= seeds / 2; seed++)); do
		HOTDRIFT_HEAP_BUDGET=$budget HOTDRIFT_HEAP_SEED=$((seed * 7919)) recorded 65536 peaks ./peaks
		"${hotdrift_env[@]+"${hotdrift_env[@]}"}" "$hotdrift" top --event peak --json peaks.heap \
			>"peaks.top.$seed" 2>/dev/null
		files+=("peaks.top.$seed")
	done
	if awk -v seeds=$((seeds / 2)) -v least=$least -v most=$most -f "$sources/peaks.awk" peaks.truth \
		"${files[@]}" >peaks.judged; then
		pass
	else
		fail "estimates of the peak${budget:+, adaptive}" \
			"they are biased, or their errors are not what is reported"
		cat peaks.judged
	fi
	[ -z "${KEEP:-}" ] || cat peaks.judged
done
# With enough time, the interval is not raised: each sample counts for itself, and the figures are exact.
HOTDRIFT_HEAP_BUDGET=100 recorded 0 peak ./peak
if [ "$(od -An -t u8 -j 40 -N 8 peak.heap | tr -d ' ')" = 1 ]; then
	judge peak
else
	skip "adaptive recordings begin with every allocation" \
		"the interval was raised, this machine is too busy or too fast"
fi
# The blocks are more than 24 times as large as the interval, so that a sampled recording has all of them.
HOTDRIFT_HEAP_SEED=7 recorded 32 resized ./resized
judge resized

# A sampled program behaves as without the recorder.
for name in forms threads torture; do
	recorded 4096 $name ./$name
	same_as_plain $name ./$name
done

# The recorder takes less than 256 KiB for a thread that allocates once.  Where transparent_hugepage is `always`, a
# careless mapping would take 2 MiB.
if build crowd; then
	./crowd 9>crowd.plain
	recorded 1 crowd ./crowd
	more=$((($(awk '{ print $2 }' crowd.truth) - $(awk '{ print $2 }' crowd.plain)) / 200))
	if [ "$status" = 0 ] && [ "$more" -lt 256 ]; then pass;
	else fail crowd "status $status; each thread takes $more KiB"; fi
else
	fail crowd "it does not build: $(head -n 1 crowd.build)"
fi

# Also in a stripped program, each stack must reach its root: _start, or the start of a thread.
if command -v strip >/dev/null && cp forms bare && strip bare; then
	recorded 1 bare ./bare
	"${hotdrift_env[@]+"${hotdrift_env[@]}"}" "$hotdrift" info bare.heap >bare.info 2>&1
	if grep -qE ' (100.00|99.9[0-9])% of them reach their root' bare.info; then	# one is deeper than 512 frames
		pass
	else
		fail bare "stacks of a stripped program do not reach their root"
		cat bare.info
	fi
else
	skip bare "there is no strip"
fi

# ---- the recorder on aarch64, in an emulator

cross=aarch64-linux-gnu-gcc emulator=qemu-aarch64-static sysroot=/usr/aarch64-linux-gnu
if command -v $cross >/dev/null && command -v $emulator >/dev/null && [ -e $sysroot/lib/ld-linux-aarch64.so.1 ]; then
	# The flags of the Makefile, and libhotdrift-heap.so from a separate build folder.
	if make -s -C "$root" O="$dir/aarch64" CC=$cross "$dir/aarch64/libhotdrift-heap.so" >aarch64.build 2>&1; then
		for name in forms peak threads torture jit; do
			$cross -std=gnu11 -D_GNU_SOURCE -O2 -g -fomit-frame-pointer -pthread -w -I"$sources" \
				-o "$name.aarch64" "$sources/$name.c" -ldl
			rm -rf "$name.parts"
			mkdir "$name.parts"
			$emulator -L $sysroot -E "LD_PRELOAD=$dir/aarch64/libhotdrift-heap.so" \
				-E "HOTDRIFT_HEAP=$dir/$name.parts/r" -E HOTDRIFT_HEAP_INTERVAL=1 \
				"./$name.aarch64" >"$name.out" 2>&1 9>"$name.truth"
			status=$?
			cat "$name.parts"/* >"$name.heap"
			$emulator -L $sysroot "./$name.aarch64" >"$name.plain" 2>&1 9>/dev/null
			plain_status=$?
			is_as_plain "$name on aarch64"
			judge "$name"
		done
	else
		fail "aarch64" "the recorder does not build: $(head -n 3 aarch64.build)"
	fi
else
	skip "the recorder on aarch64" \
		"Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user-static are not all installed"
fi
# shellcheck source=tests/heap/timeline.sh
. "$sources/timeline.sh"

# ---- other tools' formats

if command -v node >/dev/null && [ -f /usr/libexec/valgrind/dh_view.js ] &&
	[ -f "$root/../shared/programs/dh_load_check.js" ]; then
	"$hotdrift" convert forms.heap --to dhat -o forms.json 2>/dev/null
	if node "$root/../shared/programs/dh_load_check.js" /usr/libexec/valgrind/dh_view.js forms.json >dhat.out \
		2>&1; then
		pass
	else
		fail "convert --to dhat" "$(cat dhat.out)"
	fi
else
	skip "convert --to dhat in valgrind's viewer" "node, valgrind's dh_view.js or ../shared/programs is not here"
fi
recorded 1 peak ./peak
if find_chromium >/dev/null && [ -f /usr/libexec/valgrind/dh_view.html ] && command -v jq >/dev/null; then
	# Open the file in valgrind's page, in a browser.  A copy of the page loads it, as its button does.
	"$hotdrift" convert peak.heap --to dhat -o peak.json 2>/dev/null
	mkdir viewer
	cp /usr/libexec/valgrind/dh_view.* viewer/
	sed -i 's|</body>|<script src="load.js"></script></body>|' viewer/dh_view.html
	{
		printf 'window.addEventListener("load", () => { const list = new DataTransfer(); list.items.add('
		printf 'new File([atob("%s")], "peak.json")); gInput.files = list.files; gInput.onchange(); });\n' \
			"$(base64 -w0 peak.json)"
	} >viewer/load.js
	in_chromium --allow-file-access-from-files "file://$dir/viewer/dh_view.html" | sed 's/<[^>]*>//g' >viewer.text
	# Total, t-gmax and t-end of the first program point, the sum of all: bytes and blocks, without the commas.
	shown=$(awk '/^ *(Total|At t-gmax|At t-end): / && ++n <= 3 { gsub(/,/, ""); sub(/.*: */, ""); bytes = $1
		sub(/.* in /, ""); print bytes, $1 }' viewer.text)
	wanted=$("$hotdrift" info --json peak.heap | jq -r '[.events[] | { (.name): .weight }] | add |
		"\(.allocated) \(.allocations)", "\(.peak) \(."peak-blocks")", "\(.leaked) \(."leaked-blocks")"')
	holds "dh_view.html in Chromium" "it shows ${shown//$'\n'/, }, not ${wanted//$'\n'/, }" [ "$shown" = "$wanted" ]
else
	skip "convert --to dhat in valgrind's page" "Chromium, valgrind's dh_view.html or jq is not here"
fi
if command -v go >/dev/null; then
	"$hotdrift" convert peak.heap --to pprof -o peak.pb.gz 2>/dev/null
	if HOME=$dir go tool pprof -raw peak.pb.gz 2>/dev/null >pprof.out &&
		grep -q '^ *3000 *90000000 *0 *0 *0 *0:' pprof.out; then
		pass
	else
		fail "convert --to pprof" "go tool pprof does not read it, or reads other sums"
		head -n 20 pprof.out
	fi
else
	skip "convert --to pprof in go tool pprof" "go is not installed (Debian: golang-go)"
fi
finish

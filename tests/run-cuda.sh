#!/bin/bash
# run-cuda.sh - test libhotdrift-cuda.so in a program that launches kernels through a stand-in for libcupti
#
#   tests/gpu/standin/cupti.c    the stand-in: records with the layout of CUPTI's; it needs no GPU
#   tests/gpu/standin/app.c      the program; it knows the GPU time of each of its call paths
#   tests/gpu/layout.c           numbers and offsets, compared with NVIDIA's headers if these are installed
#   tests/gpu/real.sh            the same tests on a real GPU, if there is one
#
# With and without the library the program must have the same exit status and stdout, also when a step of the library
# fails; at most one line may be added to stderr.  Results are marked "stand-in", because none of them is a measurement.
set -u
export LC_ALL=C
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite cuda
label=stand-in
lib=$O/libhotdrift-cuda.so root=$top sources=$top/tests/gpu

temporary_folder
dir=$tmp
cd "$dir" || exit 1
real_gpu() {	# run tests/gpu/real.sh and count the result of each line that it prints
	local line label=''
	while read -r line; do
		case $line in
		PASS*) pass ;;
		"skipped: "*) skip "${line#skipped: }" "see tests/gpu/real.sh" ;;
		FAIL*) fail "real GPU" "$line" ;;
		esac
	done < <("$sources/real.sh" 2>&1)
}

if [ ! -e "$lib" ]; then
	skip "recording GPU activities" "libhotdrift-cuda.so is for x86-64 and aarch64 Linux and was not built"
	finish
fi
case ${SAN:-} in
*address* | *thread* | *memory* | *leak*) export ASAN_OPTIONS=detect_leaks=0 ;;
esac
if command -v gcc >/dev/null; then CC=gcc; else CC=${CC:-cc}; fi
flags=(-std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra "-I$root/tests" "-I$root/src")
for what in "-O1 -fPIC -shared -o libcupti-standin.so $sources/standin/cupti.c -pthread" \
	"-O2 -fomit-frame-pointer -o app $sources/standin/app.c -ldl -pthread" \
	"-O2 -fPIC -shared -DWHO=plugin_a -o plugin_a.so $sources/standin/plugin.c" \
	"-O2 -fPIC -shared -DWHO=plugin_b -o plugin_b.so $sources/standin/plugin.c"; do
	# shellcheck disable=SC2086	# words: the arguments of the compiler
	if ! "$CC" "${flags[@]}" $what >build.log 2>&1; then
		fail build "$(head -n 3 build.log)"
		finish
	fi
done

# ---- layouts

holds layout "the stand-in's records are not those of src/inject/cupti.h" "$CC" "${flags[@]}" -fsyntax-only \
	"$sources/layout.c"
headers=
for folder in /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include /opt/cuda/include \
	/opt/cuda/extras/CUPTI/include /usr/include; do
	if [ -z "$headers" ] && [ -e "$folder/cupti.h" ]; then headers=$folder; fi
done
if [ -n "$headers" ]; then
	holds "layout: $headers" "our numbers and offsets are not those of CUPTI" \
		"$CC" -std=gnu11 "-I$root/src" "-I$root/tests" -DHAVE_CUPTI "-I$headers" -I/usr/local/cuda/include \
		-fsyntax-only "$sources/layout.c"
else
	skip "layout against NVIDIA's headers" "cupti.h is not installed"
fi
exported=$(nm -D --defined-only "$lib" | awk '$2 == "T" { print $3 }' | sort | tr '\n' ' ')
holds exports "the library exports: $exported" [ "$exported" = "InitializeInjection gpu_launch_marker " ]
needed=$(readelf -d "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v -e '^libc\.so' -e '^ld-linux' \
	-e '^libpthread' -e '^libdl')
holds needed "the library needs $needed" [ -z "$needed" ]

# ---- running

# app NAME ARGUMENTS...: run the program without the library, then with it and the environment in the array `with`
with=()
app() {
	local name=$1 status plain
	shift
	timeout 120 ./app "$@" >"$name.plain" 2>/dev/null 9>/dev/null
	plain=$?
	CUDA_INJECTION64_PATH=$lib HOTDRIFT_CUPTI=$dir/libcupti-standin.so HOTDRIFT_CUDA_STACKS=1 \
		HOTDRIFT_CUDA_OUT=$dir/$name.trace \
		timeout 120 env "${with[@]}" ./app "$@" >"$name.out" 2>"$name.stderr" 9>"$name.truth"
	status=$?
	if [ "$status" != "$plain" ] || ! cmp -s "$name.plain" "$name.out"; then
		fail "$name: the program is not changed" "status $status instead of $plain, or another output"
		diff "$name.plain" "$name.out" | head -n 5
	elif [ "$(wc -l <"$name.stderr")" -gt 1 ]; then
		fail "$name: the program is not changed" "more than one line on stderr: $(head -n 2 "$name.stderr")"
	else
		pass
	fi
}

# judge NAME [TRACE]: the GPU time of each call path must equal NAME.truth, which the program printed.  Call paths begin
# at main() or at the function of a thread.
judge() {
	"$hotdrift" fold --event gpu-kernels "${2:-$1.trace}" 2>"$1.err" |
		sed 's/;launch_all;/;/; s/.*;\(main;\)/\1/; s/.*;\(worker;\)/\1/' |
		awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' |
		sort >"$1.folded"
	grep -v "^#" "$1.truth" | sort >"$1.sorted"
	if cmp -s "$1.sorted" "$1.folded"; then
		pass
	else
		fail "$1: GPU time of each call path" "not what the program says"
		diff "$1.sorted" "$1.folded" | head -n 10
		cat "$1.err"
	fi
}
info() { "$hotdrift" info --json "${2:-$1.trace}" 2>"$1.err" | sed 's/^ *//; s/": /":/g; s/, "/,"/g' |
	tr -d '\n' >"$1.json"; }
# has NAME TEXT FILE: the test NAME passes if a line of FILE matches TEXT
has() { holds "$1" "no '$2' in $(head -c 500 "$3")" grep -q -e "$2" "$3"; }

app run run
judge run
info run
has "run: 661 of 661 launches joined" '"joined":661,"joinable":661' run.json
has "run: 661 with their stack" '"with_stack":661' run.json
has "run: the command is in the trace" '"cmdline":\["./app","run"\]' run.json
holds "run: no warning" "$(grep lost run.err)" [ -z "$(grep -e lost -e cut run.err)" ]
"$hotdrift" fold --event gpu-copy-bytes run.trace 2>/dev/null | awk '{ n += $NF } END { print n }' >run.bytes
holds "run: bytes copied" "$(cat run.bytes) instead of 33832" [ "$(cat run.bytes)" = 33832 ]
"$hotdrift" fold --event gpu-sync run.trace 2>/dev/null | awk '{ n += $NF } END { print n }' >run.sync
holds "run: time of synchronisation" "$(cat run.sync) ns instead of 5000" [ "$(cat run.sync)" = 5000 ]

for version in 4 5 7 9 0; do	# version of CUPTI's kernel records; 0: a different one for each record
	with=("STANDIN_KERNEL=$version")
	[ $version = 4 ] && with+=(STANDIN_VERSION=12)	# CUPTI of CUDA 10, whose records have no graph nodes
	app "records$version" run
	judge "records$version"
done
with=()
app threads run 4
judge threads
with=(HOTDRIFT_CUDA_STACKS=0)
app nostacks run
info nostacks
has "nostacks: joined without stacks" '"joined":661,"joinable":661,"with_stack":0' nostacks.json
with=()
app plugin plugin "$dir/plugin_a.so" "$dir/plugin_b.so"
grep -q 'at one address' plugin.truth || skip "plugin" "this system loads the second library elsewhere than the first"
judge plugin
app quiet quiet
info quiet
has "quiet: nothing was launched" '"joinable":0' quiet.json

# ---- losses

with=(STANDIN_DROP=7)
app dropped run
info dropped
has "dropped: 92 records are reported" '"dropped":92' dropped.json
has "dropped: 569 operations are left" '"joined":569,"joinable":569' dropped.json
has "dropped: a warning" 'lost.gpu-records' dropped.json
with=(STANDIN_STRANGE=1)
app strange run
info strange
has "strange: a record that nobody knows is reported" 'lost.gpu-record' strange.json
judge strange
with=(STANDIN_ENABLE=2:15)
app part run
info part
has "part: what is not recorded is reported" 'memsets are not recorded' part.json
judge part
with=(STANDIN_NO_CLOCK=1)
app clock run
info clock
has "clock: another clock is reported" 'CLOCK_REALTIME' clock.json
judge clock

# ---- what cannot be recorded

# refused NAME TEXT ENVIRONMENT...: expect an empty trace whose reason contains TEXT
refused() {
	local name=$1 text=$2
	shift 2
	with=("$@")
	app "$name" run
	info "$name"
	has "$name: the trace says why" "gpu.not-recorded.*$text" "$name.json"
	holds "$name: nothing on stderr" "$(cat "$name.stderr")" [ ! -s "$name.stderr" ]
}
refused subscriber 'STANDIN_MULTIPLE_SUBSCRIBERS (CUPTI.s result was 39)' STANDIN_SUBSCRIBE=39
refused nodriver 'result was 999' STANDIN_SUBSCRIBE=999
refused kernels 'result was 15' STANDIN_ENABLE=10:15
refused missing '/nonexistent/libcupti.so: cannot be loaded' HOTDRIFT_CUPTI=/nonexistent/libcupti.so
refused other 'libcupti does not have it' "HOTDRIFT_CUPTI=$dir/plugin_a.so"

# untraced NAME TEXT ENVIRONMENT...: expect no trace, and one line on stderr that contains TEXT
untraced() {
	local name=$1 text=$2
	shift 2
	with=("$@")
	app "$name" run
	has "$name: one line says why" "$text" "$name.stderr"
}
untraced unset 'names no file' -u HOTDRIFT_CUDA_OUT
untraced nofolder 'No such file or directory' "HOTDRIFT_CUDA_OUT=$dir/none/trace"
untraced folder 'exists; the trace is' "HOTDRIFT_CUDA_OUT=$dir"
rm -f "$dir".[0-9]*
untraced full 'No space left on device' HOTDRIFT_CUDA_OUT=/dev/full
untraced long 'File name too long' "HOTDRIFT_CUDA_OUT=$dir/$(printf '%05000d' 0)"

with=()
echo mine >exists.trace
app exists run
has "exists: the file is as it was" '^mine$' exists.trace
holds "exists: the trace has another name" "$(ls exists.*)" [ "$(find . -name 'exists.trace.[0-9]*' | wc -l)" = 1 ]
judge exists "$(find . -name 'exists.trace.[0-9]*')"
with=("HOTDRIFT_CUDA_OUT=$dir/pid.%p.trace")
app pid run
judge pid "$(find . -name 'pid.[0-9]*.trace')"

printf '%s\n' '#include <errno.h>' 'int fstat64(int fd, void *st);' \
	'int fstat64(int fd, void *st) { (void)fd; (void)st; errno = EIO; return -1; }' >fstat.c
"$CC" -shared -fPIC -w -o fstat.so fstat.c
untraced fstat 'cannot create the trace: Input/output error' "LD_PRELOAD=$dir/fstat.so"
holds "fstat: no file stays" "$(ls fstat.trace*)" [ ! -e fstat.trace ]

with=()
app descriptors descriptors
judge descriptors
app full full
"$hotdrift" fold --event gpu-kernels full.trace >full.folded 2>full.err
has "full: what had no room is recorded later" ';main;raw;.*\[GPU\];raw_kernel 300$' full.folded
with=(HOTDRIFT_CUDA_OUT=chdir.trace)
app chdir chdir
judge chdir

# With this limit of the file size, the header of the trace fits into the file, but not all records do.
with=()
(ulimit -f 16
CUDA_INJECTION64_PATH=$lib HOTDRIFT_CUPTI=$dir/libcupti-standin.so HOTDRIFT_CUDA_STACKS=1 \
	HOTDRIFT_CUDA_OUT=$dir/limit.trace \
	timeout 120 ./app run 9>/dev/null 2>&1 | cat >limit.out
exit "${PIPESTATUS[0]}")
status=$?
holds "limit: the program is not changed" "status $status instead of 3" [ "$status" = 3 ]
holds "limit: the output is not changed" "$(cat limit.out)" cmp -s run.out limit.out
info limit
has "limit: the trace says that it ends early" 'lost.gpu-write.*File too large' limit.json

# ---- programs that end otherwise

for how in kill abort _exit; do
	(ulimit -c 0; app "$how" "$how"; echo "$passed $failed" >counts) 2>/dev/null
	read -r passed failed <counts
	judge "$how"
	info "$how"
	has "$how: the trace says that its end is missing" gpu.cut "$how.json"
done
app fork fork
judge fork
holds "fork: the child has no trace" "$(ls fork.trace*)" [ "$(find . -name 'fork.trace*' | wc -l)" = 1 ]
app exec exec
: >victim
app closed closed "$dir/victim"
judge closed
holds "closed: the program's own file is as it was" "it has $(wc -c <victim) bytes" [ ! -s victim ]

# ---- joined with perf's samples of the launch marker

# shellcheck source=tests/clock.sh
. "$root/tests/clock.sh"
group=hotdrift_test_$$
argument=%di
[ "$(uname -m)" = aarch64 ] && argument=%x0
if ! command -v perf >/dev/null; then
	skip "joined with a recording" "perf is not installed"
elif ! perf_has_our_clock; then
	skip "joined with a recording" "$OTHER_CLOCK"
elif ! perf probe -q -x "$lib" "$group:gpu_launch_marker=gpu_launch_marker corr=$argument:u32" >probe.log 2>&1; then
	skip "joined with a recording" "perf probe may not add a uprobe here"
else
	trap 'perf probe -q -d "$group:*" >/dev/null 2>&1; rm -rf "$dir"' EXIT
	# The buffer is large enough for all samples, so that a busy machine loses none.  The program runs for some ms
	# only, so cpu-clock needs a high frequency to have a sample of it.
	CUDA_INJECTION64_PATH=$lib HOTDRIFT_CUPTI=$dir/libcupti-standin.so HOTDRIFT_CUDA_OUT=$dir/joined.trace \
		perf record -q -m 16M -k CLOCK_MONOTONIC -e cpu-clock/freq=4999/ -e "$group:gpu_launch_marker" \
		--call-graph dwarf,8192 -o joined.data \
		./app run >joined.out 2>joined.log 9>joined.truth
	holds "joined: the program is not changed" "another output" cmp -s run.out joined.out
	"$hotdrift" fold joined.data --gpu-trace joined.trace --event gpu-kernels 2>joined.err |
		sed 's/;launch_all;/;/; s/^.*;\(main;\)/\1/' | sort >joined.folded
	sort joined.truth >joined.sorted
	holds "joined: no launch is lost when one event is selected" "$(cat joined.err)" [ -z \
		"$(grep lost joined.err)" ]
	holds "joined: GPU time of each call path" "$(diff joined.sorted joined.folded | head -n 10; cat joined.err)" \
		cmp -s joined.sorted joined.folded
	"$hotdrift" info --json joined.data --gpu-trace joined.trace 2>/dev/null | tr -d ' \n' >joined.json
	has "joined: 661 of 661 launches have their stack" '"joined":661,"joinable":661,"with_stack":661' joined.json
	has "joined: the marker's samples stay an event of their own" "\"$group:gpu_launch_marker\"" joined.json
	holds "joined: one event is selected by its name" "cpu-clock has no sample" \
		"$hotdrift" top joined.data --gpu-trace joined.trace --event cpu-clock --json -o joined.top
	# Correlation ids begin at 1 in every run: joining the trace of another run must be an error.
	"$hotdrift" fold joined.data --gpu-trace run.trace >stale.out 2>stale.err
	holds "joined: a trace of another run is refused" "exit $?, $(cat stale.err)" grep -q \
		'run.trace: is not a trace of the recorded run' stale.err
	CUDA_INJECTION64_PATH=$lib HOTDRIFT_CUPTI=$dir/libcupti-standin.so HOTDRIFT_CUDA_OUT=$dir/clock.trace \
		perf record -q -e "$group:gpu_launch_marker" -g -o clock.data ./app run >clock.out 2>/dev/null \
		9>/dev/null
	"$hotdrift" fold clock.data --gpu-trace clock.trace >/dev/null 2>clock.err
	has "joined: times of another clock are refused" 'record it with perf record -k CLOCK_MONOTONIC' clock.err
	"$hotdrift" fold joined.data --gpu-trace joined.data >/dev/null 2>kind.err
	has "joined: a recording is no trace" 'joined.data: is not a trace of libhotdrift-cuda.so' kind.err
fi

# ---- the real libcupti without a driver: it is loaded and refuses

real=
for file in /usr/local/cuda/lib64/libcupti.so /usr/local/cuda/extras/CUPTI/lib64/libcupti.so \
	/usr/lib/x86_64-linux-gnu/libcupti.so; do
	if [ -z "$real" ] && [ -e "$file" ]; then real=$file; fi
done
if [ -z "$real" ]; then
	skip "the real libcupti without a driver" "the CUDA toolkit is not installed"
elif [ -e /dev/nvidiactl ]; then
	skip "the real libcupti without a driver" "there is a driver: tests/gpu/real.sh"
else
	refused real 'result was 999' "HOTDRIFT_CUPTI=$real"
fi
real_gpu
finish

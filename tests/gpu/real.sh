#!/bin/bash
# real.sh - test libhotdrift-cuda.so on a real GPU: compare the numbers of known.cu with hotdrift's
#
#   tests/gpu/real.sh              print all results; LOAD=10 seconds of load, LAUNCHES=200000
#   KEEP=DIR tests/gpu/real.sh     keep the traces in DIR
#
# Each result is a line `PASS name: numbers`, `FAIL name: numbers` or `skipped: name: why`.  The script exits with 1 if
# a test failed.  Without a GPU, its driver or nvcc, the tests are reported as skipped.  check-cuda runs this script.
set -u
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
hotdrift=$O/hotdrift lib=$O/libhotdrift-cuda.so
failed=0
pass() { echo "PASS $1: $2"; }
fail() { failed=1; echo "FAIL $1: $2"; }
skip() { echo "skipped: $1: $2"; }
# line NAME TEXT COMMAND...: pass or fail by the status of the command
line() {
	local name=$1 text=$2
	shift 2
	if "$@"; then pass "$name" "$text"; else fail "$name" "$text"; fi
}
# holds EXPRESSION: return 0 if the awk expression is true
# shellcheck disable=SC2317	# line() calls it
holds() { awk "BEGIN { exit !($1) }"; }

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ ! -e /dev/nvidiactl ] && ! nvidia-smi -L >/dev/null 2>&1; then
	skip "a real GPU" "there is none here"
	exit 0
fi
if [ ! -x "$nvcc" ]; then
	skip "a real GPU" "nvcc is not installed (Debian: nvidia-cuda-toolkit)"
	exit 0
fi
if [ -n "${KEEP:-}" ]; then
	mkdir -p "$KEEP" || exit 1
	dir=$(cd "$KEEP" && pwd)
else
	dir=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-real.XXXXXX") || exit 1
	trap 'rm -rf "$dir"' EXIT
fi
cd "$dir" || exit 1
if ! "$nvcc" -O2 -g -arch=native -o known "$root/tests/gpu/known.cu" >build.log 2>&1 &&
	! "$nvcc" -O2 -g -o known "$root/tests/gpu/known.cu" >build.log 2>&1; then
	fail build "known.cu does not build: $(head -n 1 build.log)"
	exit 1
fi
./known run probe.truth >plain.out 2>plain.err
plain=$?
if [ $plain = 77 ]; then
	skip "a real GPU" "$(head -n 1 plain.err)"
	exit 0
fi

traced() { # NAME VARIABLES... -- COMMAND...: write the trace NAME.trace and the output NAME.out
	local name=$1 set=()
	shift
	while [ "$1" != -- ]; do set+=("$1"); shift; done
	shift
	rm -f "$name.trace"
	env CUDA_INJECTION64_PATH="$lib" HOTDRIFT_CUDA_OUT="$dir/$name.trace" HOTDRIFT_CUDA_STACKS=1 "${set[@]}" "$@" \
		>"$name.out" 2>"$name.err"
	status=$?
}
truth() { awk -v name="$2" '$1 == name { print $2 }' "$1.truth"; }
info() { "$hotdrift" info --json "$1.trace" 2>>"$1.warnings" | sed 's/^ *//; s/": /":/g; s/, "/,"/g' | tr -d '\n'; }
number() { grep -o "\"$1\":-\{0,1\}[0-9.]*" "$2" | head -n 1 | sed 's/.*://'; }
# folded NAME OPTIONS...: print the folded stacks of the kernels
folded() {
	local name=$1
	shift
	"$hotdrift" fold --event gpu-kernels "$@" "$name.trace" 2>>"$name.warnings"
}
# sum NAME PATTERN OPTIONS...: add up the weights of the stacks that match the pattern
sum() {
	local name=$1 pattern=$2
	shift 2
	folded "$name" "$@" | awk -v p="$pattern" '$0 ~ p { n += $NF } END { printf "%.0f", n }'
}

traced run -- ./known run run.truth
line unchanged "status $status, as without us $plain" [ "$status" = "$plain" ]
line unchanged-output "the same stdout" cmp -s plain.out run.out
info run >run.json
reason=$(grep -o '"code":"gpu.not-recorded","count":[0-9]*,"text":"[^"]*"' run.json)
if [ -n "$reason" ] || [ ! -s run.trace ]; then
	fail recording "nothing was recorded: ${reason:-$(head -n 1 run.err)}"
	exit 1
fi

short=$(sum run '(^|;)short_spin [0-9]+$' --weight samples) long=$(sum run '(^|;)long_spin [0-9]+$' --weight samples)
node=$(sum run '(^|;)node_spin [0-9]+$' --weight samples) dropped=$(number dropped run.json)
line kernels "$short + $long + $node of 40 + 20 + 50, dropped $dropped" [ "$short $long $node ${dropped:-x}" = \
	"40 20 50 0" ]

# The kernels spin 40 times 1 ms and 20 times 3 ms.  The events before and after each kernel also measure the time in
# which a busy machine does not let the program launch it, so they are an upper limit.
for which in short:40000000 long:60000000; do
	spun=${which#*:} which=${which%:*}
	have=$(sum run "(^|;)${which}_spin [0-9]+\$") want=$(truth run "${which}_ns")
	line "durations-$which" "$have ns, $spun ns at least, by CUDA events $want ns" \
		holds "$have > $spun * 0.98 && $have < $want * 1.02"
done

copied=$("$hotdrift" fold --event gpu-copy-bytes run.trace 2>/dev/null | awk \
	'/\[copy HtoD\] / { n += $NF } END { printf "%.0f", n }')
gbps=$(grep -o '"kind":"HtoD"[^}]*' run.json | sed 's/.*"gbps":\([0-9.]*\).*/\1/')
line HtoD "$copied bytes, $gbps GB/s (by CUDA events $(truth run copy_gbps) GB/s)" [ "$copied" = 2147483648 ]

short=$(sum run ';train;(.*;)?\[GPU\];short_spin [0-9]+$' --weight samples)
long=$(sum run ';validate;(.*;)?\[GPU\];long_spin [0-9]+$' --weight samples)
node=$(sum run ';replay;(.*;)?\[GPU\];node_spin [0-9]+$' --weight samples)
graphs=$(grep -o '"call":"cudaGraphLaunch","count":[0-9]*' run.json | sed 's/.*://')
line join "$((short + long)) of 60 under train() and validate()" [ "$short $long" = "40 20" ]
line join-graphs "$node of 50 kernels under replay(), ${graphs:-0} of 10 graph launches" [ "$node ${graphs:-0}" = \
	"50 10" ]
line join-all "$(number joined run.json) of $(number joinable run.json) operations" \
	[ "$(number joined run.json)" = "$(number joinable run.json)" ]

early=$(number early run.json) last=$(number last_sample_ns run.json) end=$(truth run end_ns)
left=$((end - last))
line clock \
	"$early operations before their launch; the last ends $left ns before the last synchronisation returns" \
	holds "${early:-1} == 0 && $last <= $end"

idle=$(grep -o '"window":"active"[^}]*' run.json | head -n 1 |
	sed 's/.*"start_ns":\([0-9]*\),"end_ns":\([0-9]*\).*"idle_ns":\([0-9]*\).*/\1 \2 \3/' |
	awk '{ printf "%.2f", 100 * $3 / ($2 - $1) }')
want=$(truth run idle_pct)
line idle "$idle %, the program says $want %" holds "($idle - $want)^2 <= 9"

# ---- NVML, while the GPU has work

if "$hotdrift" sample --power=nvml --gpu --interval 50 -o load -- ./known run load.truth "${LOAD:-10}" >load.out \
	2>load.err ||
	[ -s load/gpu.csv ]; then
	delta=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "mem_used_bytes") c = i; next }
		{ if (!n++ || $c < min) min = $c; if ($c > max) max = $c }
		END { printf "%.0f", max - min }' load/gpu.csv)
	# The context of a process takes some hundred MiB in addition.
	used=$(truth load device_bytes)
	line NVML-memory "rises by $delta bytes, the program took $used by its own account (and has a context)" \
		holds "$delta > $used * 0.98 && $delta < $used * 1.02 + 1e9"
	"$hotdrift" energy --json load/power.csv 2>/dev/null | sed 's/^ *//; s/": /":/g' | tr -d '\n' >load.json
	disagree=$(number disagreement_pct load.json)
	if [ -n "$disagree" ]; then
		measured="update period $(number update_period_s load.json) s; $(number total_joules load.json) J"
		line NVML-energy "trapezoid against counter: $disagree %; $measured" \
			holds "$disagree > -10 && $disagree < 10"
	else
		skip NVML-energy "this GPU has no energy counter: $(number total_joules load.json) J by its power alone"
	fi
else
	skip NVML "hotdrift sample cannot read it: $(head -n 1 load.err)"
fi

# ---- overhead

n=${LAUNCHES:-200000}
./known launches off.truth "$n" >off.out 2>&1
traced records HOTDRIFT_CUDA_STACKS=0 -- ./known launches records.truth "$n"
traced stacks -- ./known launches stacks.truth "$n"
info records >records.json
costs="off $(truth off launch_us), records $(truth records launch_us), records + stacks $(truth stacks launch_us)"
line overhead "us per launch over $n: $costs" \
	cmp -s off.out stacks.out
line overhead-complete "$(number joinable records.json) operations recorded, $(number dropped records.json) dropped" \
	holds "$(number joinable records.json) >= $n && $(number dropped records.json) == 0"

# ---- robustness

traced missing HOTDRIFT_CUPTI=/nonexistent/libcupti.so -- ./known run missing.truth
line robustness-libcupti "without libcupti: status $status instead of $plain" \
	[ "$status $(cmp plain.out missing.out && echo same)" = "$plain same" ]
(ulimit -c 0; ./known abort abort-plain.truth >abort-plain.out 2>/dev/null; echo $? >abort-plain.status) 2>/dev/null
(ulimit -c 0; traced abort -- ./known abort abort.truth; echo "$status" >abort.status) 2>/dev/null
line robustness-abort "status $(cat abort.status), as without us $(cat abort-plain.status)" cmp -s abort.status \
	abort-plain.status
line robustness-abort-output "the same stdout" cmp -s abort.out abort-plain.out
short=$(sum abort '(^|;)short_spin [0-9]+$' --weight samples)
line robustness-abort-trace "$short of 40 kernels are in the trace" [ "$short" = 40 ]
if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
	cat >profiled.py <<'END'
import torch
from torch.profiler import profile, ProfilerActivity
x = torch.ones(512, 512, device="cuda")
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
    for _ in range(10):
        x = x @ x / 512
torch.cuda.synchronize()
print("sum", float(x.sum()))
END
	python3 profiled.py >torch-plain.out 2>/dev/null
	plain=$?
	traced torch -- python3 profiled.py
	line robustness-torch "torch.profiler: status $status instead of $plain" \
		[ "$status $(cmp torch-plain.out torch.out && echo same)" = "$plain same" ]
else
	skip robustness-torch "torch with CUDA is not installed"
fi
exit $failed

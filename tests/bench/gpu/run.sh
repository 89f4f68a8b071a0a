#!/bin/sh
# run.sh - make bench-gpu: measure how fast and in how much memory exports of Nsight Systems are read
#
#     make bench-gpu [LAUNCHES="200000 6000000"] [RUNS=3]
#
# tests/bench/gpu/export.sh writes the exports once, into O/bench/gpu; that of 6,000,000 launches is 1 GB.  A row has
# the CPU time (user and system) of `hotdrift top`, the best of RUNS; its launches per second; the same for sqlite3,
# which only adds up the columns that hotdrift reads; and the largest resident memory.  The ratio to sqlite3 is more
# reliable than the times, because the machine may be shared.
#
# Fails if memory grows with the number of launches: by more than 16 MB from the smallest to the largest export.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../../.."
O=${O:-build}
LAUNCHES=${LAUNCHES:-200000 6000000} RUNS=${RUNS:-3}
work=$O/bench/gpu
mkdir -p "$work"
command -v sqlite3 >/dev/null || { echo "skipped: bench-gpu: sqlite3 is not installed"; exit 0; }
${CC:-cc} -O2 -o "$work/cpu" tests/bench/cpu.c
sums='SELECT total(start), total(end), sum(deviceId), sum(streamId), sum(correlationId), max(globalPid),
	sum(shortName), sum(demangledName) FROM CUPTI_ACTIVITY_KIND_KERNEL;
SELECT total(start), total(end), max(globalTid), sum(correlationId), sum(nameId), sum(callchainId)
	FROM CUPTI_ACTIVITY_KIND_RUNTIME;
SELECT total(start), total(end), sum(eventType), max(globalTid), sum(length(text)) FROM NVTX_EVENTS;
SELECT total(start), total(end), sum(bytes), sum(copyKind), sum(srcKind), sum(dstKind) FROM CUPTI_ACTIVITY_KIND_MEMCPY'

# best COMMAND...: run it RUNS times, and print "CPU seconds, KiB" of the fastest run
best() {
	rm -f "$work/times"
	i=0
	while [ $i -lt "$RUNS" ]; do
		"$work/cpu" "$work/times" 0 "$@" >/dev/null 2>&1
		i=$((i + 1))
	done
	grep -q ' ok$' "$work/times" || { echo "bench-gpu: '$*' failed" >&2; exit 1; }
	sort -n "$work/times" | awk 'NR == 1 { print $1, $3 }'
}

echo '| launches | bytes | CPU s | launches/s of CPU | sqlite3 CPU s | ratio | peak MB |'
echo '|---|---|---|---|---|---|---|'
first='' last=''
for n in $LAUNCHES; do
	file=$work/$n.sqlite
	if [ ! -e "$file" ]; then
		tests/bench/gpu/export.sh "$n" "$file.part" >/dev/null
		mv "$file.part" "$file"
	fi
	ours=$(best "$O/hotdrift" top --event gpu-kernels "$file")
	theirs=$(best sqlite3 "$file" "$sums")
	echo "$n $(wc -c <"$file") $ours $theirs" |
		awk '{ printf "| %d | %d | %.2f | %.0f | %.2f | %.2f | %.1f |\n",
			$1, $2, $3, $1 / $3, $5, $3 / $5, $4 / 1024 }'
	last=${ours#* }
	first=${first:-$last}
done
if [ $((last - first)) -gt 16384 ]; then
	echo "bench-gpu: memory grows with the number of launches: from $first to $last KiB" >&2
	exit 1
fi

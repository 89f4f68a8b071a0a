#!/bin/bash
# run-gpu.sh - compare GPU captures with their known numbers
#
#   DIR=FOLDER   captures, with a MANIFEST.md that has a block
#
#       ### FILE kernels N memcpy N memset N
#       dev D span_ns NS compute NS (PCT%) copy NS (PCT%) overlap NS (PCT%) idle NS (PCT%)
#         kern NS ns COUNTx PCT% NAME
#         memcpy KIND n N bytes BYTES ns NS GB/s RATE
#
#   default: ../shared/gpu if it exists; and always the export tests/gpu/small.sql
#
# A test is one line of the manifest (tests/gpu/judge.awk).  Numbers that manifests lack are computed a second time, in
# SQL, from the exports of Nsight Systems: the join with API calls, launch-to-start latency, peak memory.  Each capture
# is also converted to a timeline, which must contain the same numbers.
set -u
export LC_ALL=C
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite gpu
root=$top tests=$top/tests/gpu
cd "$root" || exit 1
temporary_folder
dir=$tmp

# numbers FILE NAME: print hotdrift's numbers of a file, in the form of the manifest
numbers() {
	"$hotdrift" info --json "$1" >"$dir/info" 2>"$dir/errors" || return 1
	jq -r --arg name "$2" '
		.gpu as $g | [$g.devices[].copies[]] as $c |
		"### \($name) kernels \([$g.devices[].kernels.count] | add // 0)" +
			" memcpy \([$c[].count] | add // 0) memset \([$g.devices[].sets.count] | add // 0)",
		($g.devices[] | .device as $d | .windows[] | select(.window == "active" and .end_ns > .start_ns) |
			"dev \($d) \(.compute_ns + .copy_ns - .overlap_ns + .idle_ns)" +
				" \(.compute_ns) \(.copy_ns) \(.overlap_ns) \(.idle_ns)"),
		($c | group_by(.kind)[] | "memcpy \(.[0].kind) \([.[].count] | add)" +
			" \([.[].bytes] | if any(. == null) then "n/a" else add end) \([.[].ns] | add)")
	' "$dir/info" || return 1
	"$hotdrift" top --json --event gpu-kernels --limit 1000 "$1" 2>/dev/null |
		jq -r '.weight as $w | .rows[] | "kern \(.self) \(.samples) \($w) \(.symbol)"'
	return 0
}
# Add percentages and rates to the numbers, as in the manifest.
shape() {
	awk '
	function pct(part, all) { return sprintf("%.0f (%.2f%%)", part, all ? 100 * part / all : 0) }
	$1 == "dev" {
		printf "dev %s span_ns %.0f compute %s copy %s overlap %s idle %s\n",
			$2, $3, pct($4, $3), pct($5, $3), pct($6, $3), pct($7, $3)
		next
	}
	$1 == "memcpy" {
		rate = $4 == "n/a" || !$5 ? "n/a" : sprintf("%.3f", $4 / $5)
		printf "memcpy %s n %d bytes %s ns %.0f GB/s %s\n", $2, $3, $4, $5, rate
		next
	}
	$1 == "kern" {
		name = $0
		sub(/^kern [0-9]+ [0-9]+ [0-9]+ /, "", name)
		printf "kern %.0f ns %dx %.2f%% %s\n", $2, $3, 100 * $2 / $4, name
		next
	}
	{ print }'
}

# manifest DIR NAME: print the lines of one capture
manifest() {
	awk -v file="$2" '/^### / { on = $2 == file } /^```/ { on = 0 } on && NF' "$1/MANIFEST.md"
}

# judge DIR NAME FILE: compare the numbers of FILE with the lines for NAME in DIR/MANIFEST.md
judge() {
	local line
	if [ ! -e "$3" ]; then
		fail "$2" "MANIFEST.md names it, but it is not there"
		return
	fi
	manifest "$1" "$2" >"$dir/expected"
	if ! numbers "$3" "$2" >"$dir/raw" 2>"$dir/jq" || [ ! -s "$dir/raw" ]; then
		fail "$2" "cannot be read: $(head -n 1 "$dir/errors" "$dir/jq" | tr '\n' ' ')"
		return
	fi
	shape <"$dir/raw" >"$dir/found"
	line=$(awk -v file="$2" -f "$tests/judge.awk" "$dir/expected" "$dir/found")
	printf '%s\n' "$line" | sed '$d'
	line=${line##*$'\n'}
	passed=$((passed + ${line% *})) failed=$((failed + ${line#* }))
}

# same NAME WHAT EXPECTED FOUND: pass if both values are equal
same() {
	if [ "$3" = "$4" ]; then pass; else fail "$1" "$2: expected $3, found $4"; fi
}
has() { [ -n "$(sqlite3 "$db" "SELECT 1 FROM sqlite_master WHERE name = '$1'")" ]; }

# sql NAME FILE: compute numbers of an export in SQL, and compare them with hotdrift's
sql() {
	local name=$1 ops='' calls latency device peak
	db="file:$2?immutable=1"
	"$hotdrift" info --json "$2" >"$dir/info" 2>/dev/null || return
	for t in KERNEL MEMCPY MEMSET; do
		if has CUPTI_ACTIVITY_KIND_$t; then
			ops="$ops${ops:+ UNION ALL }SELECT start, correlationId AS c, globalPid >> 24 AS p"
			ops="$ops FROM CUPTI_ACTIVITY_KIND_$t"
		fi
	done
	if [ -n "$ops" ] && has CUPTI_ACTIVITY_KIND_RUNTIME; then
		calls="SELECT MIN(start) AS s, correlationId AS c, globalTid >> 24 AS p
			FROM CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY 2, 3"
		same "$name" "operations, and those with an API call" \
			"$(sqlite3 -separator ' ' "$db" "WITH o AS ($ops), r AS ($calls)
				SELECT count(*), count(s) FROM o LEFT JOIN r USING (c, p)")" \
			"$(jq -r '"\(.gpu.joinable) \(.gpu.joined)"' "$dir/info")"
		latency="WITH o AS ($ops), r AS ($calls),
			l AS (SELECT max(o.start - s, 0) AS ns FROM o JOIN r USING (c, p))"
		same "$name" "launch to start: number, mean, longest" \
			"$(sqlite3 "$db" "$latency SELECT printf('%d %.1f %d', count(*), avg(ns), max(ns)) FROM l")" \
			"$(jq -r '.gpu.launch_to_start | "\(.count) \(.mean_ns) \(.max_ns)"' "$dir/info" |
				awk '{ printf "%d %.1f %.0f\n", $1, $2, $3 }')"
		# the smallest value that P per cent do not exceed; the steps of the histogram are 1.6 % wide
		for p in 50 95; do
			same "$name" "launch to start, p$p, within 1.6 %" yes "$(
				sqlite3 "$db" "$latency,
					n AS (SELECT ns, row_number() OVER (ORDER BY ns) AS i,
						count(*) OVER () AS n FROM l)
					SELECT min(ns) FROM n WHERE i >= $p / 100.0 * n" |
					awk -v found="$(jq ".gpu.launch_to_start.p${p}_ns" "$dir/info")" \
						'{ print (found >= $1 &&
							found <= $1 * 1.016 ? "yes" : "exact " $1 ", found " found) }')"
		done
	fi
	if has CUDA_GPU_MEMORY_USAGE_EVENTS; then
		while IFS='|' read -r device peak; do
			same "$name" "peak memory of device $device" "$peak" \
				"$(jq --argjson d "$device" \
					'.gpu.devices[] | select(.device == $d) | .memory.peak_bytes' "$dir/info")"
		done <<<"$(sqlite3 "$db" "
			WITH e AS (SELECT rowid AS i, * FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE memKind IN (2, 4)),
			known AS (SELECT *, CASE memoryOperationType
				WHEN 0 THEN bytes
				WHEN 1 THEN CASE WHEN EXISTS (SELECT 1 FROM e b WHERE b.address = e.address
					AND b.memoryOperationType = 0 AND b.start < e.start) THEN -bytes ELSE 0 END
				END AS delta FROM e),
			live AS (SELECT deviceId, sum(delta) OVER (PARTITION BY deviceId ORDER BY start, i) AS bytes
				FROM known)
			SELECT deviceId, max(bytes) FROM live GROUP BY 1")"
	fi
}

# exported DIR NAME FILE: the capture must have the same numbers as Chrome trace events, and the same slices in
# Perfetto's format
exported() {
	local name="$2 as a timeline" slices
	if ! "$hotdrift" convert "$3" --to chrome -o "$dir/chrome.json" 2>"$dir/errors" ||
		! "$hotdrift" convert "$3" --to perfetto -o "$dir/trace.pftrace" 2>"$dir/errors"; then
		fail "$name" "cannot be written: $(head -n 1 "$dir/errors")"
		return
	fi
	judge "$1" "$2" "$dir/chrome.json"
	slices=$(jq -r '[.traceEvents[] | select(.ph == "X" and .cat != "Trace") | .dur] | "\(length) \(add // 0)"' \
		"$dir/chrome.json")
	if ! command -v protoc >/dev/null; then
		skip "$name" "protobuf-compiler is not installed"
		return
	fi
	# Field 8 of a packet is its time; field 9 of its event is 1 for a begin and 2 for an end.
	same "$name" "slices and microseconds" "$(awk '{ printf "%d %d %.0f\n", $1, $1, $2 }' <<<"$slices")" \
		"$(protoc --decode_raw <"$dir/trace.pftrace" | awk '
			/^  8: / { at = $2 }
			/^    9: 1$/ { begins++; ns -= at }
			/^    9: 2$/ { ends++; ns += at }
			END { printf "%d %d %.0f\n", begins, ends, ns / 1000 }')"
}

# folder DIR: test each capture that DIR/MANIFEST.md lists
folder() {
	local name
	while read -r name; do
		judge "$1" "$name" "$1/$name"
		[ ! -e "$1/$name" ] || exported "$1" "$name" "$1/$name"
		case $name in
		*.sqlite) [ ! -e "$1/$name" ] || sql "$name" "$1/$name" ;;
		esac
	done <<<"$(awk '/^```/ { on = !on } on && /^### / { print $2 }' "$1/MANIFEST.md")"
}

for tool in jq sqlite3 awk; do
	if ! command -v $tool >/dev/null; then
		skip "all captures" "$tool is not installed"
		echo "gpu: $passed passed, $failed failed, $skipped skipped"
		exit 0
	fi
done

mkdir "$dir/own" && cp "$tests/MANIFEST.md" "$dir/own/" && sqlite3 "$dir/own/small.sqlite" <"$tests/small.sql" || exit 1
folder "$dir/own"
shared=${DIR:-$root/../shared/gpu}
if [ -e "$shared/MANIFEST.md" ]; then
	folder "$shared"
elif [ -n "${DIR:-}" ]; then
	fail "$shared" "has no MANIFEST.md"
else
	skip "captures of real programs" "there is no ../shared/gpu; DIR= names a folder"
fi
finish

#!/bin/bash
# run-convert.sh - test that other programs read the files that `convert --to` writes, and find the same totals
#
# The samples and weights of each event, from `info --json`, must be those that the consumer of the format finds: `go
# tool pprof`, callgrind_annotate, protoc, speedscope, jq with the rules of the Firefox Profiler's tables, FlameGraph's
# way of folding.  The text for FlameScope is compared with that of `perf script`, and the table of pprof's page in
# Chromium with a fold.  Without a consumer, its tests are reported as skipped.
# tests/convert/round_trip.sh reads the files for pprof again, of every recording of ../shared/corpus.
#
#   SPEEDSCOPE=FOLDER   the npm package speedscope, which opens files in headless Chromium; default: npm's global one
#
# Tests are functions that are called by name.
# shellcheck disable=SC2317
set -u
export LC_ALL=C TZ=UTC
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite convert
tests=$top/tests/convert
needs_built "$hotdrift"
needs "conversions" jq
temporary_folder
cd "$tmp" || exit 1
mkfifo pause

have() { command -v "$1" >/dev/null; }
equal() { [ "$1" = "$2" ] || { printf '  got    %s\n  wanted %s\n' "$1" "$2"; false; }; }
# convert FORMAT [OPTION...]: convert the recording to the file `out.FORMAT`
convert() {
	local format=$1
	shift
	"$hotdrift" convert "${input[@]}" --to "$format" -o "out.$format" "$@" 2>errors || { cat errors; false; }
}

# ---- one test per format; $totals: lines "EVENT SAMPLES WEIGHT"; $sum: "SAMPLES WEIGHT" of all events

perf_script_folds_to_the_fold() {
	local event
	convert perf-script || return
	while read -r event _; do
		awk -v event="$event" -f "$tests/collapse.awk" out.perf-script | sort >folded
		"$hotdrift" fold "${input[@]}" --event "$event" 2>/dev/null | sort | diff - folded || return
	done <<<"$totals"
}

# FlameScope reads the first line of a sample with these two expressions, and a frame with the third.
perf_script_is_what_flamescope_reads() {
	local lines
	lines=$(grep -c '^[^	]' out.perf-script)
	equal "$(grep -cE ' +([0-9.]+): .+?:' out.perf-script)" "$lines" &&
		equal "$(grep -cE '^ *([^0-9]+)' <(grep '^[^	]' out.perf-script))" "$lines" &&
		equal "$(grep '^	' out.perf-script | grep -cvE '^[	 ]*[0-9a-fA-F]+ (.+) \((.*)\)$')" 0
}

# perf prints the same samples in the same order: thread, time, period and event.
perf_prints_the_same_samples() {
	perf script -i "$recording" --ns -F comm,pid,tid,time,period,event -G 2>/dev/null |
		awk '{ $1 = $1 } NF' >perf.txt
	grep '^[^	]' out.perf-script | sed 's/ \[[0-9]*\]//' | awk '{ $1 = $1 } NF' | diff perf.txt -
}

speedscope_has_the_totals() {
	local event weight
	convert speedscope || return
	jq -e '(.shared.frames | length) as $n | all(.profiles[]; (.samples | length) == (.weights | length) and
		(.weights | add) == .endValue and
		all(.samples[][]; . >= 0 and . < $n))' out.speedscope >/dev/null || return
	while read -r event _ weight; do
		equal "$(jq -r --arg e "$event" '[.profiles[] | select(.name | endswith(" " + $e)) | .endValue] | add' \
			out.speedscope)" "$weight" || return
	done <<<"$totals"
}

# A fold of the file of speedscope, without thread names, is the fold of the recording.
speedscope_folds_to_the_fold() {
	local event
	while read -r event _; do
		jq -r --arg e "$event" '.shared.frames as $f | .profiles[] | select(.name | endswith(" " + $e)) |
			[.samples, .weights] | transpose[] |
			[.[0][] | $f[.].name | gsub("^0x[0-9a-f]{16}$"; "[unknown]")] as $s |
			"\($s | join(";")) \(.[1])"' \
			out.speedscope | add_up >folded
		"$hotdrift" fold "${input[@]}" --event "$event" 2>/dev/null | sed 's/^[^;]*;//' | add_up |
			diff - folded ||
			return
	done <<<"$totals"
}
# add_up: sum up lines of folded text with equal stacks
add_up() {
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' | sort
}

firefox_has_valid_tables_and_the_totals() {
	convert firefox && equal "$(jq -r -f "$tests/firefox.jq" out.firefox)" "$sum"
}

chrome_has_all_samples() {
	convert chrome || return
	equal "$(jq '[.traceEvents[] | select(.name == "ProfileChunk").args.data.cpuProfile.samples | length] | add' \
		out.chrome)" "${sum% *}" &&
		jq -e '[.traceEvents[] | select(.name == "ProfileChunk")] | group_by(.id) | all(
			(map(.args.data.cpuProfile.nodes[].id) | length == (unique | length)) and
			(map(.args.data.cpuProfile.nodes[].id) as $ids | all(.[].args.data.cpuProfile;
				all(.samples[]; IN($ids[])) and
				all(.nodes[] | select(.id != 1); IN(.parent; $ids[])))) and
			all(.[].args.data; (.timeDeltas | length) == (.cpuProfile.samples | length) and
				all(.timeDeltas[]; . >= 0)))' out.chrome >/dev/null
}

perfetto_has_the_totals() {
	convert perfetto || return
	protoc -I "$tests" --decode Trace "$tests/samples.proto" <out.perfetto >decoded || return
	if grep -E '^ *[0-9]+[:{ ]' decoded; then return 1; fi	# a field that is not in samples.proto
	equal "$(awk -f "$tests/perfetto.awk" decoded | sort)" "$(sort <<<"$totals")"
}

pprof_has_the_totals() {
	convert pprof || return
	go tool pprof -raw out.pprof >raw 2>errors || { cat errors; return 1; }
	# if the weight is the number of samples, the file has it once
	equal "$(awk '/^Locations/ { exit }
		on && /^ +[0-9]/ { sub(/:.*/, ""); n = NF; for (i = 1; i <= n; i++) sum[i] += $i }
		/^Samples/ { on = 1 }
		END { for (i = 1; i <= n; i++) printf "%.0f ", sum[i] }' raw | xargs)" \
		"$(awk '$2 != $3 { print $2 } { print $3 }' <<<"$totals" | xargs)"
}

# The flat cost of each function in pprof's table is the self cost of a fold, and the main program is the first mapping.
pprof_prints_the_same_functions() {
	local event=${totals%% *} index=samples
	[ "$(wc -l <<<"$totals")" = 1 ] || index=${event}_samples
	go tool pprof -top -nodecount=100000 -nodefraction=0 -edgefraction=0 -sample_index="$index" out.pprof 2>errors |
		awk 'on {
				flat = $1
				$1 = $2 = $3 = $4 = $5 = ""
				sub(/^ +/, "")
				sub(/ \((partial-)?inline\)$/, "")
				if (/^0x[0-9a-f]+$/) $0 = "[unknown]"
				if (flat + 0) sum[$0] += flat
			}
			/ flat% / { on = 1 } END { for (s in sum) printf "%s %d\n", s, sum[s] }' | sort >found
	"$hotdrift" fold "${input[@]}" --event "$event" --weight samples 2>/dev/null |
		awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); print $0, n }' | add_up | diff - found &&
		equal "$(go tool pprof -raw out.pprof 2>/dev/null |
			sed -n '/^Mappings/{n;s/.*\/\([^ /]*\) .*/\1/p;}')" "$program"
}

# port_of PID: print the first port that the process listens on; wait until there is one, or the process has ended
port_of() {
	local sockets port=''
	exec 8<>pause
	while [ -z "$port" ]; do
		kill -0 "$1" || return
		sockets=$(find "/proc/$1/fd" -lname 'socket:*' -printf %l)
		port=$(awk -v sockets="$sockets" '$4 == "0A" && index(sockets, "[" $10 "]") {
			sub(/.*:/, "", $2); print $2; exit }' /proc/net/tcp)
		[ -n "$port" ] || read -rt 0.1 -u 8
	done
	echo $((16#$port))
}

# Each function that the page of `pprof -http` lists in Chromium has the share that a fold gives it.
pprof_shows_the_same_shares_in_its_page() {
	local pid port
	"$(go env GOTOOLDIR)/pprof" -no_browser -http=127.0.0.1:0 out.pprof >served 2>&1 &
	pid=$!
	port=$(port_of "$pid") && in_chromium --no-proxy-server "http://127.0.0.1:$port/ui/top" |
		sed 's/<tr id="node/\n&/g' | sed -n 's/<\/tr>.*//; s/<[^>]*>/\t/g; s/^\t\t//p' | awk -F '\t+' '
			$1 + 0 { print $2, $6 }' | sort >shown
	kill "$pid"
	"$hotdrift" fold "${input[@]}" --event "${totals%% *}" 2>/dev/null | awk '
		{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); self[$0] += n; all += n }
		END { for (f in self) printf "%.2f%% %s\n", 100 * self[f] / all, f }' | sort >wanted
	equal "$(comm -23 shown wanted)" '' && [ "$(wc -l <shown)" -gt 5 ]
}

callgrind_has_the_totals() {
	convert callgrind || return
	callgrind_annotate --threshold=100 --auto=no out.callgrind >annotated 2>errors || { cat errors; return 1; }
	equal "$(awk '/PROGRAM TOTALS/ {
			gsub(/,|\([^)]*\)/, "")
			for (i = 1; $i != "PROGRAM"; i++) print $i
		}' annotated | xargs)" "$(awk '{ print $3 }' <<<"$totals" | xargs)"
}

# The self and inclusive cost of each function, as callgrind_annotate computes it, is that of the fold.
callgrind_has_the_functions() {
	local event=${totals%% *} inclusive
	for inclusive in no yes; do
		callgrind_annotate --threshold=100 --auto=no --show-percs=no --show="$event" --sort="$event" \
			--inclusive="$inclusive" out.callgrind 2>/dev/null | awk '
			/file:function/ { on = 1; next }
			on && /^ *[0-9,]+ / { cost = $1; gsub(/,/, "", cost); name = $0; sub(/^ *[0-9,]+ +/, "", name)
				sub(/ \[[^][]*(\[[^][]*\])?[^][]*\]$/, "", name); sub(/^[^:]*:/, "", name)
				if (name ~ /^0x[0-9a-f]+$/) name = "[unknown]"
				if (cost + 0) sum[name] += cost }
			END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' | sort >found
		"$hotdrift" fold "${input[@]}" --event "$event" 2>/dev/null | sed 's/^[^;]*;//' |
			awk -v inclusive="$inclusive" '
			{ w = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); split("", seen)
			  for (i = inclusive == "yes" ? 1 : n; i <= n; i++)
				if (!(f[i] in seen)) { sum[f[i]] += w; seen[f[i]] = 1 } }
			END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' | sort >wanted
		# several unnamed functions have one name in a fold
		diff <(grep -v '^\[unknown\] ' wanted) <(grep -v -e '^\[unknown\] ' -e '^(root) ' found) || return
	done
}

# speedscope_self FILE: print the self cost of the functions that speedscope's sandwich view lists.  Its page loads a
# script with the file, as its command line does.
speedscope_self() {
	{ printf "speedscope.loadFileFromBase64('profile', '" && base64 -w0 "$1" && printf "')\n"; } >load.js
	in_chromium --allow-file-access-from-files \
		"file://$speedscope/dist/release/index.html#view=sandwich&localProfilePath=$tmp/load.js" |
		sed 's/<[^>]*>/\n/g' | awk 'NF' | sed '1,/^Symbol Name$/d'
}

# Functions of the busiest thread of a recording with one thread: total, self and name are three lines of the page.
speedscope_itself_shows_the_costs() {
	local format
	for format in speedscope chrome perf-script; do
		speedscope_self "out.$format" >"shown.$format"
		holds "$label: speedscope opens the file for $format" "it lists no functions" grep \
			-qx main "shown.$format"
	done
	equal "$(awk '
		NR % 3 == 2 { percent = $2; gsub(/[(%)]/, "", percent) }
		NR % 3 == 0 && percent ~ /^[0-9]+$/ { sum += percent }
		END { print (sum >= 98 && sum <= 102) }' shown.speedscope)" 1
}

# The files for one input must be equal, also if it is converted with one thread, or as a bundle.
is_the_same_with_one_thread_and_of_a_bundle() {
	local format
	"$hotdrift" bundle "${input[@]}" -o b.hdb 2>errors || { cat errors; return 1; }
	for format in perf-script perfetto chrome; do
		convert "$format" && cp "out.$format" first && convert "$format" -j 1 && cmp first "out.$format" &&
			"$hotdrift" convert b.hdb --to "$format" -o second 2>/dev/null && cmp first second || return
	done
}

# run TEST [TOOL...]: run the test, or skip it if a TOOL is missing
run() {
	local name=$1 tool
	shift
	for tool; do
		have "$tool" || { skip "${name//_/ }" "no $tool"; return; }
	done
	claim "${name//_/ }" "$name"
}

speedscope=${SPEEDSCOPE:-$(npm root -g 2>/dev/null)/speedscope}
while read -r folder program; do
	label=$folder recording=$top/fixtures/recordings/$folder/perf.data
	input=("$recording" --symfs "$top/fixtures/recordings/$folder/symfs")
	totals=$("$hotdrift" info --json "${input[@]}" 2>/dev/null |
		jq -r '.events[] | select(.samples > 0) | "\(.name) \(.samples) \(.weight)"')
	sum=$(awk '{ n += $2; w += $3 } END { printf "%d %.0f", n, w }' <<<"$totals")
	run perf_script_folds_to_the_fold
	run perf_script_is_what_flamescope_reads
	run perf_prints_the_same_samples perf
	run speedscope_has_the_totals
	run speedscope_folds_to_the_fold
	if [ "$folder" = calls ] && [ -f "$speedscope/dist/release/index.html" ]; then
		convert chrome
		run speedscope_itself_shows_the_costs chromium
	elif [ "$folder" = calls ]; then
		skip "speedscope itself shows the costs" "no npm package speedscope (SPEEDSCOPE=FOLDER)"
	fi
	run firefox_has_valid_tables_and_the_totals
	run chrome_has_all_samples
	run perfetto_has_the_totals protoc
	run pprof_has_the_totals go
	run pprof_prints_the_same_functions go
	[ "$folder" != memgraph-cpu ] || run pprof_shows_the_same_shares_in_its_page go chromium
	run callgrind_has_the_totals callgrind_annotate
	run callgrind_has_the_functions callgrind_annotate
	run is_the_same_with_one_thread_and_of_a_bundle
done <<'END'
calls calls
copies copies
two-events pages
family family
memgraph-cpu memgraph
END
label=''
# shellcheck source=tests/convert/round_trip.sh
. "$tests/round_trip.sh"
finish

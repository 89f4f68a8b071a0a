#!/usr/bin/env bats
# callers.bats - compare report --peek with go tool pprof -peek, for the profile that convert writes

load helper

setup() { in_empty_folder; }

# Print `relation name function-share`, one edge per line, of each function of pprof -peek.
of_pprof() {
	awk '/^-+\+/ { n = 0; relation = "caller"; next }
		/calls% \+ context/ || !/\|/ { next }
		{
			left = $0; sub(/ *\|.*/, "", left); name = $0; sub(/.*\|  */, "", name)
			inner = substr($0, 1, 30) ~ /[^ ]/		# this row is the function itself
			if (inner) {
				for (i = 0; i < n; i++)
					print name "|" held[i]
				function_name = name
				relation = "callee"
				next
			}
			sub(/%$/, "", left); sub(/.* /, "", left)
			line = relation "|" name "|" sprintf("%.1f", left)
			if (relation == "caller") held[n++] = line; else print function_name "|" line
		}' | LC_ALL=C sort
}
of_hotdrift() {
	jq -r '.events[].functions[] | .symbol as $f | .rows[] | select(.relation != "function") |
		"\($f)|\(.relation)|\(.symbol)|\(.function_pct)"' |
		awk -F'|' 'BEGIN { OFS = "|" } { $4 = sprintf("%.1f", sprintf("%.2f", $4)); print }' | LC_ALL=C sort
}

@test "callers and callees have the shares of pprof -peek" {
	command -v go >/dev/null || skip "go is not installed"
	command -v jq >/dev/null || skip "jq is not installed"
	export PPROF_TMPDIR=$TMPDIR GOFLAGS='' GOTOOLCHAIN=local
	for name in calls family; do
		recording=$TOP/fixtures/recordings/$name
		"$HOTDRIFT" convert --symfs "$recording/symfs" --to pprof -o "$name.pb.gz" "$recording/perf.data"
		go tool pprof -peek . "$name.pb.gz" 2>/dev/null >"$name.pprof" ||
			skip "go tool pprof does not work here"
		of_pprof <"$name.pprof" >want
		"$HOTDRIFT" report --peek '*' --json --symfs "$recording/symfs" "$recording/perf.data" >"$name.json"
		of_hotdrift <"$name.json" >got
		[ -s want ]
		diff want got
	done
}

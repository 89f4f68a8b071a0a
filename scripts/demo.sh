#!/usr/bin/env bash
# demo.sh - profile a real workload and show its top 5
#
# `make demo` runs this script after setup and build.  If perf cannot record, the script reports the reason and the
# command that allows it, and analyses a shipped recording instead.
set -euo pipefail

me=demo
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=scripts/lib/common.sh
. "$here/lib/common.sh"
cd -- "$here/.."

out=${O:-build}
export HOTDRIFT=${HOTDRIFT:-$out/hotdrift}
find_hotdrift
export HOTDRIFT=$hotdrift
shipped=fixtures/recordings/memgraph-cpu
workload=$out/workloads/memgraph/profile/memgraph

tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-demo.XXXXXX")
trap 'rm -rf -- "$tmp"' EXIT
trap 'exit 6' HUP INT TERM

profile=(scripts/profile.sh cpu --target memgraph --result-path "$tmp/path")
symfs=''
if scripts/profile.sh cpu --check 2>"$tmp/why"; then
	absolute folder "$out/workloads/memgraph"
	say "building the workload, fixtures/workloads/memgraph, with frame pointers and debug information"
	if ! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory \
		-C fixtures/workloads/memgraph O="$folder" profile >"$tmp/build.log" 2>&1 </dev/null; then
		tail -n 20 -- "$tmp/build.log" >&2
		die 6 "the workload could not be built; the end of make's output is above"
	fi
	say "recording it"
	"${profile[@]}" -- "$workload" run </dev/null
else
	cat -- "$tmp/why" >&2
	say "perf cannot record here, so the shipped recording in $shipped is analysed instead"
	symfs=" --symfs $shipped/symfs"
	"${profile[@]}" --from "$shipped/perf.data" --symfs "$shipped/symfs"
fi

IFS= read -r folder <"$tmp/path"
run=$(sed -n 's/^  "run": "\(.*\)",$/\1/p' "$folder/run.json")
db=$(sed -n 's/^  "db": "\(.*\)"$/\1/p' "$folder/run.json")
folder=${folder#"$PWD"/} db=${db#"$PWD"/}
page=${db%/*}/report.html
"$HOTDRIFT" html --db "$db" --target memgraph -o "$page" >/dev/null || page=''
cat <<END

What to look at next:
  $folder/flamegraph.svg
      open it in a browser: click to zoom, / to search, Esc to reset
  $out/hotdrift report -n 0 $folder/perf.data$symfs
      the same as tables, with all symbols
  $out/hotdrift log --top5 $run --db $db
      the row of this run in the hotspot database
  $out/hotdrift expect fixtures/workloads/memgraph/expect.txt --run $run --db $db
      check the shares against those that the workload should have
${page:+  $page
      the history of all its runs as one page, in a browser
}  scripts/profile.sh cpu -- CMD
      the same for your own program
END
[ -n "$symfs" ] || cat <<END
  make demo
      run it again to see what changed since this run
END

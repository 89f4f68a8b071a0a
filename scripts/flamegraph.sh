#!/usr/bin/env bash
# flamegraph.sh - a flamegraph of a recording, or of a command
#
# A thin door: `hotdrift flame` draws, `profile.sh cpu` records.
set -euo pipefail

me=flamegraph.sh
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=scripts/lib/common.sh
. "$here/lib/common.sh"

usage() {
	cat <<'END'
usage: flamegraph.sh [options of hotdrift flame] FILE [-o OUT.svg]
       flamegraph.sh [options of profile.sh] -- CMD [ARGS...]

The first draws a recording.  The second records CMD, keeps the run as
profile.sh does, and prints nothing on stdout but the path of the flamegraph;
what CMD and profile.sh print goes to stderr.
END
}

record=no
for arg; do
	if [ "$arg" = -- ]; then
		record=yes
		break
	fi
done

case ${1:-} in
'')	usage >&2
	exit 2 ;;
-h | --help)
	usage
	exit 0 ;;
esac

if [ "$record" = no ]; then
	find_hotdrift
	exec "$hotdrift" flame "$@"
fi

tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-flamegraph.XXXXXX")
trap 'rm -rf -- "$tmp"' EXIT
trap 'exit 6' HUP INT TERM
status=0
"$here/profile.sh" cpu --result-path "$tmp/path" "$@" >&2 || status=$?
if [ -s "$tmp/path" ]; then
	IFS= read -r folder <"$tmp/path"
	[ ! -s "$folder/flamegraph.svg" ] || printf '%s\n' "$folder/flamegraph.svg"
fi
exit "$status"

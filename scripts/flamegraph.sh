#!/usr/bin/env bash
# flamegraph.sh - draw a flamegraph of a recording, or record a command and draw its flamegraph
#
# The script uses `hotdrift flame` to draw and `profile.sh cpu` to record.
set -euo pipefail

me=flamegraph.sh
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=scripts/lib/common.sh
. "$here/lib/common.sh"

usage() {
	cat <<'END'
usage: flamegraph.sh [options of hotdrift flame] [FILE] [-o OUT.svg]
       flamegraph.sh [options of profile.sh] [-o OUT.svg] -- CMD [ARGS...]

The first draws a recording, ./perf.data without a FILE.  The second records
CMD, keeps the run as profile.sh does, and prints nothing on stdout but the path
of the flamegraph, which is OUT.svg with -o; what CMD and profile.sh print goes
to stderr.
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
-h | --help)
	usage
	exit 0 ;;
esac
if [ $# = 0 ] && [ ! -e perf.data ]; then
	usage | head -n 2 >&2
	die 2 "no recording is named, and there is no ./perf.data"
fi

if [ "$record" = no ]; then
	find_hotdrift
	exec "$hotdrift" flame "$@"
fi

# Take -o from the options before the --; the others are options of profile.sh.
out=''
words=()
while [ "$1" != -- ]; do
	case $1 in
	-o | --output)
		[ "$2" != -- ] || die 2 "$1 needs a value"
		out=$2
		shift ;;
	-o?*) out=${1#-o} ;;
	--output=*) out=${1#*=} ;;
	*) words+=("$1") ;;
	esac
	shift
done

tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-flamegraph.XXXXXX")
trap 'rm -rf -- "$tmp"' EXIT
trap 'exit 6' HUP TERM
# A terminal interrupts profile.sh, too, which keeps what it has recorded and ends by itself.
trap : INT
status=0
"$here/profile.sh" cpu --result-path "$tmp/path" "${words[@]}" "$@" >&2 || status=$?
if [ -s "$tmp/path" ]; then
	IFS= read -r folder <"$tmp/path"
	if [ -s "$folder/flamegraph.svg" ]; then
		svg=$folder/flamegraph.svg
		if [ "$out" = - ]; then
			cat -- "$svg"
			svg=''
		elif [ -n "$out" ]; then
			cat -- "$svg" >"$out" || die 6 "cannot write '$out'"
			svg=$out
		fi
		[ -z "$svg" ] || printf '%s\n' "$svg"
	fi
fi
exit "$status"

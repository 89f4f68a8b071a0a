#!/bin/bash
# peers.sh [N [SEED]] - read the mutants of run-mutants.sh with other readers of perf.data
#
# The damaged recordings (300, seed 1; from seeds made here and fixtures/) and the limits (10 s of CPU, 2 GiB) are those
# of run-mutants.sh.  The readers are perf report, perf script and hotspot-perfparser, if installed, and hotdrift info.
# For each reader, a line has the number of crashes, of time-outs, of error messages with status 0, and of files of
# class E (with a broken bound) that were read without a message.  In the last case the reader either returned wrong
# data, or does not read the damaged part.
set -u
cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}
n=${1:-300}
seed=${2:-1}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-peers.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/seeds" "$tmp/data" "$tmp/empty"
export LIMITED_OUT=$tmp/took LC_ALL=C HOME=$tmp
"$O/tests/mutants/mutants" seeds "$tmp/seeds"
for file in fixtures/recordings/*/*.data; do
	cp "$file" "$tmp/seeds/$(basename "$(dirname "$file")")-$(basename "$file")"
done
"$O/tests/mutants/mutants" make "$n" "$seed" "$tmp/data" "$tmp/seeds"/* || exit 1
parser=
for file in hotspot-perfparser /usr/lib/*/libexec/hotspot-perfparser /usr/libexec/hotspot-perfparser; do
	if command -v "$file" > /dev/null; then parser=$file; fi
done

reader() {
	case $1 in
	"perf report") "$O/tests/limited" perf report --stdio --symfs "$tmp/empty" -i "$2" ;;
	"perf script") "$O/tests/limited" perf script --symfs "$tmp/empty" -i "$2" ;;
	hotspot-perfparser) "$O/tests/limited" "$parser" --input "$2" --output /dev/null ;;
	"hotdrift info") "$O/tests/limited" "$O/hotdrift" info --symfs "$tmp/empty" "$2" ;;
	esac > "$tmp/out" 2> "$tmp/err" < /dev/null
}

# Print the number of messages of the reader in $tmp/err.  More messages than for the undamaged seed count as reports of
# the damage.
words() {
	if [[ $who == hotdrift* ]]; then
		grep -vE 'no symbols|is not the build' "$tmp/err" | grep -c '^hotdrift: '
		return
	fi
	grep -ciE 'error|fail|corrupt|invalid|lost|damage|truncat|cut off|unexpected|not |warn|skipp|bad ' "$tmp/err"
}

printf '%-20s %8s %8s %8s %16s %12s %10s\n' reader mutants crashes time-outs 'errors, status 0' 'silent of E' 'peak MiB'
for who in "perf report" "perf script" hotspot-perfparser "hotdrift info"; do
	if [ "$who" = hotspot-perfparser ] && [ -z "$parser" ]; then
		echo "skipped: $who: not installed"
		continue
	fi
	crash=0 hang=0 error0=0 silent=0 all=0 broken=0 peak=0
	declare -A usual=()
	for file in "$tmp/seeds"/*; do
		reader "$who" "$file"
		usual[$(basename "$file")]=$(words)
	done
	while IFS=$'\t' read -r file from _ class _; do
		[ "$file" != file ] || continue
		all=$((all + 1))
		: > "$LIMITED_OUT"
		reader "$who" "$tmp/data/$file"
		read -r status _ kib < "$LIMITED_OUT"
		[ "$kib" -le "$peak" ] || peak=$kib
		case $status in
		137 | 142 | 152) hang=$((hang + 1)) ;;
		1[2-9][0-9]) crash=$((crash + 1)) ;;
		0)	! grep -qiE '(^|[^a-z])(error|failed)' "$tmp/err" || error0=$((error0 + 1)) ;;
		esac
		if [ "$class" = E ]; then
			broken=$((broken + 1))
			[ "$status" != 0 ] || [ "$(words)" -gt "${usual[$from]}" ] || silent=$((silent + 1))
		fi
	done < "$tmp/data/manifest.tsv"
	printf '%-20s %8d %8d %8d %16d %12s %10d\n' "$who" $all $crash $hang $error0 "$silent of $broken" \
		$((peak / 1024))
done

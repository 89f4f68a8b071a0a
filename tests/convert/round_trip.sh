# round_trip.sh - test that a recording and its pprof file have the same events, samples, weights, stacks and kinds of
# frames
# shellcheck shell=bash disable=SC2154
#
# tests/run-convert.sh sources this file.  For each recording of fixtures/ and the corpus that `convert` reads: `info`
# gives the same samples and weight of each event, and `fold --annotate --event EVENT` prints the same lines, of the
# recording and of its pprof file.
#
#   DIR=FOLDER   recordings NAME.perf.data and NAME.perf.data.xz; default: ../shared/corpus
#   EVENTS=N     compare the stacks of at most N events of a recording (default 2)

# events INPUT...: print `EVENT SAMPLES WEIGHT` for each event with samples
events() {
	"$hotdrift" info --json "$@" 2>/dev/null |
		jq -r '.events[] | select(.samples > 0) | "\(.name) \(.samples) \(.weight)"'
}

# same WHAT: pass if the files want and got are equal
same() {
	if cmp -s want got; then pass; else fail "$1" "$(diff want got | head -n 4 | cut -c 1-300)"; fi
}

# round_trip NAME INPUT...: compare a recording with its pprof file; return if `convert` rejects it
round_trip() {
	local name=$1 event more
	shift
	"$hotdrift" convert --to pprof "$@" -o profile.pb.gz 2>errors || return
	events "$@" >found
	sort found >want
	# pprof has a type EVENT_samples beside EVENT
	events profile.pb.gz | awk 'NR == FNR { is[$1] = 1; next } $1 in is' found - | sort >got
	same "$name as pprof: samples and weights"
	while read -r event _; do
		"$hotdrift" fold --annotate --event "$event" "$@" >want 2>/dev/null
		"$hotdrift" fold --annotate --event "$event" profile.pb.gz >got 2>/dev/null
		same "$name as pprof: stacks of $event"
	done < <(head -n "$EVENTS" found)
	more=$(($(wc -l <found) - EVENTS))
	[ "$more" -le 0 ] || left_out+=" $name ($more)"
}

EVENTS=${EVENTS:-2} DIR=${DIR:-$top/../shared/corpus} left_out=''
for recording in "$top"/fixtures/recordings/*/*.data; do
	folder=$(dirname "$recording")
	round_trip "$(basename "$folder")/$(basename "$recording")" "$recording" --symfs "$folder/symfs"
done
[ -d "$DIR" ] || skip "the corpus as pprof" "there is no folder $DIR"
for recording in "$DIR"/*.perf.data "$DIR"/*.perf.data.xz; do
	[ -e "$recording" ] || continue
	case $recording in
	*.xz) xz -dc "$recording" >corpus.data || fail "$recording" "xz cannot unpack it" ;;
	*) cp "$recording" corpus.data ;;
	esac
	round_trip "$(basename "${recording%.xz}" .perf.data)" corpus.data
done
[ -z "$left_out" ] || skip "stacks of more than $EVENTS events as pprof" "$left_out"

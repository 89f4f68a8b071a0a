#!/bin/bash
# store.sh - make bench-store: measure commands on a database of 10,000 runs of 2,000 symbols
#
#   RUNS=10000 SYMBOLS=2000 SEED=1    size of the database, which history.c makes once in O/bench
#   TRIES=3                           runs of each command; the fastest one counts, because other load slows it
#   HOTDRIFT=                         a program other than O/hotdrift
#
# Prints CPU seconds (user and system, getrusage) as a table and fails when a goal is missed.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
RUNS=${RUNS:-10000} SYMBOLS=${SYMBOLS:-2000} SEED=${SEED:-1} TRIES=${TRIES:-3}
HOTDRIFT=${HOTDRIFT:-$O/hotdrift}
work=$O/bench
mkdir -p "$work/bin"
db=$work/history-$RUNS-$SYMBOLS-$SEED.db
${CC:-cc} -O2 -o "$work/bin/cpu" "$here/cpu.c"
missed=0

if [ ! -s "$db.made" ]; then
	rm -f "$db" "$db-wal" "$db-shm"
	echo "making $db: $RUNS runs of $SYMBOLS symbols" >&2
	"$O/tests/bench/history" "$db" "$RUNS" "$SYMBOLS" "$SEED" >"$db.new"
	mv "$db.new" "$db.made"
fi
made() { sed -n "s/^$1 //p" "$db.made"; }

row() {	# WHAT VALUE UNIT GOAL ('-': none)
	local verdict=''

	if [ "$4" != - ]; then
		verdict=missed
		if awk -v v="$2" -v g="$4" 'BEGIN { exit !(v <= g) }'; then verdict=reached;
		else missed=$((missed + 1)); fi
	fi
	printf '| %s | %s %s | %s | %s |\n' "$1" "$2" "$3" "$4" "$verdict"
}

cost() {	# GOAL COMMAND [ARG...]
	local goal=$1 best='' one i
	shift

	if ! "$HOTDRIFT" help 2>&1 | grep -q "^  *$1 "; then
		echo "skipped: bench-store: there is no command $1" >&2
		return 0
	fi
	for i in $(seq "$TRIES"); do
		"$work/bin/cpu" "$work/cpu.out.$i" 60 "$HOTDRIFT" "$@" --db "$db" >"$work/answer" 2>"$work/messages"
		read -r one _ <"$work/cpu.out.$i"
		rm -f "$work/cpu.out.$i"
		if [ -z "$best" ] || awk -v a="$one" -v b="$best" 'BEGIN { exit !(a < b) }'; then best=$one; fi
	done
	if [ "$1" = gate ] && ! grep -q '^drift ' "$work/answer"; then
		echo "FAILED: $*: nothing was tested" >&2
		missed=$((missed + 1))
	fi
	if grep -q error "$work/messages"; then
		echo "FAILED: $*: $(head -1 "$work/messages")" >&2
		missed=$((missed + 1))
	fi
	row "\`$*\`" "$(printf '%.3f' "$best")" s "$goal"
}

echo "$RUNS runs of $SYMBOLS symbols, $(made rows_per_run) rows of hotspot a run, $(($(made bytes) / 1000000)) MB"
echo
echo '| what | measured | goal | |'
echo '|---|--:|--:|---|'
row 'bytes of a run, without stacks' "$(made bytes_per_run)" '' 100000
row 'CPU of add beyond the analysis, median of the last 50' "$(made add_ms_median)" ms 50
symbol=engine3::function0123
cost 0.2 log
cost 0.2 log --target engine --json
cost 0.2 log --top5 latest:engine --changes
cost 0.2 show latest:engine
cost 0.2 history "$symbol" --target engine
cost 0.2 history "$symbol" --target engine -n 0
cost 0.2 history --target engine
cost 0.2 history --series p99 --target engine
last=$("$HOTDRIFT" query --db "$db" --csv "SELECT sha FROM commit_info ORDER BY id DESC LIMIT 1 OFFSET 2" | tail \
	-n 1 | tr -d '"')
before=$("$HOTDRIFT" query --db "$db" --csv "SELECT sha FROM commit_info ORDER BY id DESC LIMIT 1 OFFSET 7" | tail \
	-n 1 | tr -d '"')
# Take runs of the usual configuration, and five commits before them with another build, because equal builds are
# not tested.
cost 0.2 gate --base "$before" --head "$last" --target engine --no-record
one() {
	"$HOTDRIFT" query --db "$db" --csv "SELECT MAX(r.run_id) FROM run r JOIN commit_info c ON c.id = r.commit_id
		WHERE c.sha = '$1' AND r.target = 'engine'" | tail -n 1 | tr -d '"'
}
cost 0.2 gate --base "$(one "$before")" --head "$(one "$last")" \
	--no-record	# compared with the thirty commits before it
cost - log -n 0
for name in top5 leaders machines losses runs; do
	case $name in
	leaders) cost - query --name "$name" engine ;;
	*) cost - query --name "$name" ;;
	esac
done
for name in newcomers top5-by-commit set-changes order-shifts cost-per-joule; do
	cost - query --name "$name" engine
done
cost - query --name symbol-history "$symbol"
cost - query --name symbol "$symbol"
cost - query --name growth engine "$(printf '%040x' 1000)"
cost - query --name config-runs \
	"$("$HOTDRIFT" query --db "$db" --csv 'SELECT sha256 FROM config WHERE id = 1' | tail -n 1 | tr -d '"')"
echo
echo "bench-store: $missed goals missed"
[ "$missed" = 0 ]

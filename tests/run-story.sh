#!/bin/bash
# run-story.sh - record the commits of a program and check the gate's verdicts
#
# The script makes a git repository with a program (tests/story/app.c) and a hotdrift.ini.  Branches change the program:
# a planted regression, a rename, an inlining, a refactoring, an improvement.  Each branch is built next to main, both
# are run in turns by `hotdrift bench --profile --add`, and `hotdrift gate` judges.  Branches that pass are merged;
# branches that fail are not, and never become a baseline.
#
# No hardware counter is needed: cpu-clock is sampled, the loops of the program have constant shares, and the limit (15
# %) is far from the planted changes (30 %) and from chance.  The total has the same limit: on a busy machine it moved
# by 10 % between runs of the same work.  After INCONCLUSIVE the script adds runs, as a user would, at most LOOKS times;
# then the machine is too noisy, and the chapter is reported as skipped.
#
#   STORY=FILE    write the commands and their output to FILE, for docs/story.md
#   KEEP=FOLDER   keep the repository in FOLDER
set -u
export LC_ALL=C TZ=UTC NO_COLOR=1 GIT_CONFIG_NOSYSTEM=1
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite story
runs=${RUNS:-5} looks=${LOOKS:-4}
PERF=${PERF:-perf}
CC=${CC:-cc}

temporary_folder
dir=$tmp

needs "commits and what the gate says of them" "$PERF" git make jq
if ! "$PERF" record -q -e cpu-clock:u -g -o "$dir/probe.data" -- true >"$dir/probe.log" 2>&1; then
	skip "commits and what the gate says of them" "perf cannot record here: $(head -n 1 "$dir/probe.log")"
	finish
fi
if ! "$hotdrift" gate --help >/dev/null 2>&1; then
	skip "commits and what the gate says of them" "this hotdrift has no gate"
	finish
fi
export HOME=$dir/home GIT_CEILING_DIRECTORIES=$dir HOTDRIFT_PERF=$PERF
export GIT_AUTHOR_NAME=story GIT_AUTHOR_EMAIL=story@users.noreply.example GIT_COMMITTER_NAME=story \
	GIT_COMMITTER_EMAIL=story@users.noreply.example
mkdir "$dir/home" "$dir/app" "$dir/bin"
ln -s "$hotdrift" "$dir/bin/hotdrift"
export PATH=$dir/bin:$PATH

# ---- commands and their output

told=${STORY:-/dev/null}
: >"$told" || exit 1
tell() { printf '%s\n' "$*" >>"$told"; }
typed() {	# a command line, as a user types it; its output goes into $dir/out and the story
	tell "\$ $*"
	status=0
	"$@" >"$dir/out" 2>&1 || status=$?
	sed "s|$dir|~|g" "$dir/out" >>"$told"
	return 0
}
bad() {		# CHAPTER WHAT
	echo "FAILED: $1: $2"
	sed "s|^|    |" "$dir/out"
	chapter=failed
}

# ---- the repository

cd "$dir/app" || exit 1
git init -q -b main . || exit 1
cp "$top/tests/story/app.c" app.c
printf 'build/app: app.c\n\tmkdir -p build && %s -O1 -g -fno-omit-frame-pointer -o $@ app.c\n' "$CC" >Makefile
cat >hotdrift.ini <<'END'
[target app]
build  = make
run    = build/app
limits = symbols 15, total 15, latency 900, memory 100
END
printf 'build/\nresults/\n' >.gitignore
git add -A && git commit -q -m 'app: rows are parsed, hashed, decoded and summed' || exit 1

branch() {	# NAME MESSAGE SED-SCRIPT: a commit on main, in a worktree ../NAME
	local before

	git worktree add -q -b "$1" "../$1" main || exit 1
	before=$(cat "../$1/app.c")
	sed -i "$3" "../$1/app.c"
	if [ "$before" = "$(cat "../$1/app.c")" ]; then
		echo "FAILED: $1: its change changed nothing"
		failed=$((failed + 1))
		finish
	fi
	git -C "../$1" commit -q -a -m "$2" || exit 1
	tell
	tell "## $2"
	tell
	tell '```diff'
	git -C "../$1" show --format= --unified=0 -- app.c | sed -n '/^@@/d;/^[-+][^-+]/p' >>"$told"
	tell '```'
	tell
	tell '```'
	make -s build/app && make -s -C "../$1" build/app || exit 1
}

# Record main and the branch in turns, then run the gate; repeat while more runs are needed.
judge() {	# NAME
	local look

	for ((look = 1; look <= looks; look++)); do
		typed hotdrift bench --runs "$runs" --warmup 0 --base-dir . --head-dir "../$1" --no-compare --profile \
			../recordings --event cpu-clock:u \
			--freq 9973 --add --target app --session "$1-$look" -- build/app
		[ "$status" = 0 ] || { bad "$1" "bench answers $status"; return; }
		typed hotdrift gate --base main --head "$1" --target app
		[ "$status" = 3 ] || break
	done
	hotdrift gate --base main --head "$1" --target app --no-record --json >"$dir/gate.json" 2>"$dir/gate.err" || :
}

rows() { jq -r ".rows[] | select($1) | .symbol" "$dir/gate.json" | sort -u | tr '\n' ' ' | sed 's/ $//'; }

begin() { chapter=passed; }
end() {		# NAME
	tell '```'
	case $chapter in
	passed) pass ;;
	skipped) ;;
	*) failed=$((failed + 1)) ;;
	esac
}
noisy() {	# NAME: INCONCLUSIVE after all looks
	[ "$chapter" = passed ] && [ "$status" = 3 ] || return 1
	skip "$1" "the gate is INCONCLUSIVE after $looks looks of $runs runs: this machine is too noisy"
	chapter=skipped
}
merged() {	# NAME: fast forward, as one does with what passed
	git merge -q --ff-only "$1" || exit 1
	tell "\$ git merge --ff-only $1"
}
must_not_fail() {	# NAME: PASS, or a shift; then it is merged
	noisy "$1" && return
	[ "$chapter" = passed ] || return
	[ "$status" = 0 ] || { bad "$1" "the gate answers $status"; return; }
	[ -z "$(rows '.verdict == "FAIL"')" ] || bad "$1" "these rows fail: $(rows '.verdict == "FAIL"')"
}

# ---- a regression: +30 % in one function

begin
branch slow 'parse_row: every row is checked once more' \
	'/^APART uint64_t parse_row/,/^}/s/chain(x, 3000)/chain(chain(x, 3000), 900)/'
judge slow
if ! noisy slow && [ "$chapter" = passed ]; then
	[ "$status" = 1 ] || bad slow "the gate answers $status to a function that costs 30 % more"
	[ "$(rows '.verdict == "FAIL"')" = parse_row ] ||
		bad slow "the rows that fail are '$(rows '.verdict == "FAIL"')', not parse_row"
	change=$(jq -r '.rows[] | select(.symbol == "parse_row") | .change_pct' "$dir/gate.json")
	awk -v c="$change" 'BEGIN { exit !(c > 15 && c < 45) }' || bad slow "parse_row is said to cost $change % more"
fi
end slow

# ---- a rename

begin
branch rename 'hash_probe is called hash_lookup' 's/hash_probe/hash_lookup/g'
judge rename
must_not_fail rename
[ "$chapter" = failed ] || merged rename
end rename

# ---- an inlining

begin
branch inline 'mix_block goes into decode' 's/^APART static uint64_t mix_block/static inline uint64_t mix_block/'
judge inline
must_not_fail inline
[ "$chapter" = failed ] || merged inline
end inline

# ---- a pure refactoring: the same work in other words, and in another order

begin
branch refactor 'checksum and parse_row say what they do' \
	'/^APART uint64_t checksum/,/^}/{
		s/return chain(x, 2000) + 1;/uint64_t sum = chain(x, 2000);\n\n\tsum += 1;\n\treturn sum;/
	}
	/^APART uint64_t parse_row/,/^}/{
		s/return chain(x, 3000);/const unsigned rounds = 3 * 1000;\n\n\treturn chain(x, rounds);/
	}'
judge refactor
must_not_fail refactor
[ "$chapter" = failed ] || merged refactor
end refactor

# ---- an improvement

begin
branch faster 'checksum: half the rounds are enough' '/^APART uint64_t checksum/,/^}/s/2000/1000/'
judge faster
must_not_fail faster
if [ "$chapter" = passed ]; then
	change=$(jq -r '.rows[] | select(.symbol == "checksum") | .change_pct' "$dir/gate.json")
	awk -v c="$change" 'BEGIN { exit !(c < -30 && c > -65) }' ||
		bad faster "checksum is said to have changed by $change %, not by -50 %"
	merged faster
fi
end faster

# ---- a failed branch never becomes a baseline

begin
tell
tell '## What the history holds'
tell
tell '```'
typed hotdrift log --limit 6
typed hotdrift verify
[ "$status" = 0 ] || bad history "the history cannot be verified"
want=$(git rev-list --count main)
typed hotdrift query 'SELECT COUNT(DISTINCT commit_sha) FROM v_run_summary'
[ "$(grep -cE "^ *$((want + 1))$" "$dir/out")" = 1 ] || bad history "there are not $((want + 1)) commits with runs"
end history
[ -z "${KEEP:-}" ] || cp -a "$dir/." "$KEEP"
finish

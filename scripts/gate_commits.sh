#!/bin/sh
# gate_commits.sh - build two commits, record them in turns on this machine, and gate the newer one
#
# CI jobs and hooks run this script.  Both sides are recorded in one session in the order A B B A, so no history is
# needed and a drift of the machine affects both.  A side that is not the clean checkout itself is checked out into a
# temporary work tree, which is removed at the end.
#
# Exit: that of 'hotdrift gate': 0 PASS, 1 FAIL, 2 usage, 3 INCONCLUSIVE, 4 NOT_COMPARABLE, 5 bad input; 6 also if a
# side cannot be built or recorded.
set -eu
unset CDPATH	# with it, cd may choose another folder, and prints it

usage() {
	cat <<'END'
usage: gate_commits.sh [options] [-- OPTIONS OF GATE]

  --target NAME   target of hotdrift.ini (default: the only one); its build and run lines are used
  --base REF      compare with the merge base of the head and REF (default origin/main, main, master)
  --head REF      the commit to judge (default HEAD)
  --runs N        runs of each side (default 5)
  --looks N       after INCONCLUSIVE record N times in all at most (default 2)
  --event EVENT   event to sample (default: that of the target, else cycles or cpu-clock)
  --freq HZ       sampling frequency (default: that of the target, else 997)
  --out DIR       write gate.md, gate.xml, gate.sarif, gate-codequality.json, gate.prom and gate.txt
                  to DIR (default: only print the verdict)
END
}

error() {	# STATUS TEXT
	printf 'gate_commits: error: %s\n' "$2" >&2
	exit "$1"
}

target='' base='' head=HEAD runs=5 looks=2 event='' freq='' out=''
while [ $# -gt 0 ]; do
	case $1 in
	--target | --base | --head | --runs | --looks | --event | --freq | --out)
		[ $# -ge 2 ] || error 2 "$1 needs a value"
		case $1 in
		--target) target=$2 ;;
		--base) base=$2 ;;
		--head) head=$2 ;;
		--runs) runs=$2 ;;
		--looks) looks=$2 ;;
		--event) event=$2 ;;
		--freq) freq=$2 ;;
		--out) out=$2 ;;
		esac
		shift 2 ;;
	-h | --help) usage; exit 0 ;;
	--) shift; break ;;
	*) error 2 "unknown option '$1'; gate_commits.sh --help lists them" ;;
	esac
done
for n in "$runs" "$looks"; do
	case $n in *[!0-9]* | '' | 0) error 2 "--runs and --looks take a number above 0, not '$n'" ;; esac
done
hotdrift=${HOTDRIFT:-hotdrift}
hotdrift=$(command -v "$hotdrift") || error 6 "hotdrift is not installed, or HOTDRIFT does not name it"
case $hotdrift in /*) ;; *) hotdrift=$PWD/$hotdrift ;; esac
[ -z "$out" ] || { mkdir -p "$out" && out=$(cd "$out" && pwd); } || error 6 "the folder of --out cannot be made"
# As for 'hotdrift bisect', no hook or monitor that .git/config names is started.  Filters are, because both sides are
# built, and so is what fetches the missing objects of a partial clone.
git() { GIT_TERMINAL_PROMPT=0 command git -c core.hooksPath=/dev/null -c core.fsmonitor=false "$@"; }
root=$(git rev-parse --show-toplevel 2>/dev/null) || error 2 "this folder is not in a git checkout"
cd "$root"

# ---- the two commits

commit() { git rev-parse --verify --quiet --end-of-options "$1^{commit}"; }
head_sha=$(commit "$head") || error 2 "--head: git knows no commit '$head'"
if [ -z "$base" ]; then
	for base in origin/main main origin/master master ''; do
		[ -z "$base" ] || ! commit "$base" >/dev/null || break
	done
	[ -n "$base" ] || error 2 "there is no branch main or master; name the base with --base"
fi
base_tip=$(commit "$base") || error 2 "--base: git knows no commit '$base'; a shallow clone needs fetch-depth: 0"
base_sha=$(git merge-base "$base_tip" "$head_sha") ||
	error 4 "'$base' and '$head' have no common commit here; a shallow clone needs git fetch --unshallow"
if [ "$base_sha" = "$head_sha" ]; then		# on the base branch itself: judge the newest commit
	base_sha=$(commit "$head_sha~") || error 4 "the first commit has no base"
fi

# ---- a folder for each side

tmp=$(mktemp -d "${TMPDIR:-/tmp}/gate-commits.XXXXXX") ||
	error 6 "a temporary folder cannot be made in '${TMPDIR:-/tmp}'"
# shellcheck disable=SC2317	# the trap calls it
cleanup() {
	for side in base head; do
		[ ! -e "$tmp/$side" ] || git -C "$root" worktree remove --force "$tmp/$side" >/dev/null 2>&1 || :
	done
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 6' HUP INT TERM
base_dir=$tmp/base head_dir=$tmp/head
if [ "$(commit HEAD)" = "$head_sha" ] && [ -z "$(git status --porcelain --untracked-files=no)" ]; then
	head_dir=$root
fi
for side in base head; do
	case $side in base) sha=$base_sha dir=$base_dir ;; head) sha=$head_sha dir=$head_dir ;; esac
	[ "$dir" = "$root" ] || git worktree add -q --detach "$dir" "$sha" || error 6 "the $side cannot be checked out"
done

# ---- build and record

# key FOLDER KEY: print a value of the target in the hotdrift.ini of FOLDER.  A value may have several lines.
key() {
	(cd "$1" && "$hotdrift" target -0 ${target:+"$target"}) | sed -z -n "s/^$2=//p" | tr '\0' '\n'
}
# Without --target, 'hotdrift target' lists the names of all targets.
if [ -z "$target" ]; then
	target=$(key "$head_dir" target)
	case $target in
	'') error 2 "there is no target in hotdrift.ini" ;;
	*[!A-Za-z0-9._-]*) error 2 "hotdrift.ini has several targets; name one with --target" ;;
	esac
fi
run=$(key "$head_dir" run)
[ -n "$run" ] || error 2 "target $target of hotdrift.ini has no run line"
folder=$(key "$head_dir" dir)
event=${event:-$(key "$head_dir" event)} freq=${freq:-$(key "$head_dir" frequency)}
for side in base head; do
	case $side in base) dir=$base_dir ;; head) dir=$head_dir ;; esac
	line=$(key "$dir" build 2>/dev/null) || line=''
	line=${line:-$(key "$head_dir" build)}		# a base without the target is built like the head
	[ -z "$line" ] || (cd "$dir/${folder:-.}" && sh -c "$line") >&2 || error 6 "the $side cannot be built: $line"
done

judge() {	# OPTIONS OF GATE
	[ -z "$out" ] || set -- --junit "$out/gate.xml" --sarif "$out/gate.sarif" --comment "$out/gate.md" \
		--codequality "$out/gate-codequality.json" --openmetrics "$out/gate.prom" "$@"
	[ "$look" -gt 1 ] || [ "$looks" = 1 ] || set -- --extend "$@"
	"$hotdrift" gate --target "$target" --base "$base_sha" --head "$head_sha" "$@"
}

status=3 look=0
while [ "$status" = 3 ] && [ "$look" -lt "$looks" ]; do
	look=$((look + 1))
	"$hotdrift" bench --runs "$runs" --target "$target" --base-dir "$base_dir/${folder:-.}" \
		--head-dir "$head_dir/${folder:-.}" --no-compare ${event:+--event "$event"} ${freq:+--freq "$freq"} \
		--profile "$tmp/recordings$look" --add --shell -- "$run" >&2 ||
		error 6 "the two sides cannot be recorded; hotdrift doctor names what is missing"
	status=0
	judge "$@" >"$tmp/gate.txt" || status=$?
done
[ -z "$out" ] || cp "$tmp/gate.txt" "$out/gate.txt" || error 6 "gate.txt cannot be written to '$out'"
# 141: the reader of stdout has closed the pipe, which does not change the verdict.
cat "$tmp/gate.txt" || [ $? = 141 ] || error 6 "the verdict cannot be printed"
exit "$status"

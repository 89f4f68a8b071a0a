# a change that came with a merge is found on the merged branch from stored runs alone
command -v git >/dev/null || { echo "there is no git" >&2; exit 77; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
day=0
commit() {	# MESSAGE COST: make a commit and two runs of it
	day=$((day + 1))
	GIT_AUTHOR_DATE="2026-10-0${day}T12:00:00Z" GIT_COMMITTER_DATE="2026-10-0${day}T12:00:00Z" \
		git -c commit.gpgsign=false commit -q --allow-empty -m "$1"
	run "$2"
	run "$2"
}
run() {
	printf 'main;f %d\nmain;g 80000\n' "$1" >x.folded
	hotdrift add x.folded --commit "$(git rev-parse HEAD)" --recorded 2026-10-20T12:00:00Z >/dev/null 2>&1
}
git -c init.defaultBranch=main init -q .
commit base 20000
git checkout -q -b side
commit 'side 1' 20000
commit 'side 2, which does it' 40000
git checkout -q main
commit 'main 1' 20000
GIT_AUTHOR_DATE=2026-10-05T12:00:00Z GIT_COMMITTER_DATE=2026-10-05T12:00:00Z git -c commit.gpgsign=false merge \
	-q --no-ff -m 'merge side' side
day=5
run 40000
commit 'main 2' 40000
hotdrift bisect --good HEAD~3 --bad HEAD --symbol f

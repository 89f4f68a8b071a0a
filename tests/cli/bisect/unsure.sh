# a change of 25 % is hidden by noisy runs, so bisect does not report "did not move"; it does for quiet equal runs
command -v git >/dev/null || { echo "there is no git" >&2; exit 77; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
day=0
commit() {	# MESSAGE COST...: make a commit and a run of each cost
	day=$((day + 1))
	GIT_AUTHOR_DATE="2026-10-0${day}T12:00:00Z" GIT_COMMITTER_DATE="2026-10-0${day}T12:00:00Z" \
		git -c commit.gpgsign=false commit -q --allow-empty -m "$1"
	shift
	for cost; do
		printf 'main;f %d\nmain;g %d\n' "$cost" $((100000 - cost)) >x.folded
		hotdrift add x.folded --commit "$(git rev-parse HEAD)" --recorded 2026-10-20T12:00:00Z >/dev/null 2>&1
	done
}
git -c init.defaultBranch=main init -q .
commit base 18000 22000
commit same 18000 22000
commit 'a quarter more' 22500 27500
hotdrift bisect --good HEAD~2 --bad HEAD --symbol f 2>&1 || echo "status $?"
hotdrift bisect --good HEAD~2 --bad HEAD --symbol f --json 2>/dev/null | grep -e verdict -e change
rm -rf .git results
day=0
git -c init.defaultBranch=main init -q .
commit base 20000 20100 20050
commit same 20000 20100 20050
hotdrift bisect --good HEAD~1 --bad HEAD --symbol f 2>&1 || echo "status $?"

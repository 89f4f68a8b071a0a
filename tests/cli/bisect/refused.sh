# a search that is impossible is an error; commits without runs are listed
command -v git >/dev/null || { echo "there is no git" >&2; exit 77; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
try() { { hotdrift bisect "$@" 2>&1 || echo "status $?"; } | sed "s|in /.*/results|in .../results|"; }
try --good a --bad b --symbol f
git -c init.defaultBranch=main init -q .
for i in 1 2 3 4; do
	GIT_AUTHOR_DATE="2026-10-0${i}T12:00:00Z" GIT_COMMITTER_DATE="2026-10-0${i}T12:00:00Z" \
		git -c commit.gpgsign=false commit -q --allow-empty -m "change $i"
done
try --good HEAD~3 --bad HEAD
try --good HEAD~3 --symbol f
try --good HEAD~3 --bad HEAD --symbol f --series p99
try --good HEAD~3 --bad HEAD --symbol f --limit -3
try --good HEAD~3 --bad HEAD --symbol f --runs 4 --most 3
try --good nowhere --bad HEAD --symbol f
try --good --output=x --bad HEAD --symbol f
try --good HEAD --bad HEAD~3 --symbol f
try --good HEAD --bad HEAD --symbol f
try --good HEAD~3 --bad HEAD --symbol f
add() {	# COMMIT COST
	printf 'main;f %d\nmain;g 80000\n' "$2" >x.folded
	hotdrift add x.folded --commit "$(git rev-parse "$1")" --recorded 2026-10-20T12:00:00Z >/dev/null
}
add HEAD 40000
try --good HEAD~3 --bad HEAD --symbol f
add HEAD~3 20000
try --good HEAD~3 --bad HEAD --symbol f
try --good HEAD~3 --bad HEAD --symbol nothing
try --good HEAD~3 --bad HEAD --symbol f -- false
try --good HEAD~3 --bad HEAD --symbol f -- true
git worktree list | wc -l
# the target may have any name
odd=$(printf 'a\033b')
for i in 0 1 2 3; do
	printf "main;f %d0000\nmain;g 80000\nmain;h $i\n" "$((i < 2 ? 4 : 2))" >x.folded
	hotdrift add x.folded --db odd.db --target "$odd" --commit "$(git rev-parse HEAD~$i)" \
		--recorded 2026-10-20T12:00:00Z >/dev/null
done
try --db odd.db --target "$odd" --good HEAD~3 --bad HEAD --symbol f | tail -n 3

# the exit status of child processes is known even if the caller ignores SIGCHLD
command -v git >/dev/null || { echo "there is no git" >&2; exit 77; }
env --ignore-signal=CHLD true 2>/dev/null || { echo "env cannot ignore signals here" >&2; exit 77; }
hotdrift() { env --ignore-signal=CHLD hotdrift "$@"; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git -c init.defaultBranch=main init -q .
for i in 1 2 3; do
	GIT_AUTHOR_DATE="2026-10-0${i}T12:00:00Z" GIT_COMMITTER_DATE="2026-10-0${i}T12:00:00Z" \
		git -c commit.gpgsign=false commit -q --allow-empty -m "change $i"
	printf 'main;f %d0000\nmain;g 80000\n' "$i" >x.folded
	hotdrift add x.folded --recorded "2026-10-0${i}T12:00:00Z" >/dev/null
done
hotdrift query --csv 'SELECT COUNT(commit_id) AS commits FROM run'
hotdrift bisect --good HEAD~2 --bad HEAD~1 --symbol f | tail -n 2

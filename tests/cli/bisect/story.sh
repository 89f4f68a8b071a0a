# bisect finds among 16 commits that parse_row changes at the 11th; the 8th does not build; none is measured twice
command -v git >/dev/null || { echo "there is no git" >&2; exit 77; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git -c init.defaultBranch=main init -q repo
cd repo || exit
commit() {	# NUMBER COST
	echo "$2" >cost
	echo "$1" >number
	git add cost number
	GIT_AUTHOR_DATE="2026-10-$(printf %02d "$1")T12:00:00Z" \
		GIT_COMMITTER_DATE="2026-10-$(printf %02d "$1")T12:00:00Z" \
		git -c commit.gpgsign=false commit -q -m "change $1"
}
for i in 1 2 3 4 5 6 7 8 9 10; do
	commit $i 1000
	[ $i != 1 ] || git tag good
done
commit 11 1300
for i in 12 13 14 15 16; do commit $i 1300; done
cat >../measure.sh <<'END'
#!/bin/sh
# Write a profile with the cost that the commit names, plus a small variation.
number=$(cat number)
[ "$number" != 8 ] || exit 2
echo "$number" >>"$STORY/measured"
touch built
n=$(grep -c "^$number\$" "$STORY/measured")
printf 'serve;main;parse_row %d00\nserve;main;decode 200000\nserve;main;emit 100000\n' \
	$(($(cat cost) + n * 7 % 5)) >"$STORY/x.folded"
exec hotdrift add "$STORY/x.folded" --db "$HOTDRIFT_DB" --target "$HOTDRIFT_TARGET" \
	--commit "$HOTDRIFT_COMMIT" --recorded 2026-10-20T12:00:00Z
END
chmod +x ../measure.sh
STORY=$(cd .. && pwd)
export STORY
echo mine >>cost; echo mine >untracked
hotdrift bisect --db ../h.db --good good --bad HEAD --symbol parse_row --runs 2 -- "$STORY/measure.sh" 2>/dev/null
echo "runs made: $(wc -l <../measured)"
git status --short
git worktree list | wc -l
ls -d .git/hotdrift* 2>/dev/null || true
echo '# again: all of it is known'
hotdrift bisect --db ../h.db --good good --bad HEAD --symbol parse_row --runs 2 | tail -2
hotdrift bisect --db ../h.db --good good --bad HEAD --symbol parse_row --runs 2 -- "$STORY/measure.sh" 2>/dev/null |
	tail -2
echo "runs made: $(wc -l <../measured)"
echo '# emit moved the other way; before the tenth nothing moved'
hotdrift bisect --db ../h.db --good good --bad HEAD --symbol emit --json | grep -v '^    {'
hotdrift bisect --db ../h.db --good good --bad HEAD~10 --symbol parse_row -- "$STORY/measure.sh" 2>/dev/null ||
	echo "status $?"

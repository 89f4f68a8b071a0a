# gate --bisect in 'git bisect run' finds the commit that made parse_row slower, although one commit has no runs;
# its exit status is always 0, 1 or 125
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
usually >usual
sed 's/parse_row 1210/parse_row 1560/' usual >slow
runs usual
git tag v1
for n in 2 3 4 5 6 7 8; do
	git commit -q --allow-empty -m "change $n"
	git tag "v$n"
	case $n in
	4) ;;			# this commit has no runs
	6 | 7 | 8) runs slow ;;
	*) runs usual ;;
	esac
done
hotdrift query --db h.db 'SELECT COUNT(*) FROM gate_result'
git bisect start v8 v1 >/dev/null 2>&1
# The message about the commit depends on the version of git.
git bisect run hotdrift gate --db h.db --bisect 2>&1 | grep -o 'is the first bad commit'
git describe --tags refs/bisect/bad
git bisect log | grep -c '^# skip'
echo '== each commit against the good one'
for n in 2 4 5 6 8; do
	git checkout -q "v$n"
	s=0
	hotdrift gate --db h.db --bisect >out 2>err || s=$?
	echo "v$n: status $s, $(head -1 out | cut -d ' ' -f 1)"
done
echo '== and against another'
git checkout -q v8
status hotdrift gate --db h.db --bisect --base v7
git bisect reset >/dev/null 2>&1
echo '== what went wrong is neither good nor bad'
git checkout -q v8
status hotdrift gate --db h.db --bisect
status hotdrift gate --db h.db --bisect --base v1 --json --markdown
status hotdrift gate --db absent.db --bisect --base v1
status hotdrift gate --bisect --base v1 --no-such-option
status hotdrift gate --db h.db --bisect --base v4
status hotdrift gate --db h.db --base v1 --no-such-option
echo '== nothing was kept'
hotdrift query --db h.db 'SELECT COUNT(*) FROM gate_result'

# a program that is slower as a whole does not pass; a cold function that becomes hot fails; cheaper work fails nothing
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
usually >usual
runs usual
scaled() { awk -v k="$1" '{ w = $NF; sub(/ [0-9]+$/, ""); print $0 " " int(w * k + 0.5) }'; }
commit broad
scaled 1.2 <usual >broad
runs broad
commit worked
runs broad --work 1000
commit cheaper
sed -e 's/parse_row 1210/parse_row 600/' -e 's/memmove 1500/memmove 750/' -e 's/idle 1200/idle 600/' \
	-e 's/fmt 900/fmt 450/' \
	-e 's/put 700/put 350/' -e 's/decode 800/decode 400/' usual >cheaper
runs cheaper
commit hot
sed 's/mark 330/mark 30/' usual >cold
runs cold
commit hotter hot
sed 's/mark 330/mark 2400/' usual >hot
runs hot
commit uneven
{ grep emit usual; grep -v emit usual | scaled 1.25; } >uneven
runs uneven
for branch in broad cheaper uneven; do
	git checkout -q "$branch"
	echo "== $branch"
	status hotdrift gate --db h.db
done
git checkout -q hotter
echo "== a cold function becomes hot"
status hotdrift gate --db h.db --base hot
echo "== its growth is acknowledged, so the total passes"
status hotdrift ack mark --level 30 --reason "does more" --target serve --db h.db
status hotdrift gate --db h.db --base hot --comment comment.md
grep '^Total' comment.md
# With the work of each run known, a program that is slower as a whole fails.
git checkout -q main
git commit -q --allow-empty -m base
runs usual --work 1000
commit slower
runs broad --work 1000
echo "== with the work known"
status hotdrift gate --db h.db
status hotdrift ack total --level 2e5 --reason "does more" --db h.db
status hotdrift gate --db h.db

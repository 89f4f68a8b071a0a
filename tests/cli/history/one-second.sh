# commits of one second are in the order of their parents, also if an older one is measured later
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
sed 's/parse_row 1210/parse_row 1560/' usual >slow
one() {	# STACKS COMMIT
	made=$((made + 1))
	awk -v run=$made '{
		w = $NF
		sub(/ [0-9]+$/, "")
		print $0 " " w * 10 + (run * 7 + NR * 3) % 11
	}' "$1" >run.folded
	hotdrift add run.folded --db h.db --target serve --commit "$2" --recorded "2026-11-20T10:$((10 + made)):00Z" \
		>/dev/null 2>&1
}
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	git commit -q --allow-empty -m "c$i"
	[ $i -lt 7 ] && stacks=usual || stacks=slow
	[ $i = 3 ] || [ $i = 5 ] || one "$stacks" "$(git rev-parse HEAD)"
done
one usual "$(git rev-parse HEAD~9)"
one usual "$(git rev-parse HEAD~7)"
hotdrift history parse_row --db h.db | awk '{ print $NF }' | grep '^c[0-9]' | paste -s -d ' '

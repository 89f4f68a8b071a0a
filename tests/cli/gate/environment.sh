# runs are compared only if the variables named in hotdrift.ini are equal; interrupted runs are ignored
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
usually >usual
printf '[target t]\nenv = HARDENED, SERVE_*\n' >hotdrift.ini
add() {
	sed "s/memmove 1500/memmove 150$1/" usual >run.folded
	# shellcheck disable=SC2086	# words
	hotdrift add run.folded --db h.db --target t --recorded "2026-11-20T1$1:00:00Z" --side "$2" \
		--session "$2" $3 | sed -n 's/^run *//p'
}
one=$(add 0 base '--env HARDENED=0')
two=$(add 1 head '--env HARDENED=1')
three=$(add 2 head '--env HARDENED=0 --env SERVE_X=7')
cut=$(add 3 head '--env HARDENED=0 --status interrupted')
mask() { sed 's/-[0-9a-f]\{7\}-[0-9a-f]\{8\}/-X/g'; }
status hotdrift gate --db h.db --base "$one" --head "$two" | mask
status hotdrift gate --db h.db --base "$one" --head "$three" | mask
hotdrift show "$two" --db h.db | grep ^variable
status hotdrift gate --db h.db --base "$one" --head "$cut" 2>&1 | mask

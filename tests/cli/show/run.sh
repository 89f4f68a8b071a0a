# show prints all stored data of one run; hostile names are escaped
printf 'main;\033[2J\\x1b;f 3\nmain;g\342\200\256 2\nmain;[unknown] 1\n' >a.folded
printf '{"b":1,"a":2}' >c.json
hotdrift add a.folded --target 'se
rve' --recorded 2026-11-20T14:01:02Z --config c.json --exit-status 3 --command 'serve --fast' --session job7 >/dev/null
mask() {
	sed 's/nocommit-[0-9a-f]*/nocommit-X/; /^added/d; /"added"/d; /^hash/d; /"hash"/d
		/"origin"/d; /"content_hash"/d'
}
hotdrift show | mask
hotdrift show --json | mask

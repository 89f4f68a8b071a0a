# every output refuses another user's link in a sticky world-writable folder, and follows a link of this user
[ "$(id -u)" = 0 ] || { echo "only root can make links of another user" >&2; exit 77; }
printf 'main;parse 30\n' >a.folded
printf 'a key of many bytes, made here\n' >key; chmod 600 key
hotdrift add a.folded --target t --commit none --db h.db >/dev/null 2>&1
shared() { rm -rf shared private; mkdir shared private; chmod 1777 shared; ln -s ../private shared/dir; ln \
	-s ../private/file shared/file; }
# With fs.protected_symlinks the kernel may refuse the link first.
refused_by() { [ "$status" != 0 ] && grep \
	-q -e "is a link of another user (uid $1) in a sticky folder that everybody can write" \
	-e 'Permission denied' err; }
kinds() {	# UID: outputs through links of this user
	for words in "top a.folded -o shared/file" "flame a.folded -o shared/dir/new" \
		"bundle $FIXTURES/recordings/memgraph-cpu/perf.data -o shared/file" \
		"html --db h.db -o shared/file" "fold a.folded -o shared/file" \
		"analyze a.folded -o shared/dir" "analyze a.folded -o shared/dir/new" \
		"sample -o shared/dir --memory -- true" "sample -o shared/dir/new --memory -- true" \
		"verify --db h.db --key key --sign --anchors shared/file" \
		"verify --db h.db --key key --sign --anchors shared/dir/new" \
		"add a.folded --target t --commit none --db shared/file" \
		"add a.folded --target t --commit none --db shared/dir/new" \
		"bench --runs 1 --profile shared/dir/new -- true" "gate --db h.db --target t --junit shared/file" \
		"log --db h.db -o shared/file"; do
		shared
		chown -h "$1" shared/file shared/dir
		status=0
		# shellcheck disable=SC2086	# words
		hotdrift $words >out 2>err || status=$?
		refused=no
		! refused_by "$1" || refused=yes
		wrote=no
		[ -z "$(ls -A private)" ] || wrote=yes
		printf 'refused %-3s  wrote %-3s  %s\n' "$refused" "$wrote" "$words"
	done
}
kinds 12345
kinds 0
# an existing database, too
shared
mv h.db private/file
chown -h 12345 shared/file
status=0
hotdrift add a.folded --target t --commit none --db shared/file 2>err || status=$?
refused_by 12345 && echo "status $status"

# the commands after `next` work for names that look like options, and for code without symbols
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
for name in '-[NSString length]' '--help' '[unknown]'; do
	rm -f h.db
	git checkout -q main
	usually | sed "s/gc 380/$name 380/" >usual
	sed "s/\(main;.*\) 380/\1 980/" usual >slow
	runs usual
	commit "of${#name}"
	runs slow
	hotdrift gate --db h.db >out 2>/dev/null || true
	grep '^R' out
	sed -n 's/^next *//p; s/^  *\(hotdrift ack .*\)/\1/p' out >next
	cat next
	sh next >printed 2>&1 || echo "status $?"
	grep -E 'with callees|acknowledged|error' printed
done

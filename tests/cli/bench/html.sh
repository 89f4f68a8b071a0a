# the page is one file that loads nothing else; hostile texts are encoded
hotdrift bench -r 3 --html page.html --throughput bytes=10 --target '<b>&' -- sh -c ': "<script>alert(1)</script>"' \
	>/dev/null
grep -c "default-src 'none'" page.html
grep -oE '<h1>.*</h1>' page.html
grep -c 'alert(1)</script>' page.html || true
grep -oE 'class="(violin|box|median|dot|mean)"' page.html | sort | uniq -c | sed 's/^ *//'
grep -cE '(src|href)=' page.html || true
# there is one violin for each of the two commands, and one for the last stored runs
hotdrift bench -r 2 --add --db h.db --commit none -- true -- sh -c : >/dev/null
hotdrift bench -r 2 --last --db h.db --html page.html -- true -- sh -c : >/dev/null
grep -oE '<b>(last )?(base|head)</b>' page.html
# a single run is shown without an interval and a density
hotdrift bench -r 1 -w 0 --html page.html -- true >/dev/null
grep -oE 'class="(violin|median|dot|mean)"' page.html | sort | uniq -c | sed 's/^ *//'
# a page that cannot be written is an error
status=0; hotdrift bench -r 1 --html no/page.html -- true >/dev/null || status=$?; echo "status $status"

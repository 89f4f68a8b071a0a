# the stacks of a flamegraph can be read again, also from HTML and with hostile names; damage is an error
cat >f <<'END'
app;main;a\x3bb 3
app;main;</metadata><b> 4
app;main;\xff\u{202e} 5
app;sys_read_[k] 2
app;[unknown] 1
END
hotdrift flame f -o f.svg; hotdrift flame f -o f.html; hotdrift flame --reverse f -o r.svg
hotdrift fold --annotate f >want 2>/dev/null || hotdrift fold f >want
for i in f.svg f.html r.svg; do
	hotdrift fold --annotate $i >got 2>/dev/null || hotdrift fold $i >got; cmp want got &&
		echo same
done
head -c 40 f.html; echo
sed 's/class="hd-data">H4s/class="hd-data">H5s/' f.svg >bad.svg; hotdrift fold bad.svg || echo "status $?"
sed 's/hd-data/hd-date/' f.svg >bad.svg; hotdrift fold bad.svg || echo "status $?"

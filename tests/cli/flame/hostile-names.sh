# a name is text in the picture, never markup
printf 'app;<script>alert(1)</script> 5\napp;a"b&c 4\napp;\\u{202e}x 3\n' >f
hotdrift flame f >f.svg
grep -c '<script>alert' f.svg || :
grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' f.svg
grep -q 'a&quot;b&amp;c' f.svg

# JSON of a form that is not read is an error, and no folded text
echo '{"meta": {"version": 27}, "threads": [{"name": "a;b 3"}]}' >firefox.json
printf '[\n {"name": "x;y 3"}\n]\n' >list.json
for f in firefox.json list.json; do
	hotdrift fold $f || echo "status $?"
done
# frames may have such names
printf '[unknown];{main} 3\n' >frames.folded
hotdrift fold frames.folded

# JSON in an unknown format is an error and is not read as folded text
echo '{"meta": {"version": 27}, "threads": [{"name": "a;b 3"}]}' >firefox.json
printf '[\n {"name": "x;y 3"}\n]\n' >list.json
for f in firefox.json list.json; do
	hotdrift fold $f || echo "status $?"
done
# such names are valid frames
printf '[unknown];{main} 3\n' >frames.folded
hotdrift fold frames.folded

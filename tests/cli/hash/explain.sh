# --explain lists the fields in which two configurations differ, from files and from the database
printf '{"b": {"x": 1, "y": [1, 2, 3]}, "a": "one", "only": null, "a.b": true, "same": 1.0}' >a.json
printf '{"a": "two\\u001b[2J\\u202e\\u007f", "b": {"y": [1, 5], "x": 1e0}, "a.b": {"k": "v"}, "new": [1], "same": 1}' \
	>b.json
hotdrift hash --explain a.json b.json
hotdrift hash --explain a.json b.json --json
hotdrift hash --explain a.json a.json
printf '[1]' >c.json
hotdrift hash --explain c.json a.json
printf 'main;f 1\n' >a.folded
hotdrift add a.folded --config a.json >/dev/null
sum=$(hotdrift hash a.json)
hotdrift hash --explain "$(printf %.8s "$sum")" b.json | head -1
hotdrift hash --explain "$sum" a.json
hotdrift hash --explain 0123456789 a.json 2>&1 || echo "status $?"
hotdrift hash --explain a.json 2>&1 || echo "status $?"
hotdrift hash a.json b.json 2>&1 || echo "status $?"

cat >hotdrift.ini <<'END'
# what we profile
[hotdrift]
results = out

[target parser]
description = the parser over a large file
run = build/parser big.json
[target long-name]
build = make profile ; echo done
run =
	build/one
	build/two
END
hotdrift target

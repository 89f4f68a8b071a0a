# zmij writes a sign in positive exponents; other texts and RFC 8785 do not depend on --float
printf '{"model_commit":"c","weights_hash":"w","lambda":1e13,"tau":1,"eps":0.1,"compiler_flags":""}' >c.json
printf '[1e21, 1e16]' >jcs.json
hotdrift hash --canonical c.json
hotdrift hash --canonical --float=ryu c.json
hotdrift hash --canonical --float=zmij c.json
hotdrift hash --canonical --float=zmij c.json | sed -n 2p | tr -d '\n' | sha256sum
hotdrift hash --json --float=zmij c.json
hotdrift hash --canonical --float=zmij jcs.json
status=0; hotdrift hash --float=grisu c.json 2>&1 || status=$?; echo "status $status"

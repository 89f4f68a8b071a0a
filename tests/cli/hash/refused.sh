# invalid configurations: each message has the position, and the exit status is 5
try() { printf '%s' "$1" >c.json; status=0; hotdrift hash c.json 2>&1 || status=$?; echo "status $status"; }
try '{"a":1,"a":2}'
try '{"a":"\ud800"}'
try '{"a":1e400}'
try '{"model_commit":"c","weights_hash":"w","lambda":1,"tau":-1,"eps":1,"compiler_flags":""}'
try '{"model_commit":"c","weights_hash":"w","lambda":1e39,"tau":1,"eps":1,"compiler_flags":""}'
try ''
status=0; hotdrift hash no-such-file 2>&1 || status=$?; echo "status $status"
status=0; hotdrift hash 2>&1 || status=$?; echo "status $status"

# a closed standard output, or a reader that ends early, is not an error
awk 'BEGIN { for (i = 0; i < 20000; i++) print "app;main;function_number_" i, 5 }' >big
{ status=0; hotdrift fold big || status=$?; echo "fold $status" >&2; } | true
{ status=0; hotdrift top -n 0 --json big || status=$?; echo "top $status" >&2; } | true
{ status=0; hotdrift flame big || status=$?; echo "flame $status" >&2; } | head -c 1 >/dev/null
{ status=0; hotdrift help || status=$?; echo "help $status" >&2; } | true
status=0; hotdrift top big >&- || status=$?; echo "closed $status"
status=0; hotdrift help >&- || status=$?; echo "closed help $status"

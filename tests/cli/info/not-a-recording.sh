# info rejects files that are neither recordings nor folded text
printf 'hello, world\n' >a; head -c 100 /dev/zero >b; printf 'PERFILE3........' >c
for f in a b c; do status=0; hotdrift info "$f" || status=$?; echo "status $status"; done

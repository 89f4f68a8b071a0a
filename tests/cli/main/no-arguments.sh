# no command is a usage error, and says which commands there are
status=0; hotdrift >out || status=$?; echo "status $status"
head -n 1 out
hotdrift help | cmp - out

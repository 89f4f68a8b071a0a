# a missing command is a usage error whose message lists the commands
status=0; hotdrift >out || status=$?; echo "status $status"
head -n 1 out
hotdrift help | cmp - out

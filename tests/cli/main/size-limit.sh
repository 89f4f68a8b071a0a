# exceeding the limit on file sizes is an error like a full disk, not a fatal signal; the old file is kept
awk 'BEGIN { for (i = 0; i < 20000; i++) print "app;main;function_number_" i, 5 }' >big
echo old >out
(
	ulimit -f 100
	status=0; hotdrift fold big -o out || status=$?; echo "status $status"
	status=0; hotdrift fold big -o new || status=$?; echo "status $status"
)
cat out
ls -A

# Several threads write large files at once, and the bytes are the same as those of one thread.  A file that cannot be
# written is reported once.
awk 'BEGIN {
	for (i = 0; i < 120000; i++)
		print "app;main;layer_" i % 40 ";step_" i % 977 ";function_with_a_long_enough_name_" i, i % 7 + 1
}' >big
hotdrift analyze --threads 1 big -o one >top.one
hotdrift analyze --threads 4 big -o four >top.four
cmp top.one top.four && diff -r one four && echo the same
hotdrift fold big | cmp - four/folded.txt
hotdrift report --json big | cmp - four/report.json
test "$(wc -c <four/folded.txt)" -gt 8000000 && echo large
(
	ulimit -f 12001
	status=0; hotdrift analyze --threads 4 big -o four || status=$?; echo "status $status"
)
diff -r one four && ls -A four

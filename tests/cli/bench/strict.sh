# bench reports a wall time that varies, with reasons; with --strict the exit status is 3
echo 0 >n
cat >run.sh <<'END'
read n <n
echo $((n + 1)) >n
i=0; while [ $i -lt $((n % 2 * 300000)) ]; do i=$((i+1)); done
END
status=0
hotdrift bench -r 6 -w 0 --strict -- sh run.sh >out || status=$?
echo "status $status"
grep -o '^unsteady  wall time varies by' out
[ "$(grep -c '^          ' out)" -ge 1 ] && echo reasons

# a wall time that varies is said to, with reasons; --strict makes it 3
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

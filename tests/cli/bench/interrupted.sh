# a signal ends the run; bench reports the completed runs and leaves no process behind
cat >run.sh <<'END'
read n <n
echo $((n + 1)) >n
[ "$n" != 3 ] || { echo $$ >pid; kill -INT "$(cat parent)"; while :; do :; done; }
END
echo 0 >n
status=0
sh -c 'echo $$ >parent; exec hotdrift bench -r 9 -w 0 -- sh run.sh' >out || status=$?
echo "status $status"; grep '^runs' out
kill -0 "$(cat pid)" 2>/dev/null && echo "still running" || echo gone
cat n

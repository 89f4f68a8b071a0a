# --add stores each run with its series, at the commit of the checkout in which it ran
for side in old new; do
	git init -q -b main $side
	git -C $side -c user.name=t -c user.email=t@t commit -q --allow-empty -m "$side"
done
cat >run.sh <<'END'
printf 'timestamp_us,watts\n0,10\n1000000,10\n' >power.csv
printf 'depth,width\n1,5\n3,5\n' >queue.csv
END
hotdrift bench -r 2 -w 1 --base-dir old --head-dir new --series power.csv --series queue.csv --add --target app \
	--work 100 --session s1 \
	--db h.db -- sh ../run.sh | grep -E '^added'
hotdrift query --db h.db "SELECT target, status, exit_status, work, session, side, substr(sha, 1, 0) AS known, COUNT(*)
	FROM run JOIN commit_info c ON c.id = commit_id GROUP BY sha, target, status, exit_status, work, session, side
	ORDER BY side"
hotdrift query --db h.db "SELECT kind, name, stat, COUNT(*) FROM v_series WHERE stat IN ('p50', 'joules', 'peak_rss')
	GROUP BY kind, name, stat ORDER BY kind, name, stat"
# the runs of two commands have a session of their own if none is named; that of one command has none
hotdrift bench -r 1 -w 0 --add --target turns --commit none --db h.db -- true -- true >/dev/null
hotdrift bench -r 1 -w 0 --add --target turns --commit none --db h.db -- true -- true >/dev/null
hotdrift bench -r 1 -w 0 --add --target turns --commit none --db h.db -- true >/dev/null
hotdrift query --db h.db "SELECT side, COUNT(DISTINCT session), MIN(session LIKE 'bench-20__-__-__T%Z-%') AS ours
	FROM run WHERE target = 'turns' GROUP BY side ORDER BY side"
# a failed run is stored and marked as failed, without CSV files, because it may not have written them
status=0
hotdrift bench -r 1 -w 0 --add --target app --commit none --db h.db -- sh -c 'exit 9' >/dev/null || status=$?
echo "status $status"
hotdrift query --db h.db "SELECT status, exit_status FROM run WHERE status <> 'ok'"
# latencies that a run writes are stored next to those that bench measures
hotdrift bench -r 1 -w 0 --add --target own --commit none --db h.db --series l.csv -- sh \
	-c 'printf "sample_id,wall_time_us,kernel_time_us,seq_len\n1,7,1,1\n2,7,1,1\n" >l.csv' >/dev/null
hotdrift query --db h.db "SELECT kind, name, value = 7 AS its FROM v_series WHERE target = 'own'
	AND name LIKE '%wall_time_us' AND stat = 'p50' ORDER BY name DESC"
# if a run cannot be added, bench prints a message and leaves no files
status=0
hotdrift bench -r 1 -w 0 --add --target app --db no-such-folder/h.db -- true >/dev/null 2>err || status=$?
sed "s|$PWD/||" err
echo "status $status"
hotdrift query --db h.db \
	"SELECT COUNT(*) FROM v_series WHERE name IN ('wall_time_us', 'peak_rss_bytes') AND stat = 'p50' AND value <= 0"
status=0; hotdrift bench --db h.db -- true || status=$?
echo "status $status"
find "$TMPDIR" -maxdepth 1 -name "hotdrift-bench.*"
# the folder was deleted: the file cannot be created
mkdir gone
status=0
(cd gone && rmdir ../gone && HOTDRIFT_DB=h.db hotdrift bench -r 1 -w 0 --add --target own -- true) >/dev/null ||
	status=$?
echo "status $status"

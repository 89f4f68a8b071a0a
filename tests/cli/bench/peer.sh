# peak RSS and CPU time agree with GNU time
[ -x /usr/bin/time ] || { echo "there is no /usr/bin/time (Debian: time)" >&2; exit 77; }
cat >run.sh <<'END'
x=$(head -c 30000000 /dev/zero | tr '\0' a)
i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done
END
/usr/bin/time -f '%M %U %S' -o time.out sh run.sh
hotdrift bench -r 1 -w 0 --json -- sh run.sh |
	jq -r '.runs[0] | [.peak_rss_bytes / 1024, .user_time_us / 1e6, .kernel_time_us / 1e6] | @tsv' >ours
# memory agrees within 5 %; CPU time within a factor of four, because a busy machine increases it
cat time.out ours | awk '{ m[NR] = $1; t[NR] = $2 + $3 } END {
	print (m[2] > 0.95 * m[1] && m[2] < 1.05 * m[1]) ? "memory agrees" : "memory: " m[1] " and " m[2]
	print (t[2] > t[1] / 4 && t[2] < t[1] * 4) ? "time agrees" : "time: " t[1] " and " t[2] }'

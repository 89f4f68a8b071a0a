# every command has the same output for a bundle as for its recording; prints the commands that differ
n=0
same() {
	what="$*"
	hotdrift "$@" --symfs "$symfs" rec.data >a 2>a.err || echo "status $?" >>a
	mv rec.data kept
	mv x.hdb rec.data
	hotdrift "$@" rec.data >b 2>b.err || echo "status $?" >>b
	mv rec.data x.hdb
	mv kept rec.data
	cmp a b && cmp a.err b.err || echo "$recording: $what"
	n=$((n + 1))
}
for recording in calls/perf.data calls/pipe.data calls/zstd.data copies/perf.data family/perf.data \
	memgraph-cpu/perf.data two-events/perf.data; do
	symfs=$FIXTURES/recordings/${recording%%/*}/symfs
	cp "$FIXTURES/recordings/$recording" rec.data
	hotdrift bundle --symfs "$symfs" rec.data -o x.hdb 2>/dev/null
	same info
	same info --json
	same info --no-stitch --no-inline
	same fold
	same fold --no-inline --annotate
	same fold --demangle full --strip-version
	same fold --no-stitch -j1
	same fold --no-kernel -j2 --weight samples
	same fold --comm app
	same fold --event page-faults
	same flame
	same flame --no-inline
	same top -n 1000
	same top -n 1000 --inline
	same top -n 1000 --lines
	same top -n 1000 --lines --inline
	same top --total
	same report
	same report --json
	same report --by comm,pid,tid,dso,symbol,line
	same report --by line,symbol --inline
	same report --format markdown
	same report --by cpumode,period,symbol
	same report --by event,tid --filter 'cpumode == user && !(cpu > 4096)'
	same fold --filter 'period > 1'
	same top --weight-field period
	same report --by colour
	same fold --filter 'prev_comm == "x"'
	same info --strict
	rm -f x.hdb
done
echo "$n compared"

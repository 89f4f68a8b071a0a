# --only writes only these files, with the same bytes; an unknown name is rejected before the input is read
rec=$FIXTURES/recordings/calls
hotdrift analyze "$rec/perf.data" -o all --symfs "$rec/symfs" >/dev/null
hotdrift analyze "$rec/perf.data" -o some --symfs "$rec/symfs" --only top5.txt,folded.txt >/dev/null
ls some
for f in some/*; do cmp "$f" "all/${f#some/}" && echo same; done
for only in svg "" "folded.txt," "top5.txt,report.md,x"; do
	status=0
	hotdrift analyze absent -o never --only "$only" || status=$?
	echo "exit $status"
done
[ ! -e never ]

# info prints the quality of unwound stacks, with and without stitching
copies() { hotdrift info --symfs "$FIXTURES/recordings/copies/symfs" "$FIXTURES/recordings/copies/perf.data" "$@"; }
copies | sed -n '/^stacks/,/^quality/p'
copies --no-stitch | sed -n '/^stacks/,/^quality/p'
copies --json | sed -n '/"stacks"/,/"quality"/p'
status=0
copies --no-stitch --min-quality 90 | tail -n 1 || status=$?
copies --no-stitch --min-quality 90 >text || status=$?
echo "exit $status"
copies --min-quality 80 >text
hotdrift info --symfs nowhere "$FIXTURES/recordings/copies/perf.data" | sed -n '/^stacks/,/^quality/p'

# A row is a whole function, as in top and gate, for recordings and for stored runs; --inline splits it.
copies=$FIXTURES/recordings/copies
hotdrift add --db h.db --commit none --target copies --recorded 2026-11-20T10:00:00Z --symfs "$copies/symfs" \
	"$copies/perf.data" >/dev/null
printf 'copies;main 23\n' >other.folded
rows() { sed -n '/symbol$/,/^$/p' | awk '{ print $1, $2, $NF }'; }
hotdrift top --symfs "$copies/symfs" "$copies/perf.data" 2>&1 | awk '/%/ { print $2, $NF }'
echo "== a recording"
hotdrift diff --symfs "$copies/symfs" "$copies/perf.data" other.folded | rows
echo "== --inline"
hotdrift diff --inline --symfs "$copies/symfs" "$copies/perf.data" other.folded | rows
echo "== a run"
hotdrift diff --db h.db latest other.folded | rows
echo "== a run and a recording, and the stacks through a function with inlined code"
hotdrift diff --db h.db --symfs "$copies/symfs" latest "$copies/perf.data" --symbol work | tail -n 6

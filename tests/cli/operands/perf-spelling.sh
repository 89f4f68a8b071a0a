# ./perf.data is the default input, and perf's own spellings are accepted where they mean the same
cp "$FIXTURES/recordings/calls/perf.data" .
ln -s "$FIXTURES/recordings/calls/symfs" symfs
hotdrift top --symfs symfs >ours
hotdrift top --symfs symfs -i perf.data --stdio --no-children | cmp - ours && echo same
hotdrift top --symfs symfs --children >total
hotdrift top --symfs symfs --total | cmp - total && echo same
hotdrift report --symfs symfs --by dso,symbol >by
hotdrift report --symfs symfs -i perf.data --sort dso,sym --stdio --no-children | cmp - by && echo same
hotdrift report --symfs symfs -s dso,symbol | cmp - by && echo same
hotdrift top --symfs symfs -n 0 --percent-limit 10
hotdrift report --symfs symfs -s symbol --percent-limit 10
hotdrift top --percent-limit ten || echo "status $?"
hotdrift info -i perf.data --symfs symfs | head -1
hotdrift bundle -i perf.data --symfs symfs -o x.hdb 2>/dev/null && hotdrift top -i x.hdb | cmp - ours && echo same

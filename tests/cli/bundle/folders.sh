# analyze writes the same files from a bundle as from the recording, and add stores the same run, except for the fields
# that describe the input file
differ() { diff -r "$1" "$2" || echo "$recording: $1 and $2 differ"; }
for recording in calls/perf.data copies/perf.data two-events/perf.data; do
	symfs=$FIXTURES/recordings/${recording%%/*}/symfs
	cp "$FIXTURES/recordings/$recording" rec.data
	touch -d '2026-11-20 14:01:02 UTC' rec.data
	hotdrift bundle --symfs "$symfs" rec.data -o x.hdb 2>/dev/null
	mkdir kept
	for way in recording bundle; do
		if [ $way = bundle ]; then
			mv rec.data kept/
			mv x.hdb rec.data
			symfs=
		fi
		hotdrift analyze ${symfs:+--symfs "$symfs"} rec.data -o out.$way >said.$way 2>&1
		sed -i "s/out\.$way/out/" said.$way
		hotdrift add ${symfs:+--symfs "$symfs"} rec.data --db $way.db >/dev/null 2>err.$way
		for options in "-n 0" "--json -n 0"; do
			# shellcheck disable=SC2086	# words
			hotdrift show $options --db $way.db
		done | sed '/^run /d; /^added/d; /"run"/d; /"added"/d; /^hash/d; /"hash"/d; /"origin"/d
			/"content_hash"/d; /"kind": "recording"/d; /^recording  *rec.data/d' >show.$way
	done
	differ out.recording out.bundle
	differ said.recording said.bundle
	differ err.recording err.bundle
	differ show.recording show.bundle
	grep '"recorded"' show.bundle
	set -- out.bundle/*
	echo "$#"
	rm -rf out.* said.* err.* show.* recording.db bundle.db kept rec.data
done

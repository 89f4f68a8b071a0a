#!/bin/sh
# busy.sh BIN SOURCES OUT CC CXX - run compilers, programs, pipes and short processes again and again, until the script
# is stopped
bin=$1 sources=$2 out=$3 cc=$4 cxx=$5
while :; do
	"$cxx" -std=c++17 -O1 -c -o "$out/busy-cxx.o" "$sources/workload.cc" &
	compiler=$!
	for f in "$sources"/rill/*.c; do
		"$cc" -O2 -g -c -o "$out/busy-cc.o" "$f"
	done
	for program in c cpp sq rs; do
		[ ! -x "$bin/$program" ] || "$bin/$program" 0.3 >/dev/null
	done
	tar -cf - -C "$sources" . | gzip -9 | sha256sum >/dev/null
	sort -r "$sources/workload.cc" | uniq -c | sort -rn | awk '{ n += length($0) } END { print n }' >/dev/null
	find "$sources" -type f -exec grep -c template {} \; >/dev/null
	wait "$compiler"
done

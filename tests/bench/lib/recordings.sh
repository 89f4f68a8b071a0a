# shellcheck shell=bash
# recordings.sh - list and make the recordings of the benchmark
#
# A recording is WORKLOAD.MODE.SIZE: cpp.dw.m, cpp.dw.z.s.  perf stops itself at the size.  An existing recording is
# used again, so that all commands and all runs read the same file.  100 MB of compressed frame-pointer chains would
# take a quarter of an hour, so 10 MB are made.
# shellcheck disable=SC2154	# here, work: set by run.sh

# workload, mode (fp, dw, or dw64: copies of 64 KiB, for stitch.sh; z: perf record -z), sizes
recording_rows() {
	cat <<-'END'
		c fp s m
		c dw s m l
		cpp fp s m l
		cpp dw s m l
		cpp dw.z s m
		cpp fp.z s
		cpp dw64 m
		sq dw64 m
		cc1 dw64 m
		clang dw64 m
		sq fp m
		nofp fp m
		sq dw s m l
		sq dw.z m
		rs fp m
		rs dw s m
		cc1 fp m
		cc1 dw s m l
		clang dw s m
		sys fp m
		sys dw s m l
	END
}

# Print all names of the requested sizes, or those in ONLY.
recording_names() {
	local workload mode of size

	recording_rows | while read -r workload mode of; do
		for size in $of; do
			if [ -n "$ONLY" ]; then
				case " $ONLY " in *" $workload.$mode.$size "*) echo "$workload.$mode.$size" ;; esac
			else
				case " $SIZES " in *" $size "*) echo "$workload.$mode.$size" ;; esac
			fi
		done
	done
}

workload_of() { echo "${1%%.*}"; }
size_of() { echo "${1##*.}"; }
mode_of() {
	local m=${1#*.}

	echo "${m%.*}"
}

# Choose the samples per second: a frame-pointer sample has about 100 bytes, one with a stack copy 8.4 KB, so 10 MB
# take some seconds and 1 GB some minutes.
frequency() {	# MODE SIZE
	case $1.$2 in
	fp*.l) echo 49999 ;;
	fp*) echo 19997 ;;
	dw.s | dw64.*) echo 997 ;;
	dw.z.m) echo 9997 ;;
	*) echo 4999 ;;
	esac
}

bytes_wanted() { case $1 in s) echo 10M ;; m) echo 100M ;; l) echo 1G ;; esac; }
ring_of() { case $1 in s) echo 1M ;; m) echo 16M ;; l) echo 32M ;; esac; }

record_one() {	# NAME
	local name=$1 mode size options=() command=() part=$RECORDINGS/$1.part extra

	mode=$(mode_of "$name")
	size=$(size_of "$name")
	if ! workload_command "$(workload_of "$name")" "$mode"; then
		skipped "$name" "there is no such workload here"
		return
	fi
	options=(--max-size "$(bytes_wanted "$size")" -F "$(frequency "$mode" "$size")")
	case $mode in
	fp*) options+=(--call-graph fp) ;;
	dw64*) options+=(--call-graph "dwarf,65528") ;;
	*) options+=(--call-graph dwarf) ;;
	esac
	case $mode in *.z) options+=(-z) ;; esac
	case $name in sys.*) options+=(-a) ;; esac
	note "recording $name ..."
	# Large buffers avoid losses but need privileges.  On some machines without hardware counters perf fails only
	# when it starts to record, so cpu-clock is tried, too.
	for extra in "-m $(ring_of "$size")" "-m $(ring_of "$size") -e cpu-clock" "-e cpu-clock"; do
		rm -f "$part"
		# perf ends by the signal with which it stops the workload.  The redirection drops the shell's message
		# about it.
		# shellcheck disable=SC2086	# options, not a name
		(timeout -s INT 900 "$PERF" record -q -N -o "$part" $extra "${options[@]}" -- "${command[@]}" || :) \
			>/dev/null 2>"$work/record.log" </dev/null
		[ -s "$part" ] && break
	done
	if ! [ -s "$part" ]; then
		skipped "$name" "perf cannot record it here: $(grep -v '^$' "$work/record.log" | head -1)"
		return
	fi
	mv "$part" "$RECORDINGS/$name.data"
}

record_all() {
	local name

	for name in $(recording_names); do
		[ -s "$RECORDINGS/$name.data" ] || record_one "$name"
	done
}

recordings_present() {
	local name

	for name in $(recording_names); do
		[ ! -s "$RECORDINGS/$name.data" ] || echo "$name"
	done
}

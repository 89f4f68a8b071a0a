# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154	# here, work: set by run.sh; command: for the caller
# workloads.sh - build the profiled programs from work/, or find those that are installed on the machine
#
#   c    work/rill      an interpreter: deep and varied C stacks         sq    SQLite, by libsqlite3 or SQLITE_SRC
#   cpp  workload.cc    C++, many levels of inlining                     rs    work.rs, if rustc is installed
#   nofp the workload sq with libsqlite3, whose missing frame pointers break chains
#   cc1  the installed compiler, repeatedly on workload.cc               clang the same with clang++
#   sys  all processes of the machine while several of these run (-a)
#
# A name with -fp is built with frame pointers.  If a workload cannot be built, it and its recordings are skipped.

work_sources=$here/work

cc_quietly() {	# WHAT COMMAND...
	local what=$1

	shift
	if ! "$@" >"$work/build.log" 2>&1; then
		skipped "$what" "it does not build: $(grep -m1 -i error "$work/build.log" || head -1 "$work/build.log")"
		return 1
	fi
}

# build NAME COMMAND...: run the command if a source is newer than the output file {}.  Old recordings of the
# program are then removed.
build() {
	local name=$1 args=("${@:2}") out=$work/bin/$1

	if [ -x "$out" ] && [ -z "$(find "$work_sources" -newer "$out" -print -quit)" ]; then
		return
	fi
	rm -f "$out" "$work/rec/${name%-fp}".*.data "$work"/rec/sys.*.data
	cc_quietly "$name" "${args[@]/\{\}/$out}" || :
}

# Use frame pointers only if SQLite's source is available, because a library without them breaks every chain.
build_sq() {
	local fp=$1 source=("$CC" -O2 -g -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION)

	if [ -z "${SQLITE_SRC:-}" ]; then
		build sq "$CC" -O2 -g -o {} "$work_sources/sql.c" -lsqlite3
		return
	fi
	source+=(-I"$SQLITE_SRC" -o {} "$work_sources/sql.c" "$SQLITE_SRC/sqlite3.c" -lm)
	build sq "${source[@]}"
	build sq-fp "${source[@]}" "$fp"
}

build_workloads() {
	local fp=-fno-omit-frame-pointer

	build c "$CC" -std=gnu11 -O2 -g -o {} "$work_sources"/rill/*.c -lm
	build c-fp "$CC" -std=gnu11 -O2 -g $fp -o {} "$work_sources"/rill/*.c -lm
	build cpp "$CXX" -std=c++17 -O2 -g -o {} "$work_sources/workload.cc"
	build cpp-fp "$CXX" -std=c++17 -O2 -g $fp -o {} "$work_sources/workload.cc"
	build_sq $fp
	if command -v "$RUSTC" >/dev/null; then
		build rs "$RUSTC" -C opt-level=2 -g -o {} "$work_sources/work.rs"
		build rs-fp "$RUSTC" -C opt-level=2 -g -C force-frame-pointers=yes -o {} "$work_sources/work.rs"
	else
		skipped rs "rustc is not installed"
	fi
	command -v "$CLANGXX" >/dev/null || skipped clang "clang++ is not installed"
}

# Set the array `command` to the command line of a workload, which runs until it is stopped.
workload_command() {	# WORKLOAD MODE
	local program=$work/bin/$1

	[ "${2%%.*}" != fp ] || program=$program-fp
	command=()
	case $1 in
	cc1) command=("$here/work/again.sh" "$CXX" -std=c++17 -O2 -g -c -o "$work/out/cc1.o" \
		"$work_sources/workload.cc") ;;
	clang)
		command -v "$CLANGXX" >/dev/null || return 1
		command=("$here/work/again.sh" "$CLANGXX" -std=c++17 -O2 \
			-g -c -o "$work/out/clang.o" "$work_sources/workload.cc")
		;;
	nofp)
		[ -z "${SQLITE_SRC:-}" ] && [ -x "$work/bin/sq" ] || return 1
		command=("$work/bin/sq" 100000)
		;;
	sys) command=("$here/work/busy.sh" "$work/bin" "$work_sources" "$work/out" "$CC" "$CXX") ;;
	*)
		[ -x "$program" ] || return 1
		command=("$program" 100000)
		;;
	esac
}

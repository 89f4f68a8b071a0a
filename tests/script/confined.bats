#!/usr/bin/env bats
# confined.bats - test that commands that only read give up their privileges first, and also work on a kernel that does
# not support that

load helper

setup() {
	in_empty_folder
	command -v cc >/dev/null || skip 'no compiler'
	mkdir out other
	compiled confined.so -D_GNU_SOURCE -shared -fPIC "$BATS_TEST_DIRNAME/confined.c"
	unset DEBUGINFOD_URLS
	export TRY_FILES="$PWD/out/in-output $PWD/other/elsewhere $TMPDIR/in-tmpdir $PWD/out/../beside"
	FILE=$SHIPPED/perf.data
	alone=()
}

# Print the lines of confined.c for a command of hotdrift.
attempts() {
	"${alone[@]}" env LD_PRELOAD="$BATS_FILE_TMPDIR/confined.so" "$HOTDRIFT" "$@" 2>&1 >/dev/null |
		sed -n 's/^try //p'
}

# hotdrift does not use landlock while it sees a process of a container.  So hide all processes that are not of this
# test.
needs_landlock() {
	unshare --pid --fork --mount-proc true 2>/dev/null && alone=(unshare --pid --fork --mount-proc)
	grep -qw landlock /sys/kernel/security/lsm 2>/dev/null ||
		[ "$(attempts top "$FILE" | grep elsewhere)" = 'elsewhere EACCES' ] ||
		skip 'no landlock, or a process with another mount namespace is visible'
}
needs_seccomp() {
	! nm "$HOTDRIFT" | grep -q __asan_init || skip 'a build with sanitizers keeps its rights'
	grep -q '^Seccomp:' /proc/self/status || skip 'no seccomp'
}

@test "commands that only read cannot start programs, trace, or open sockets; it is an error, not a signal" {
	needs_seccomp
	printf 'timestamp_us,watts\n1,2\n2,3\n' >power.csv
	for words in "top $FILE" "info $FILE" "fold $FILE" "report $FILE" "flame -o out/f.svg $FILE" \
		"analyze -o out/a $FILE" "convert --to pprof -o out/p $FILE" "bundle -o out/b.hdb $FILE" \
		"annotate $FILE /e|a/" "energy power.csv" "stats power.csv"; do
		# shellcheck disable=SC2086	# words
		run attempts $words
		for call in execve execveat ptrace process_vm_readv \
			socket-unix socket-inet socket-packet socket-vsock; do
			contains "$output" "$call EPERM"
		done
		contains "$output" 'read ok'
	done
}

@test "they write into the folder of the output and TMPDIR only, and read anywhere" {
	needs_landlock
	run attempts flame -o out/f.svg "$FILE"
	contains "$output" 'in-output ok'
	contains "$output" 'in-tmpdir ok'
	contains "$output" 'elsewhere EACCES'
	contains "$output" 'beside EACCES'
	contains "$output" 'read ok'
	[ -s out/f.svg ]
	run attempts top "$FILE"
	contains "$output" 'in-output EACCES'
	contains "$output" 'in-tmpdir ok'
	# a link: the command needs access to the folder of its target
	ln -s ../other/real.svg out/link.svg
	run attempts flame -o out/link.svg "$FILE"
	contains "$output" 'elsewhere ok'
	contains "$output" 'in-output EACCES'
	[ -s other/real.svg ]
}

@test "a GPU export that is not in order is sorted in a temporary file of TMPDIR; without TMPDIR it is an error" {
	needs_landlock
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	sh "$TOP/tests/bench/gpu/export.sh" 300000 e.sqlite
	sqlite3 e.sqlite '
		CREATE TABLE other AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start DESC;
		DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM other; DROP TABLE other' >/dev/null
	run attempts top e.sqlite
	contains "$output" 'in-tmpdir ok'
	contains "$output" 'elsewhere EACCES'
	rm -f "$TMPDIR/in-tmpdir"
	run -0 "$HOTDRIFT" top e.sqlite
	contains "$output" kernel_
	[ -z "$(ls -A "$TMPDIR")" ]
	TMPDIR=$PWD/absent run -6 "$HOTDRIFT" top e.sqlite
	contains "$output" "no temporary file in $PWD/absent"
}

@test "with DEBUGINFOD_URLS they keep the sockets of a client and the cache" {
	needs_seccomp
	export DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_CACHE_PATH=$PWD/cache
	TRY_FILES="$PWD/cache/in-cache $PWD/other/elsewhere"
	run attempts top "$FILE"
	contains "$output" 'socket-unix ok'
	contains "$output" 'socket-inet ok'
	contains "$output" 'socket-packet EPERM'
	contains "$output" 'socket-vsock EPERM'
	contains "$output" 'execve EPERM'
	contains "$output" 'in-cache ok'
	# libdebuginfod prefers the cache folder of its old versions if it exists
	mkdir -p home/.debuginfod_client_cache
	unset DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME
	TRY_FILES="$PWD/home/.debuginfod_client_cache/in-cache $PWD/other/elsewhere"
	HOME=$PWD/home run attempts top "$FILE"
	contains "$output" 'in-cache ok'
	[ ! -e home/.cache ]
}

@test "commands that start git or a command keep their rights" {
	run attempts target --checkout
	contains "$output" 'execve ENOENT'
	contains "$output" 'elsewhere ok'
	"$HOTDRIFT" add "$FILE" --target t --db h.db --commit none >/dev/null
	run attempts top --db h.db latest
	contains "$output" 'execve ENOENT'
	run attempts flame --db h.db --base latest -o out/f.svg "$FILE"
	contains "$output" 'execve ENOENT'
	[ -s out/f.svg ]
}

@test "a kernel that lacks landlock and seccomp, or forbids them, is no error" {
	cc -o refuse "$BATS_TEST_DIRNAME/refuse.c" -lseccomp || skip 'no libseccomp'
	want=$("$HOTDRIFT" top "$FILE" 2>/dev/null)
	for errno in ENOSYS EPERM; do
		for calls in landlock_create_ruleset 'landlock_create_ruleset seccomp prctl' \
			landlock_restrict_self seccomp; do
			REFUSE=$calls run -0 --separate-stderr ./refuse "$errno" "$HOTDRIFT" top "$FILE"
			[ "$output" = "$want" ]
		done
	done
}

@test "the program and the library in other processes are compiled with what hardens them" {
	command -v nm >/dev/null && command -v objdump >/dev/null || skip 'no binutils'
	! nm "$HOTDRIFT" | grep -q __asan_init || skip 'sanitizers replace these'
	lib=${HOTDRIFT%/*}/libhotdrift-heap.so
	[ -e "$lib" ] || skip 'no library for this machine'
	nm -D "$HOTDRIFT" | grep -q '__[a-z]*_chk@'
	nm -D "$HOTDRIFT" | grep -q __stack_chk_fail
	nm -D "$lib" | grep -q __stack_chk_fail
	[ "$(uname -m)" != x86_64 ] || objdump -d --disassemble=malloc "$lib" | grep -q endbr64
}

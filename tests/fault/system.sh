# shellcheck shell=bash disable=SC2154 # tmp, top, prog, R are those of run-fault.sh
# system.sh - failures of the operating system; sourced by run-fault.sh
#
# The failures are limits, full and closed outputs, read-only folders, and a missing /proc or /tmp.  A test is one
# failure that several commands meet, and `owed` checks each of them.  A failure that cannot be produced here is
# reported as skipped.

# run COMMAND...: run it in $tmp/sys; sets $status, $tmp/sys.out and $tmp/sys.err
run() {
	status=0
	"$@" >"$tmp/sys.out" 2>"$tmp/sys.err" </dev/null || status=$?
}

bad() {
	echo "FAILED: system: $1: status $status: $(tail -n 1 "$tmp/sys.err")"
	wrong=1
}

# owed NAME [WORD]: pass if the status is 0 without an error line, or 6 with one error line that contains WORD
owed() {
	local errors

	errors=$(grep -c '^hotdrift: error: ' "$tmp/sys.err")
	if [ "$status" = 127 ] && grep -q 'error while loading shared libraries' "$tmp/sys.err"; then
		return		# the program was not started
	elif [ "$status" = 0 ]; then
		[ "$errors" = 0 ] || bad "$1"
	elif [ "$status" != 6 ] || [ "$errors" != 1 ] || ! grep -q "hotdrift: error: .*${2:-}" "$tmp/sys.err"; then
		bad "$1"
	fi
}

# refused NAME WORD: expect status 6, with WORD in the error
refused() {
	[ "$status" = 6 ] || bad "$1: it was not refused"
	owed "$1" "$2"
}

empty_folder() {	# except for the files of the database
	local left
	left=$(find "$1" -mindepth 1 ! -name 'h.db*')
	[ -z "$left" ] || bad "$2: left behind: $left"
}

begin_case() { wrong=0; }
end_case() {
	case $1 in *"$ONLY"*) ;; *) return ;; esac
	if [ "$wrong" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}

rec=$R/calls/perf.data
fs=$R/calls/symfs

test_full_output() {
	local c
	for c in "fold --symfs $fs $rec" "flame $rec" "top $rec" "report $rec" "report --json $rec" "info $rec" \
		"info --json $rec" \
		"log --db $tmp/sys/h.db" "show --db $tmp/sys/h.db latest:old" "query --db $tmp/sys/h.db SELECT+1" \
		"hash $tmp/config.json" \
		"target -f $top/hotdrift.ini" "help" "fold --help" "--version"; do
		# shellcheck disable=SC2086 # words
		set -- $c
		set -- "${@//+/ }"
		status=0
		"$prog" "$@" >/dev/full 2>"$tmp/sys.err" || status=$?
		refused "$c >/dev/full" "No space left"
		status=0
		"$prog" "$@" >&- 2>"$tmp/sys.err" || status=$?
		[ "$status" = 0 ] || bad "$c with stdout closed"
		owed "$c with stdout closed"
		: >"$tmp/sys.err"
		status=0
		{ "$prog" "$@" 2>"$tmp/sys.err" || echo $? >"$tmp/sys.status"; } | : # the pipe has no reader
		[ ! -s "$tmp/sys.status" ] || status=$(cat "$tmp/sys.status")
		rm -f "$tmp/sys.status"
		if [ "$status" != 0 ] || grep -q error "$tmp/sys.err"; then bad "$c | :"; fi
	done
	status=0
	"$prog" add --db "$tmp/sys/full.db" --commit none "$rec" >/dev/full 2>"$tmp/sys.err" || status=$?
	refused "add >/dev/full" "No space left"
}

test_file_size() {
	mkdir "$tmp/sys/f"
	run bash -c 'ulimit -f 1; cd "$1"; exec "$2" flame --symfs "$3" "$4" -o out.svg' - "$tmp/sys/f" "$prog" "$fs" \
		"$rec"
	refused "flame -o with ulimit -f 1" "File too large"
	empty_folder "$tmp/sys/f" "flame -o with ulimit -f 1"
	run bash -c 'ulimit -f 1; cat "$2" | "$1" fold -' - "$prog" "$R/calls/pipe.data"
	refused "a spooled pipe with ulimit -f 1" "File too large"
	run bash -c 'ulimit -f 8; cd "$1"; exec "$2" add --db h.db --commit none "$3"' - "$tmp/sys/f" "$prog" "$rec"
	refused "add with ulimit -f 8" "h.db"
	whole "$tmp/sys/f/h.db" "add with ulimit -f 8"
}

# whole DATABASE NAME: check that the database is valid
whole() {
	if have sqlite3 && [ -s "$1" ]; then
		[ "$(sqlite3 "$1" 'PRAGMA integrity_check' 2>&1)" = ok ] || bad "$2: the database is damaged"
	fi
}

test_memory() {
	local kib
	"$prog" fold --symfs "$R/copies/symfs" "$R/copies/perf.data" >"$tmp/sys.want" 2>/dev/null
	for kib in $(seq 6000 1500 60000) 80000 120000 200000 400000; do
		run bash -c 'ulimit -v "$1"; shift; exec "$@"' - "$kib" "$prog" fold --symfs "$R/copies/symfs" \
			"$R/copies/perf.data"
		owed "ulimit -v $kib" "memory"
		[ "$status" != 0 ] || cmp -s "$tmp/sys.out" "$tmp/sys.want" || bad "ulimit -v $kib: another answer"
	done
	[ "$status" = 0 ] || bad "ulimit -v $kib: it is enough"
}

test_descriptors() {
	local n
	for n in 3 4 5 6 7 8 9 10 12; do
		run bash -c 'ulimit -n "$1"; shift; exec "$@"' - "$n" "$prog" fold --symfs "$R/copies/symfs" \
			"$R/copies/perf.data"
		owed "ulimit -n $n"
		[ "$status" != 0 ] || cmp -s "$tmp/sys.out" "$tmp/sys.want" ||
			grep -q '^hotdrift: warning: .*Too many open files' "$tmp/sys.err" ||
			bad "ulimit -n $n: another answer, and no word"
		run bash -c 'ulimit -n "$1"; shift; exec "$@"' - "$n" "$prog" query --db "$tmp/sys/h.db" \
			'SELECT count(*) FROM run'
		owed "query with ulimit -n $n"
	done
}

test_no_tmp() {
	run bash -c 'cat "$2" | TMPDIR="$3/nowhere" "$1" fold -' - "$prog" "$R/calls/pipe.data" "$tmp"
	refused "a pipe without a folder to spool to" "/nowhere.*set TMPDIR"
	run env -u HOME "$prog" fold --symfs "$R/copies/symfs" "$R/copies/perf.data"
	if [ "$status" != 0 ] || ! cmp -s "$tmp/sys.out" "$tmp/sys.want"; then bad "without HOME"; fi
	run env HOME= TMPDIR= "$prog" fold --symfs "$R/copies/symfs" "$R/copies/perf.data"
	if [ "$status" != 0 ] || ! cmp -s "$tmp/sys.out" "$tmp/sys.want"; then bad "with an empty HOME"; fi
}

apart() { unshare --mount --map-root-user "$@"; }

test_mounts() {
	mkdir "$tmp/sys/m"
	if ! apart sh -c 'mount -t tmpfs -o size=64k none "$1"' - "$tmp/sys/m" 2>/dev/null; then
		echo "skipped: a full, a read-only disk and no /proc: mounting is not permitted"
		skipped=$((skipped + 1))
		return 1
	fi
	export prog fs rec m=$tmp/sys/m
	run apart bash -c 'mount -t tmpfs -o size=16k none $m && cd $m &&
		"$prog" flame --symfs "$fs" "$rec" -o out.svg; s=$?; ls -A >&2; exit $s'
	refused "flame on a full disk" "out.svg: .*No space left"
	! grep -qv '^hotdrift: ' "$tmp/sys.err" || bad "flame on a full disk: left behind"
	run apart bash -c 'mount -t tmpfs -o size=96k none $m && cd $m &&
		"$prog" add --db h.db --commit none --symfs "$fs" "$rec"; s=$?
		[ ! -s h.db ] || [ "$(sqlite3 h.db "PRAGMA integrity_check")" = ok ] || exit 1; exit $s'
	refused "add on a full disk" "h.db: "
	run apart bash -c 'mount -t tmpfs none $m && mount -o remount,ro $m && cd $m &&
		exec "$prog" flame --symfs "$fs" "$rec" -o out.svg'
	refused "flame into a read-only folder" "out.svg: .*Read-only"
	run apart bash -c 'mount -t tmpfs none $m && mount -o remount,ro $m && cd $m &&
		exec "$prog" add --db h.db --commit none "$rec"'
	refused "add into a read-only folder" "h.db: "
	run apart bash -c 'mount -t tmpfs none /proc && mount -t tmpfs none $m && cd $m &&
		"$prog" fold --symfs "$fs" "$rec" -o a && "$prog" fold --symfs "$fs" "$rec" | cmp - a &&
		"$prog" fold --symfs "$fs" "$rec" -o a &&
		"$prog" add --db h.db --commit none --symfs "$fs" "$rec" &&
		[ "$(ls -A $m | tr "\n" " ")" = "a h.db " ]'
	[ "$status" = 0 ] || bad "without /proc"
	return 0
}

mkdir "$tmp/sys"
"$prog" add --db "$tmp/sys/h.db" --commit none --target old --symfs "$fs" "$rec" >/dev/null || exit 1
"$prog" fold --symfs "$R/copies/symfs" "$R/copies/perf.data" >"$tmp/sys.want" 2>/dev/null
for circumstance in full_output file_size memory descriptors no_tmp mounts; do
	case $circumstance in *"$ONLY"*) ;; *) continue ;; esac
	begin_case
	"test_$circumstance" || continue
	end_case "$circumstance"
done

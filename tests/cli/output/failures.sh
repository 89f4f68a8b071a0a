# every command reports a failed write, and leaves no partial file
[ -c /dev/full ] || { echo 'no /dev/full' >&2; exit 77; }
printf 'app;main;parse 7\napp;main;read 3\n' >in.folded
echo '{"threads": 4}' >config.json
hotdrift add in.folded --db h.db --commit none --recorded 2026-01-01T00:00:00Z >/dev/null
# Each status except 0 comes with a message.
told() { if [ -s err ] || [ "$1" = 0 ]; then echo "$1"; else echo "$1 in silence"; fi; }
run() { status=0; hotdrift "$@" >/dev/null 2>err || status=$?; told "$status"; }
try() {
	echo old >out
	full=0; hotdrift "$@" >/dev/full 2>err || full=$?; full=$(told "$full")
	# The reader closes the pipe without reading.
	closed=$( { status=0; hotdrift "$@" 2>err || status=$?; echo "$status" >&3; } 3>&1 >fifo & true <fifo; wait $!)
	limited=$( (ulimit -f 0; hotdrift "$@" -o out >/dev/null 2>&1) && echo 0 || echo $?)
	echo "$1${2:+ $2}: full $full, closed $closed, limit $limited," \
		"no folder $(run "$@" -o absent/out), folder $(run "$@" -o .)," \
		"device $(run "$@" -o /dev/full), old file: $(cat out)"
}
mkfifo fifo
for command in fold flame top report info; do try $command in.folded; done
for command in top report info; do try $command --json in.folded; done
try hash config.json
for command in log show; do try $command --db h.db; done
for command in log show; do try $command --json --db h.db; done
for form in --csv --json; do try query $form --db h.db 'SELECT * FROM v_top5'; done
try query --list
for words in --help --version 'help fold' 'top --help'; do
	status=0
	# shellcheck disable=SC2086	# words
	hotdrift $words >/dev/full 2>err || status=$?
	echo "$words: full $(told "$status")"
done
mkdir man
status=0; (ulimit -f 0; hotdrift help --man-dir man >/dev/null 2>&1) ||
	status=$?; echo "man pages: limit $status: $(ls -A man)"
echo "man pages: no folder $(run help --man-dir absent)"
echo "left behind: $(find . -type f ! -name config.json ! -name err ! -name 'h.db*' ! -name in.folded ! -name out)"

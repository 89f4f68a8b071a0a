#!/bin/bash
# run-docs.sh [PAGE...] - run the commands of the tutorials, as a reader would type them
#
# A tutorial is a page of docs/ whose fenced blocks are a session:
#   ```console                    each line after "$ " is a command, which bash runs.  The first block starts in a
#                                 folder made for the page, and each other one where the block before it ended, as
#                                 in the shell of a reader.  Variables are not carried from block to block
#   ```LANG file=NAME             the block is written to the file NAME, relative to the current folder
#   ```LANG replace=NAME from="A" to="B"    the block replaces lines of NAME: from the first that begins with A to the
#                                 one before the next that begins with B
#   ```LANG after=NAME line="A"   the block is inserted into NAME after the first line that contains A
#   <!-- expect: REGEX -->        the output of the console block before it must match (grep -E)
#   <!-- exit: N -->              the last command of the console block must end with status N (default 0)
# HOWTO pages run in a copy of the checkout with its built objects.
# One test is one console block.  If perf is not permitted to record, tutorials are reported as skipped.
set -u
export LC_ALL=C TZ=UTC NO_COLOR=1 GIT_CONFIG_NOSYSTEM=1
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite docs
cd "$top" || exit 1
records=yes
needs_built "$O/hotdrift"
PATH=$O:$PATH
temporary_folder
export HOME=$tmp
unset HOTDRIFT_DB DEBUGINFOD_URLS DIR UPDATE MAKEFLAGS MFLAGS MAKELEVEL
git config --global user.name "A Reader"
git config --global user.email reader@example.org
git config --global init.defaultBranch main

# Split a page into files, N being the number of a block: N.file, N.replace or N.console has the text of the block;
# N.name, N.from and N.to have the values in the line that opens it; N.expect and N.exit those for console block N.
split() {	# PAGE FOLDER
	awk -v dir="$2" '
	function attribute(line, key,    v) {
		if (!match(line, key "=(\"[^\"]*\"|[^ ]*)")) return ""
		v = substr(line, RSTART + length(key) + 1, RLENGTH - length(key) - 1)
		gsub(/^"|"$/, "", v)
		return v
	}
	function put(what, text) { printf "%s", text > (base "." what); close(base "." what) }
	/^```/ && !open {
		open = 1; body = ""; kind = ""
		if ($0 ~ /^```console/) kind = "console"
		else if ($0 ~ / file=/) kind = "file"
		else if ($0 ~ / replace=/) kind = "replace"
		else if ($0 ~ / after=/) kind = "after"
		if (kind != "") {
			base = sprintf("%s/%03d", dir, ++n)
			put("name", attribute($0, kind))
			put("from", attribute($0, "from"))
			put("to", attribute($0, "to"))
			put("line", attribute($0, "line"))
		}
		next
	}
	/^```/ { open = 0; if (kind != "") put(kind, body); next }
	open { body = body $0 "\n"; next }
	/^<!-- expect: .* -->$/ { print substr($0, 14, length($0) - 17) >> (base ".expect"); close(base ".expect") }
	/^<!-- exit: .* -->$/ { put("exit", substr($0, 12, length($0) - 15)) }
	' "$1"
}

# Copy the checkout's files and its objects.  cp -p keeps the times, so that make builds only what a page changes.
copy_checkout() {	# FOLDER
	git ls-files -z | xargs -0 cp -p --parents -t "$1"
	mkdir -p "$1/build"
	cp -a "$O/src" "$O/gen" "$O/heap" "$O/cuda" "$O/flags" "$O/libhd.a" "$O/hotdrift" "$O"/*.so "$1/build/"
}

page() {	# PAGE
	local name parts work block out status want pattern step cwd

	name=$(basename "$1" .md)
	parts=$tmp/$name.parts work=$tmp/$name/work
	mkdir -p "$parts" "$work"
	case $name in HOWTO*) copy_checkout "$work" ;; esac
	cwd=$work
	split "$1" "$parts"
	for block in "$parts"/*.name; do
		block=${block%.name}
		step=$name:${block##*/}
		if [ -e "$block.file" ]; then
			mkdir -p "$(dirname "$cwd/$(cat "$block.name")")"
			cp "$block.file" "$cwd/$(cat "$block.name")"
		elif [ -e "$block.replace" ]; then
			awk -v from="$(cat "$block.from")" -v to="$(cat "$block.to")" -v new="$block.replace" '
				!done && index($0, from) == 1 {
					while ((getline line < new) > 0) print line
					inside = done = 1
				}
				inside && index($0, to) == 1 { inside = 0 }
				!inside' "$cwd/$(cat "$block.name")" > "$block.new"
			cp "$block.new" "$cwd/$(cat "$block.name")"
		elif [ -e "$block.after" ]; then
			awk -v mark="$(cat "$block.line")" -v new="$block.after" '{ print }
				!done && index($0, mark) { while ((getline line < new) > 0) print line; done = 1 }' \
				"$cwd/$(cat "$block.name")" > "$block.new"
			cp "$block.new" "$cwd/$(cat "$block.name")"
		else
			out=$block.out
			sed -n 's/^\$ //p' "$block.console" > "$block.sh"
			# shellcheck disable=SC2016	# the inner shell expands $0 and $1
			(cd "$cwd" && O=build bash -e -c 'trap "pwd >\"\$1\"" EXIT; . "$0"' "$block.sh" "$parts/cwd") \
				> "$out" 2>&1 < /dev/null
			status=$?
			[ ! -s "$parts/cwd" ] || cwd=$(cat "$parts/cwd")
			want=0
			[ ! -e "$block.exit" ] || want=$(cat "$block.exit")
			if [ $status = 3 ] && [ "$want" != 3 ]; then
				skipped=$((skipped + 1))
				echo "skipped: $step and what follows: this machine is too noisy for a verdict"
				return
			fi
			if [ $status != "$want" ]; then
				failed=$((failed + 1))
				echo "not ok: $step: exit status $status, the page says $want"
				sed 's/^/    /' "$block.sh" "$out"
				return
			fi
			if [ -e "$block.expect" ]; then
				while IFS= read -r pattern; do
					if ! grep -qE -- "$pattern" "$out"; then
						failed=$((failed + 1))
						echo "not ok: $step: no line matches '$pattern'"
						sed 's/^/    /' "$block.sh" "$out"
						return
					fi
				done < "$block.expect"
			fi
			pass
			[ -z "${V:-}" ] || { sed 's/^/$ /' "$block.sh"; cat "$out"; }
		fi
	done
}

[ $# != 0 ] || set -- HOWTO-*.md docs/tutorial-*.md
if ! perf record -q -o "$tmp/probe" -e cpu-clock:u true > /dev/null 2>&1; then
	records=no
fi
for f in "$@"; do
	case $records:$f in
	no:*tutorial-*)
		skipped=$((skipped + 1))
		echo "skipped: $f: perf may not record here" ;;
	*)	page "$f" ;;
	esac
done
finish

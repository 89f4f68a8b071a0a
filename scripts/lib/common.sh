# shellcheck shell=bash
# common.sh - functions that all scripts share: messages, finding the program, JSON, ownership of files
#
# Sourced, not run.  The caller sets `me` (for the messages) and `here` (the
# folder of the scripts, links resolved).
# shellcheck disable=SC2034,SC2154	# shared with the caller

# visible VARIABLE TEXT: set VARIABLE to the text with control characters as hotdrift prints them.
visible() {
	local _text=$2 _c _code

	while [[ $_text =~ [[:cntrl:]] ]]; do
		_c=${BASH_REMATCH[0]}
		printf -v _code %d "'$_c"
		if [ "$_code" -lt 128 ]; then
			printf -v _code '\\x%02x' "$_code"
		else
			printf -v _code '\\u{%x}' "$_code"
		fi
		_text=${_text//"$_c"/"$_code"}
	done
	printf -v "$1" %s "$_text"
}

say() {
	local text

	visible text "$*"
	printf '%s: %s\n' "$me" "$text" >&2
}
warn() { say "warning: $*"; }

# fail_with SENTENCE [LINE...]: print an error and lines with suggested commands.
fail_with() {
	local line

	say "error: $1"
	for line in "${@:2}"; do
		visible line "$line"
		printf '  %s\n' "$line" >&2
	done
}

# die STATUS SENTENCE [LINE...]: print an error and lines with suggested commands, and exit.
die() {
	fail_with "${@:2}"
	[ -z "${outcome:-}" ] || printf '%s' "$2" >"$outcome.why"
	exit "$1"
}

# give_to_caller() and others use the user ID several times, so `id` is run only once.
uid=$(id -u)

# Set `hotdrift` to $HOTDRIFT, the build in this checkout, the program installed with these scripts, or the one in PATH.
hotdrift=''
find_hotdrift() {
	local at

	[ -z "$hotdrift" ] || return 0
	if [ -n "${HOTDRIFT:-}" ]; then
		hotdrift=$(type -P -- "$HOTDRIFT") ||
			die 6 "HOTDRIFT names '$HOTDRIFT', which cannot be run"
		absolute hotdrift "$hotdrift"
		return
	fi
	case $here in
	*/libexec/hotdrift) at=$here/../../bin/hotdrift ;;
	*) at=$here/../build/hotdrift ;;
	esac
	if [ -x "$at" ] && [ ! -d "$at" ]; then
		hotdrift=$(readlink -f -- "$at")
		return
	fi
	hotdrift=$(type -P hotdrift) ||
		die 6 "the program hotdrift is neither built nor installed" \
			"make                  builds it here" \
			"HOTDRIFT=/path/to/it  names another"
}

# A function whose first argument is VARIABLE sets that variable, because $(FUNCTION) would start a process.  A command
# with a redirection is run with exec in $(), because bash would start two processes otherwise.

# absolute VARIABLE PATH: set VARIABLE to the absolute path.  Links are not resolved, and the file need not exist.
absolute() {
	case $2 in
	/*) printf -v "$1" %s "$2" ;;
	*) printf -v "$1" %s "$PWD/${2#./}" ;;
	esac
}

# hash_of VARIABLE DIGITS WORD...: set VARIABLE to the first digits of the SHA-256 of the words, one per line.
hash_of() {
	local sum IFS=$'\n'

	sum=$(exec sha256sum <<<"${*:3}")
	printf -v "$1" %s "${sum:0:$2}"
}

# read_json FILE: set the array `json` to the values in a JSON file with one key per line, such as run.json and
# info.json.  A value is as in the file, with its quotes.  Keys that are nested deeper than two levels are skipped.
declare -A json=()
read_json() {
	local line

	json=()
	while IFS= read -r line; do
		[[ ! $line =~ ^(\ \ ){1,2}\"([a-z_]+)\":\ (.*[^,]),?$ ]] || json[${BASH_REMATCH[2]}]=${BASH_REMATCH[3]}
	done <"$1"
}

# json_string BYTES: print a JSON string.  If the text is not UTF-8, each byte above 7F becomes \xHH, so that the JSON
# stays valid.
json_string() {
	local valid=yes

	if [[ $1 =~ ^[A-Za-z0-9\ _./:=+,@%-]*$ ]]; then
		printf '"%s"' "$1"
		return
	fi
	printf '%s' "$1" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1 || valid=no
	TEXT=$1 VALID=$valid LC_ALL=C awk 'BEGIN {
		for (i = 1; i < 256; i++)
			code[sprintf("%c", i)] = i
		text = ENVIRON["TEXT"]
		out = "\""
		for (i = 1; i <= length(text); i++) {
			c = substr(text, i, 1)
			n = code[c]
			if (c == "\"" || c == "\\")
				out = out "\\" c
			else if (n < 32 || n == 127)
				out = out sprintf("\\u%04x", n)
			else if (n > 127 && ENVIRON["VALID"] == "no")
				out = out sprintf("\\\\x%02x", n)
			else
				out = out c
		}
		printf "%s\"", out
	}'
}

# Under sudo, give the files to the calling user.
give_to_caller() {
	if [ "$uid" = 0 ] && [[ ${SUDO_UID:-} =~ ^[0-9]+$ ]] && [[ ${SUDO_GID:-} =~ ^[0-9]+$ ]]; then
		chown -hR -- "$SUDO_UID:$SUDO_GID" "$@" 2>/dev/null || :
	fi
}

# make_folder PATH: make the folder and those above it.  `made` is the topmost new folder of each call, for
# give_to_caller().
made=()
make_folder() {
	local top=$1

	[ ! -d "$1" ] || return 0
	until [ "${top%/*}" = "$top" ] || [ -d "${top%/*}/" ]; do top=${top%/*}; done
	mkdir -p -- "$1" && made+=("$top")
}

# find_library NAME FILE: print the path of one of our libraries: FILE unless it is '', otherwise next to the program or
# in the installation.  Returns 1 if it is not found.
find_library() {
	local dir=${hotdrift%/*} at

	for at in "$2" "$dir/$1" "$dir/../lib/hotdrift/$1"; do
		if [ -n "$at" ] && [ -f "$at" ] && [ -r "$at" ]; then
			readlink -f -- "$at"
			return
		fi
	done
	return 1
}

# Programs get the default signal settings, because background processes of a shell ignore SIGINT.
plain_signals=()
if env --default-signal=INT,QUIT >/dev/null 2>&1; then
	plain_signals=(env '--default-signal=INT,QUIT')
fi

# exec_plain PROGRAM ARGUMENTS...: replace this shell by the program, with these settings.
exec_plain() {
	case $1 in
	*=*) set -- sh -c 'exec "$@"' sh "$@" ;;	# env would take such a path as a variable
	esac
	exec "${plain_signals[@]+"${plain_signals[@]}"}" "$@"
}

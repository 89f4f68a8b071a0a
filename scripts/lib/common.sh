# shellcheck shell=bash
# common.sh - messages, the program, JSON and ownership, shared by all scripts
#
# Sourced, not run.  The caller sets `me` (for the messages) and `here` (the
# folder of the scripts, links resolved).
# shellcheck disable=SC2034,SC2154	# shared with the caller

say() { printf '%s: %s\n' "$me" "$*" >&2; }
warn() { printf '%s: warning: %s\n' "$me" "$*" >&2; }

# die STATUS SENTENCE [LINE...]: print an error and lines with suggested commands, and exit.
die() {
	local status=$1 line

	printf '%s: error: %s\n' "$me" "$2" >&2
	[ -z "${outcome:-}" ] || printf '%s' "$2" >"$outcome.why"
	shift 2
	for line; do
		printf '  %s\n' "$line" >&2
	done
	exit "$status"
}

# Set `hotdrift` to $HOTDRIFT, the build in this checkout, the program installed with these scripts, or the one in PATH.
find_hotdrift() {
	local at

	if [ -n "${HOTDRIFT:-}" ]; then
		hotdrift=$(type -P -- "$HOTDRIFT") ||
			die 6 "HOTDRIFT names '$HOTDRIFT', which cannot be run"
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

# absolute PATH: print the absolute path.  Links are not resolved, and the file need not exist.
absolute() {
	case $1 in
	/*) printf '%s' "$1" ;;
	*) printf '%s/%s' "$PWD" "${1#./}" ;;
	esac
}

# json_string BYTES: print a JSON string.  If the text is not UTF-8, each byte above 7F becomes \xHH, so that the JSON stays
# valid.
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
	if [ "$(id -u)" = 0 ] && [[ ${SUDO_UID:-} =~ ^[0-9]+$ ]] && [[ ${SUDO_GID:-} =~ ^[0-9]+$ ]]; then
		chown -hR -- "$SUDO_UID:$SUDO_GID" "$@" 2>/dev/null || :
	fi
}

# find_library NAME FILE: print the path of one of our libraries: FILE unless it is '', otherwise next to the program or in
# the installation.  1: not found.
find_library() {
	local dir at

	dir=$(dirname -- "$hotdrift")
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
if env --default-signal=INT,QUIT true 2>/dev/null; then
	plain_signals=(env '--default-signal=INT,QUIT')
fi

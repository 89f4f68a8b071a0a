# shellcheck shell=bash
# usage.sh - report usage errors of profile.sh; the help text is that of `hotdrift profile`
# shellcheck disable=SC2154	# shared with profile.sh

usage() {
	find_hotdrift
	"$hotdrift" help profile
}

# Print "; did you mean --target?" if an option of the help differs from WORD in at most a third of its characters, or
# if one is the beginning of the other.
did_you_mean() {	# WORD
	usage 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u | awk -v word="$1" '
		function least(a, b, c) { if (b < a) a = b; return c < a ? c : a }
		function distance(a, b,    i, j, d) {
			for (i = 0; i <= length(a); i++) d[i, 0] = i
			for (j = 0; j <= length(b); j++) d[0, j] = j
			for (i = 1; i <= length(a); i++) for (j = 1; j <= length(b); j++)
				d[i, j] = least(d[i - 1, j] + 1, d[i, j - 1] + 1,
					d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)))
			return d[length(a), length(b)]
		}
		BEGIN { most = (length(word) - 2 + 2) / 3 + 0.5 }
		length(word) <= 64 {
			d = index(word, $0) == 1 || index($0, word) == 1 ? 0.5 : distance(word, $0)
			if (d < most) { most = d; best = $0 } }
		END { if (best) printf "; did you mean %s?", best }'
}

# Print the usage, then the error, then suggested commands.
usage_error() {
	printf 'usage: %s [MODE] [options] [--] CMD [ARGS...]\n%s --help lists the modes and options\n' "$door" \
		"$door" >&2
	fail_with "$@"
	exit 2
}

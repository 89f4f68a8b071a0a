/*
 * glob.c - see glob.h
 */
#include "base/glob.h"

#include <stdint.h>
#include <string.h>

/*
 * A [ was read.  Return true if the set of characters after it contains c.  *after becomes the position after the
 * closing ], or NULL if there is none.
 */
static bool in_set(const char *p, const char *end, unsigned char c, const char **after)
{
	bool not = p < end && (*p == '!' || *p == '^'), found = false;
	const char *first = p += not;

	*after = NULL;
	for (; p < end && (*p != ']' || p == first); p++) {
		unsigned char lo = (unsigned char)*p, hi = lo;

		if (p + 2 < end && p[1] == '-' && p[2] != ']') {
			hi = (unsigned char)p[2];
			p += 2;
		}
		found |= lo <= c && c <= hi;
	}
	if (p < end)
		*after = p + 1;
	return found != not;
}

/* Match one element of the pattern against one byte.  Return the position after the element; NULL: no match. */
static const char *step(const char *p, const char *end, unsigned char c)
{
	const char *after;

	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		bool is = in_set(p + 1, end, c, &after);

		if (after)
			return is ? after : NULL;
	}
	if (*p == '\\' && p + 1 < end)
		p++;
	return (unsigned char)*p == c ? p + 1 : NULL;
}

bool hd_glob(const char *pattern, size_t np, const char *text, size_t n)
{
	const char *p = pattern, *end = pattern + np, *star = NULL;
	size_t i = 0, from = 0;

	while (i < n) {
		const char *next = NULL;

		if (p < end && *p == '*') {
			star = ++p;
			from = i;
			continue;
		}
		if (p < end)
			next = step(p, end, (unsigned char)text[i]);
		if (next) {
			p = next;
			i++;
		} else if (star) {
			p = star;
			i = ++from;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

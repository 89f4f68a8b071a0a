/*
 * nearest.c - see nearest.h
 */
#include "base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int lower(const char *s, size_t i)
{
	return tolower((unsigned char)s[i]);
}

/*
 * Row i of the table contains the distances between the first i characters of `a` and each prefix of `b`.  Three rows
 * are kept.
 */
size_t hd_nearest_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), row[3][HD_NEAREST_MAX + 1];

	if (n > HD_NEAREST_MAX || m > HD_NEAREST_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t differs = lower(a, i - 1) != lower(b, j - 1);

			now[j] = least(above[j - 1] + differs, least(above[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && lower(a, i - 1) == lower(b, j - 2) && lower(a, i - 2) == lower(b, j - 1))
				now[j] = least(now[j], two_above[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

struct hd_nearest hd_nearest_to(const char *word)
{
	return (struct hd_nearest){ .word = word, .distance = SIZE_MAX };
}

void hd_nearest_try(struct hd_nearest *n, const char *candidate)
{
	size_t len = strlen(candidate), d = hd_nearest_distance(n->word, candidate);

	if (d >= n->distance || d > (len + 2) / 3 || d >= len)
		return;
	n->distance = d;
	snprintf(n->best, sizeof(n->best), "%s", candidate);
}

const char *hd_nearest_hint(struct hd_nearest *n)
{
	n->hint[0] = '\0';
	if (n->best[0])
		snprintf(n->hint, sizeof(n->hint), "; did you mean '%s'?", n->best);
	return n->hint;
}

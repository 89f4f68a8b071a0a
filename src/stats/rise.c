/*
 * rise.c - see rise.h
 */
#include "stats/rise.h"

#include <math.h>

static void reverse(struct hd_rise *r, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct hd_rise swap = r[i];

		r[i] = r[n - 1 - i];
		r[n - 1 - i] = swap;
	}
}

size_t hd_rises(struct hd_rise *out, const struct hd_level *levels, size_t n, double threshold, size_t least,
	double *best)
{
	size_t found = 0;
	double now = n ? levels[n - 1].value : NAN;

	*best = now;
	for (size_t i = n; i-- > 1;) {
		const struct hd_level *l = &levels[i - 1];

		if (l->to - l->from < least)
			continue;
		*best = fmin(*best, l->value);
		if (!(l->value + threshold * fabs(l->value) < now))
			continue;
		out[found++] = (struct hd_rise){ l->to - 1, levels[i].from, l->value, now };
		now = l->value;
	}
	reverse(out, found);
	return found;
}

/*
 * expect_check.c - see expect.h: check measured shares
 */
#include "gate/expect.h"

#include "base/mem.h"
#include "base/symbol_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Shares have rounding errors, so they are compared with inclusive bounds with this tolerance (in per cent).  Exclusive
 * bounds are compared exactly.
 */
#define ROUNDING 1e-9

/*
 * Return true if the text matches the pattern.  After a mismatch, matching resumes at the last star only, so that
 * happens at most once per byte of the text.
 */
static bool glob(const char *pattern, const char *text)
{
	const char *star = NULL, *back = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			back = text;
		} else if (*pattern && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++back;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

static bool means(const struct hd_expect_item *item, const char *name)
{
	return name && *name && (item->glob ? glob(item->name, name) : !strcmp(item->name, name));
}

static enum hd_expect_verdict judge(const struct hd_expect_range *r, double v, double tolerance)
{
	double lo = r->lo - ROUNDING, hi = r->hi + ROUNDING;
	bool in = v >= lo && v <= hi && !(r->above_lo && v <= r->lo) && !(r->below_hi && v >= r->hi);

	return in                                                             ? HD_EXPECT_OK
		: v >= lo - tolerance && v <= hi + tolerance && tolerance > 0 ? HD_EXPECT_NEAR
									      : HD_EXPECT_VIOLATED;
}

size_t hd_expect_check(struct hd_expect_result *out, const struct hd_expect *e, const struct hd_expect_cost *costs,
	size_t n)
{
	char **normal = hd_new_array(char *, n + 1);
	bool *matched = hd_new_array(bool, n + 1);
	size_t violated = 0;

	for (size_t i = 0; i < n; i++)
		normal[i] = hd_symbol_name_normalize(costs[i].name);
	for (size_t k = 0; k < e->n; k++) {
		const struct hd_expect_item *item = &e->items[k];
		struct hd_expect_result *r = &out[k];

		*r = (struct hd_expect_result){ 0 };
		for (size_t i = 0; i < n && !item->others; i++) {
			if (!means(item, normal[i]) && !means(item, costs[i].name) && !means(item, costs[i].linkage))
				continue;
			matched[i] = true;
			r->functions++;
			/*
			 * If several functions have this name, their self costs are added.  Their total costs may
			 * overlap, so the largest total cost is used.
			 */
			r->measured = item->total ? fmax(r->measured, costs[i].total) : r->measured + costs[i].self;
		}
	}
	for (size_t k = 0; k < e->n; k++) {
		const struct hd_expect_item *item = &e->items[k];
		struct hd_expect_result *r = &out[k];

		for (size_t i = 0; i < n && item->others; i++) {
			double v = item->total ? costs[i].total : costs[i].self;

			if (matched[i])
				continue;
			r->functions++;
			if (!r->worst || judge(&item->range, v, e->tolerance) > r->verdict ||
			    (judge(&item->range, v, e->tolerance) == r->verdict && v > r->measured)) {
				r->worst = costs[i].name;
				r->measured = v;
				r->verdict = judge(&item->range, v, e->tolerance);
			}
		}
		if (!item->others || r->functions)
			r->verdict = judge(&item->range, r->measured, e->tolerance);
		violated += r->verdict == HD_EXPECT_VIOLATED;
	}
	for (size_t i = 0; i < n; i++)
		free(normal[i]);
	free(normal);
	free(matched);
	return violated;
}

/*
 * expect.h - a file of declared shares of the total cost
 *
 *     # what parser spends
 *     event cycles:u                     shares of this event
 *     tolerance 1                        percentage points, on both sides of every range
 *
 *     similarity 15..25 %                self cost between 15 and 25 per cent, both included
 *     total main >= 95 %                 with callees
 *     primary: parse_row, decode         the range of a tier: more than 5 %
 *     secondary: hash_probe              2..5 %
 *     tertiary: emit < 1 %               less than 2 %, here less than 1
 *     primary > 8 %                      from here on a primary function has more than 8 %
 *     std::vector<* < 10 %               a glob of * and ?: the sum of all that match
 *     "operator new" = 3 %               in quotes as it is
 *     others < 2 %                       each function that no line matches
 *
 * A line is [TIER:] [self|total] NAME[, NAME ...] [RANGE], a setting, or the range of a tier.  RANGE is LO..HI, or
 * one of < <= > >= = and a number, in per cent; the sign % may be left out.  It is the end of the line, parted from
 * the name by a blank, so that names hold blanks and operators.  Commas part names outside of brackets.  A name is
 * the displayed, the normalised or the linkage name.  # begins a comment at the start of a line or behind a blank;
 * lines end with LF or CRLF.
 *
 * Bounds: HD_EXPECT_BYTES a file, HD_EXPECT_ITEMS declarations.  An error names file and line.
 */
#ifndef HD_GATE_EXPECT_H
#define HD_GATE_EXPECT_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { HD_EXPECT_BYTES = 1 << 20, HD_EXPECT_ITEMS = 10000 };

enum hd_tier { HD_TIER_NONE, HD_TIER_PRIMARY, HD_TIER_SECONDARY, HD_TIER_TERTIARY, HD_TIERS };
const char *hd_tier_name(enum hd_tier t);	/* "primary"; NULL for none */

struct hd_expect_range {
	double lo, hi;			/* per cent; -infinity, infinity: open */
	bool above_lo, below_hi;	/* the end itself is outside: > and < */
};

struct hd_expect_item {
	unsigned line;			/* 0: not from a file */
	enum hd_tier tier;
	bool total;
	bool glob;			/* a sum over all that match */
	bool others;			/* each that nothing else matches; name is "others" */
	const char *name;
	struct hd_expect_range range;
};

struct hd_expect {
	struct hd_arena arena;
	const char *event;		/* NULL: the first with samples */
	double tolerance;		/* points; 0 unless said */
	struct hd_expect_item *items;	/* in the order of the file */
	size_t n, cap;
};

/* path: for messages.  HD_EFORMAT; on failure *e is released. */
int hd_expect_parse(struct hd_expect *e, const char *text, size_t len, const char *path, struct hd_err *err);
void hd_expect_release(struct hd_expect *e);

/* What a range says: "15..25 %", "> 5 %"; out: HD_EXPECT_RANGE_TEXT bytes. */
enum { HD_EXPECT_RANGE_TEXT = 64 };
void hd_expect_range_text(const struct hd_expect_range *r, char out[HD_EXPECT_RANGE_TEXT]);

/* ---- measured ---- */

struct hd_expect_cost {
	const char *name, *linkage;	/* linkage: NULL or "": none */
	double self, total;		/* per cent */
};

enum hd_expect_verdict {
	HD_EXPECT_OK,
	HD_EXPECT_NEAR,
	HD_EXPECT_VIOLATED
}; /* NEAR: within the tolerance, no violation */

struct hd_expect_result {
	enum hd_expect_verdict verdict;
	double measured;		/* per cent; of `others` the largest */
	size_t functions;		/* that matched; 0: no samples in it, measured is 0 */
	const char *worst;		/* of `others`: which */
};

/* One result an item.  Returns how many are violated. */
size_t hd_expect_check(struct hd_expect_result *out, const struct hd_expect *e, const struct hd_expect_cost *costs,
	size_t n);

#endif

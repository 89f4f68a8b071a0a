/*
 * expect.h - read declared shares of the total cost from a file, and check measured shares against them
 *
 *     # the parser
 *     event cycles:u                     shares of this event
 *     tolerance 1                        percentage points, on both sides of every range
 *
 *     similarity 15..25 %                self cost between 15 and 25 per cent, inclusive
 *     total main >= 95 %                 with callees
 *     primary: parse_row, decode         the range of the tier: more than 5 %
 *     secondary: hash_probe              2..5 %
 *     tertiary: emit < 1 %               less than 2 %, here less than 1 %
 *     primary > 8 %                      from here on, the range of the tier is more than 8 %
 *     std::vector<* < 10 %               a pattern with * and ?: the sum of all matching functions
 *     "operator new" = 3 %               in quotes: a literal name
 *     others < 2 %                       each function that no other line matches
 *
 * A line is [TIER:] [self|total] NAME[, NAME ...] [RANGE], a setting, or the range of a tier.
 *
 *   - RANGE is LO..HI, or one of < <= > >= = and a number, in per cent; the sign % is optional.  RANGE is at the end of
 *     the line and separated from the name by a blank or a closing quote, so names may contain blanks and operators.
 *   - Numbers are digits with at most one decimal point, and at most 100000.
 *   - Commas separate names, except within brackets or quotes.  A name is the displayed, the normalised or the linkage
 *     name.
 *   - # starts a comment at the start of a line or after a blank, but not in quotes.  Lines end with LF or CRLF.  A
 *     UTF-8 byte order mark at the start of the file is skipped.
 *
 * Limits: HD_EXPECT_BYTES per file, HD_EXPECT_ITEMS declarations.  Errors name the file and, unless they are about the
 * whole file, the line.
 */
#ifndef HD_GATE_EXPECT_H
#define HD_GATE_EXPECT_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { HD_EXPECT_BYTES = 1 << 20, HD_EXPECT_ITEMS = 10000 };

enum hd_tier { HD_TIER_NONE, HD_TIER_PRIMARY, HD_TIER_SECONDARY, HD_TIER_TERTIARY, HD_TIERS };
const char *hd_tier_name(enum hd_tier t);	/* "primary"; NULL for HD_TIER_NONE */

struct hd_expect_range {
	double lo, hi;			/* per cent; -infinity, infinity: no bound */
	bool above_lo, below_hi;	/* the bound is exclusive: > and < */
};

struct hd_expect_item {
	unsigned line;			/* line number in the file; 0: the item is not from a file */
	enum hd_tier tier;
	bool total;
	bool glob;			/* a pattern: the sum of all matching functions */
	bool others;			/* each function that no other item matches; name is "others" */
	const char *name;
	struct hd_expect_range range;
};

struct hd_expect {
	struct hd_arena arena;
	const char *event;		/* NULL: the first with samples */
	double tolerance;		/* percentage points; default 0 */
	struct hd_expect_item *items;	/* in the order of the file */
	size_t n, cap;
};

/* Parse a file.  path: for messages.  Returns 0, and the caller releases *e; or HD_EFORMAT, and *e is released. */
int hd_expect_parse(struct hd_expect *e, const char *text, size_t len, const char *path, struct hd_err *err);
void hd_expect_release(struct hd_expect *e);

/* Format a range: "15..25 %", "> 5 %". */
enum { HD_EXPECT_RANGE_TEXT = 64 };
void hd_expect_range_text(const struct hd_expect_range *r, char out[HD_EXPECT_RANGE_TEXT]);

/* ---- checking ---- */

struct hd_expect_cost {
	const char *name, *linkage;	/* linkage: NULL or "" if unknown */
	double self, total;		/* per cent */
};

enum hd_expect_verdict {
	HD_EXPECT_OK,
	HD_EXPECT_NEAR,			/* outside the range but within the tolerance, which is no violation */
	HD_EXPECT_VIOLATED
};

struct hd_expect_result {
	enum hd_expect_verdict verdict;
	/*
	 * per cent: the sum of the self costs of all matching functions, or the largest of their total costs; for
	 * `others`, the share of `worst`
	 */
	double measured;
	/* number of functions that match the item and have samples; if it is 0, `measured` is 0 */
	size_t functions;
	/*
	 * for `others`: the function with the worst verdict, and among those the one with the largest share; NULL if
	 * there is none.  The name is borrowed from `costs`
	 */
	const char *worst;
};

/* Check each item; `out` has room for e->n results.  Returns the number of violated items. */
size_t hd_expect_check(struct hd_expect_result *out, const struct hd_expect *e, const struct hd_expect_cost *costs,
	size_t n);

#endif

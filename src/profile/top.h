/*
 * top.h - list the symbols of an event by self cost
 *
 * A row is one symbol of the profile, (object, start vaddr), so overloads and static functions of one name are
 * different rows, as in `perf report --no-children --sort=symbol`.  self is the weight of the samples taken in it;
 * total adds its callees, with recursion counted once per sample.  By default, the cost of an inlined function belongs
 * to the function that contains it.  If inlined functions are requested (functions.h), they have rows of their own,
 * and the innermost one has the self cost.
 *
 * Invariant: the sum of self = the weight of the event.
 * Order:     descending self (or total, then self), then displayed name, object, start, and user code before kernel
 *            code.  The order of the input does not matter.  A list with a limit is a prefix of the whole list.
 */
#ifndef HD_PROFILE_TOP_H
#define HD_PROFILE_TOP_H

#include "profile/functions.h"
#include "profile/symbol_text.h"
#include "profile/profile.h"

#include <stdbool.h>

struct hd_top_row {
	uint32_t rank;		/* 1, 2, ... */
	uint32_t symbol;
	uint64_t self, total;	/* in the event's unit */
	uint64_t samples;	/* number of samples taken in the symbol */
	double var;		/* variance of self */
};

struct hd_top {
	struct hd_top_row *rows;
	size_t n;
	size_t symbols;			/* number of rows of the list without a limit */
	uint32_t event;
	uint64_t weight, samples;	/* totals of the event */
};

/*
 * List all symbols in which samples were taken, the highest self cost first.  by_total: sort by total, and include
 * callers without samples of their own.  If there is no such event, the list is empty.
 */
void hd_top_build(struct hd_top *top, const struct hd_profile *p, uint32_t event, bool by_total);
/*
 * Build the list like hd_top_build().  If fn is not NULL, inlined functions are rows as well.  fn must be the result of
 * hd_functions_init() for `p`.
 */
void hd_top_build_inlined(struct hd_top *top, const struct hd_profile *p, uint32_t event, bool by_total,
			  const struct hd_functions *fn);
/* List the first `limit` rows by self cost (0: all).  This is faster than hd_top_build_inlined() for a small limit. */
void hd_top_first(struct hd_top *top, const struct hd_profile *p, uint32_t event, size_t limit,
	const struct hd_functions *fn);
/*
 * List the first `limit` symbols (0: all) that were sampled but whose self cost was moved to a caller by skip rules
 * (profile/skip_rules.h).  In each row, self is the cost that was moved, and total is 0.  top->weight and top->samples
 * are the sums over these symbols.
 */
void hd_top_skipped(struct hd_top *top, const struct hd_profile *p, uint32_t event, size_t limit);
void hd_top_release(struct hd_top *top);

/* The lists of all events with samples: of[event]. */
struct hd_tops {
	struct hd_top *of;
	size_t n;
};

/*
 * List the symbols of each event that has samples, at most `limit` per event (0: all).  inlined: inlined functions are
 * rows.
 */
void hd_tops_build(struct hd_tops *tops, const struct hd_profile *p, size_t limit, bool inlined);
void hd_tops_release(struct hd_tops *tops);

/* Return 100 * part / whole; 0 if whole is 0. */
double hd_share_pct(uint64_t part, uint64_t whole);

#endif

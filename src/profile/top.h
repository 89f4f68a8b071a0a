/*
 * top.h - symbols by self cost
 *
 * A row is one symbol of the profile, (object, start vaddr), so overloads and
 * same-named statics stay apart, as in `perf report --no-children --sort=symbol`.
 * self is the weight of the samples taken in it, total also that of its
 * callees, a recursive symbol counted once per sample.  Inlined frames count to
 * the function they are in.
 *
 * With inlined functions (functions.h) a row is one of those, and the innermost
 * one has the self cost.
 *
 * Holds: sum of self = weight of the event.  Order: self (or total) falling, ties by
 *        displayed name, then object, start and side: no order depends on the input's.
 *        A list of the first rows is the start of the whole one.
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
	uint64_t samples;	/* taken in it */
	double var;		/* of self */
};

struct hd_top {
	struct hd_top_row *rows;
	size_t n;
	size_t symbols;			/* rows that the whole list has */
	uint32_t event;
	uint64_t weight, samples;	/* of the event, whole */
};

/* by_total: rank by total and list callers without self cost too. */
void hd_top_build(struct hd_top *top, const struct hd_profile *p, uint32_t event, bool by_total);
/* With inlined functions as rows of their own; `fn` of this profile, NULL: without. */
void hd_top_build_inlined(struct hd_top *top, const struct hd_profile *p, uint32_t event, bool by_total,
			  const struct hd_functions *fn);
/* The first `limit` rows of it by self cost (0: all), at less cost the fewer they are. */
void hd_top_first(struct hd_top *top, const struct hd_profile *p, uint32_t event, size_t limit,
	const struct hd_functions *fn);
/*
 * The first `limit` symbols (0: all) in which samples were taken whose self cost went to a caller, because frames are skipped
 * (profile/skip_rules.h): self is that cost, total is 0.  weight and samples are theirs.
 */
void hd_top_skipped(struct hd_top *top, const struct hd_profile *p, uint32_t event, size_t limit);
void hd_top_release(struct hd_top *top);

/* The lists of all events, for whoever writes them more than once: of[event], with `limit` rows each. */
struct hd_tops {
	struct hd_top *of;
	size_t n;
};

void hd_tops_build(struct hd_tops *tops, const struct hd_profile *p, size_t limit, bool inlined);
void hd_tops_release(struct hd_tops *tops);

/* 100 * part / whole, 0 when there is no whole. */
double hd_share_pct(uint64_t part, uint64_t whole);

#endif

/*
 * renames.h - which functions of the head are functions of the base under another name?
 *
 * A name that only the head has may be a name that only the base has, renamed: a function, or a whole namespace.  The
 * stacks show it by position: a renamed function has the same caller, or one that was renamed itself.  So names are
 * matched from the outermost frame inwards.  Under one (matched) caller, vanished and new names are paired one to
 * one, the best pair first: by the similarity of the names, and of their costs with callees.
 *
 * A pair is a guess of what belongs together, not a verdict: the caller tests whether the pair's cost stayed.
 */
#ifndef HD_GATE_RENAMES_H
#define HD_GATE_RENAMES_H

#include "history/stored_stacks.h"

struct hd_renames {
	uint32_t *partner; /* of each name of the stacks: the name that it is on the other side, or UINT32_MAX */
	double *share[2];		/* of each name: with callees, of the side's weight (0: base, 1: head) */
	size_t n;
};

/* The first nbase runs of the stacks are the base. */
void hd_renames_find(struct hd_renames *out, const struct hd_stored_stacks *stacks, size_t nbase);
void hd_renames_release(struct hd_renames *r);

#endif

/*
 * renames.h - guess which functions of the head are renamed functions of the base
 *
 * A name that only the head has may be a renamed name of the base: a function, or a whole namespace.  Stacks show
 * this by position, because a renamed function has the same caller, or a renamed one.  So names are matched from the
 * outermost frame inwards.  Under each (matched) caller, vanished and new names are paired one to one, the best pair
 * first, by the similarity of their names and of their total costs.
 *
 * A pair is only a candidate: the caller of this module tests whether the cost of the pair stayed the same.
 */
#ifndef HD_GATE_RENAMES_H
#define HD_GATE_RENAMES_H

#include "history/stored_stacks.h"

struct hd_renames {
	uint32_t *partner;		/* of each name of the stacks: its name on the other side, or UINT32_MAX */
	double *share[2];		/* total cost of each name, as a part of the side's weight (0: base, 1: head) */
	size_t n;
};

/* Pair the names.  The first nbase runs of the stacks are the base. */
void hd_renames_find(struct hd_renames *out, const struct hd_stored_stacks *stacks, size_t nbase);
void hd_renames_release(struct hd_renames *r);

#endif

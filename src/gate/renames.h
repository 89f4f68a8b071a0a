/*
 * renames.h - guess which functions of the head are renamed functions of the base
 *
 * A name that occurs only in the head may be the new name of a function of the base, for example because its namespace
 * was renamed.  The position in the stacks shows this: a renamed function has the same caller as before, or its caller
 * was renamed as well.  So names are matched from the outermost frame inwards.  Under each (matched) caller, vanished
 * and new names are paired one to one, the best pair first, by the similarity of their names and of their total costs.
 *
 * A pair is only a candidate: the caller of this module tests whether the cost of the pair stayed the same.
 */
#ifndef HD_GATE_RENAMES_H
#define HD_GATE_RENAMES_H

#include "history/stored_stacks.h"

struct hd_renames {
	/* indexed by name: the name of the same function on the other side; UINT32_MAX: none */
	uint32_t *partner;
	/*
	 * share[side][name]: total cost, divided by the weight of all stacks of the side (side 0: base, 1: head).  A
	 * function that calls itself directly counts once in a stack.  With indirect recursion it counts again, so a
	 * share can exceed 1.
	 */
	double *share[2];
	size_t n;
};

/* Find the pairs of names in the stacks of several runs.  The first nbase runs are those of the base. */
void hd_renames_find(struct hd_renames *out, const struct hd_stored_stacks *stacks, size_t nbase);
void hd_renames_release(struct hd_renames *r);

#endif

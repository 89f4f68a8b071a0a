/*
 * functions.h - treat inlined functions as functions: which one has the self cost, and which symbols are one function
 *
 * If a profile was read with inlined functions, a sample in clamp(), which was inlined into work(), has
 *
 *     stack   main;work;clamp      clamp is marked `inlined`
 *     self    work                 the function of the symbol table
 *
 * There are two ways to assign the self cost.  By the symbol table, as in perf, it belongs to work, and inlined frames
 * have no self cost.  By inlined functions, it belongs to clamp.  clamp is then one function wherever it was inlined:
 * all symbols with the same object and linkage name, out of line or inlined, are one function.
 *
 * Owns:      the array `of`, with one symbol id per symbol.
 * Invariant: of[of[s]] = of[s].  A function is represented by its symbol with the lowest address.  A symbol whose
 *            address is unknown represents its function only if no symbol of the function has an address.
 */
#ifndef HD_PROFILE_FUNCTIONS_H
#define HD_PROFILE_FUNCTIONS_H

#include "profile/profile.h"

struct hd_functions {
	uint32_t *of;		/* of[s]: the symbol that represents the function to which symbol s belongs */
};

/* Compute fn->of for all symbols of `p`.  Symbols that are added to `p` later are not included. */
void hd_functions_init(struct hd_functions *fn, const struct hd_profile *p);
void hd_functions_release(struct hd_functions *fn);

/*
 * Return the frame that has the self cost of a row.  Without `inlined`, it is row->self or, if row->self is inlined (in
 * folded text), the function that contains it.  With `inlined`, it is row->inner if frames were skipped.  Otherwise it
 * is the innermost frame of the stack, if the sample was taken in the function that contains this frame; else
 * row->self.
 */
hd_frame_id hd_functions_self(const struct hd_profile *p, const struct hd_sample_row *row, bool inlined);

#endif

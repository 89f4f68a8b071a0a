/*
 * functions.h - inlined functions as functions: whose a sample is, and which symbols are one
 *
 * A profile read with inlines has, of a sample in clamp(), which was inlined
 * into work():
 *
 *     stack   main;work;clamp      clamp is marked `inlined`
 *     self    work                 the function of the symbol table
 *
 * Self cost has two meanings then.  By the symbol table, as perf has it, it is
 * work's, and inlined frames are nobody's.  By inlined functions it is clamp's,
 * and clamp is a function wherever it was inlined: all symbols of one (object,
 * linkage name), out of line or inlined, are one function.
 *
 * Owns:  one id per symbol.
 * Holds: function(function(s)) = function(s), whatever the order of the symbols:
 *        one with an address stands for its names, the lowest first.
 */
#ifndef HD_PROFILE_FUNCTIONS_H
#define HD_PROFILE_FUNCTIONS_H

#include "profile/profile.h"

struct hd_functions {
	uint32_t *of;		/* by symbol: the one that stands for its function */
};

void hd_functions_init(struct hd_functions *fn, const struct hd_profile *p);
void hd_functions_release(struct hd_functions *fn);

/*
 * The frame that the self cost of a row goes to.  inlined: the innermost of the stack, when the
 * sample was taken in the function that holds it.
 */
hd_frame_id hd_functions_self(const struct hd_profile *p, const struct hd_sample_row *row, bool inlined);

#endif

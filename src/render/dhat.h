/*
 * dhat.h - a heap profile as DHAT's JSON, for dh_view.html of valgrind
 *
 * One program point per stack: what was allocated in all, live at the peak (t-gmax),
 * live at the end, and how long blocks lived.  Time is counted in bytes allocated
 * meanwhile (tu), not in instructions.  What a stack had live at most by itself (mb,
 * mbk) is not recorded: the larger of its share of the peak and of the end stands
 * there, which it had at least.  Sampled recordings know no lifetimes: tl is 0.
 *
 * Format: "dhatFileVersion" 2, as valgrind's dh_view.js reads it; frames innermost first.
 */
#ifndef HD_RENDER_DHAT_H
#define HD_RENDER_DHAT_H

#include "base/buf.h"
#include "profile/profile.h"

/* p has the events of pipeline/heap_input.h; others are left out. */
void hd_dhat_write(struct hd_buf *out, const struct hd_profile *p);

#endif

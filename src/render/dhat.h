/*
 * dhat.h - write a heap profile as DHAT JSON, for valgrind's dh_view.html
 *
 * One program point per stack with allocations holds: bytes and blocks allocated in total, live at the peak (t-gmax)
 * and live at the end, and the lifetime of blocks.  The time unit (tu) is bytes allocated, not instructions.
 *
 * The recording does not contain the maximum of each single stack (mb, mbk).  These fields have the stack's bytes and
 * blocks at the peak or at the end, whichever has more bytes.  So mb is a lower bound.  Sampled recordings have no
 * lifetimes: tl is 0.
 *
 * Format: "dhatFileVersion" 2, as valgrind's dh_view.js reads it; frames are innermost first.
 */
#ifndef HD_RENDER_DHAT_H
#define HD_RENDER_DHAT_H

#include "base/buf.h"
#include "profile/profile.h"

/*
 * Append the file.  An event of heap/events.h that `p` does not have counts as 0, so without the event of allocations
 * there are no program points; other events of `p` are ignored.
 */
void hd_dhat_write(struct hd_buf *out, const struct hd_profile *p);

#endif

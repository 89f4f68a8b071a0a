/*
 * folded_input.h - collapsed stacks: `frame;frame;frame COUNT` lines
 *
 * Format: one stack a line, outermost frame first, a blank and a decimal
 * count at the end (Brendan Gregg's stackcollapse form).  A count with decimals
 * is rounded down and said so.  `_[k]`, `_[j]`, `_[i]` behind a name mark kernel,
 * JIT and inlined frames.  Our own escapes (encode.h) are undone.
 * Lines that are no stacks are counted and skipped; `#` lines are comments.
 * Each line is one sample of the event `folded`, in the object `[folded]`, its
 * count the weight; it tells no pid, tid, cpu or time, and to select by those is
 * an error.  With HD_KEY_COMM the first frame is the command.
 */
#ifndef HD_PIPELINE_FOLDED_INPUT_H
#define HD_PIPELINE_FOLDED_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* fd is read to its end; path is for messages. */
int hd_folded_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);
/*
 * Does text look like it?  For telling inputs apart: some line has a count behind
 * a blank; with NULs in it: most lines have.  whole: this is all of the input,
 * else a first line that does not end yet may be one.
 */
bool hd_folded_input_is(const char *text, size_t n, bool whole);

#endif

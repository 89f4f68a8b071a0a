/*
 * folded_input.h - collapsed stacks -> profile: lines of the form `frame;frame;frame COUNT`
 *
 * One stack a line, outermost frame first, then a blank and a decimal count (the format of Brendan Gregg's
 * stackcollapse scripts).  A count with decimals is rounded down, with a warning.  `_[k]`, `_[j]` and `_[i]` after a
 * name mark kernel, JIT and inlined frames.  The escapes of base/encode.h are undone.  `#` lines are comments; other
 * lines that are not stacks are skipped and counted.
 *
 * Each line is one sample of the event `folded` in the object `[folded]`; its weight is the count.  Samples have no
 * pid, tid, cpu or time: a selection by those is an error.  With HD_KEY_COMM the first frame is the command.
 */
#ifndef HD_PIPELINE_FOLDED_INPUT_H
#define HD_PIPELINE_FOLDED_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* Read fd to its end and fill p, which is empty.  fd is borrowed; path is for messages. */
int hd_folded_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);
/*
 * Return true if text looks like folded stacks: at least one line ends in a blank and a count; in text with NULs,
 * most lines do. With `whole`, text is the whole input; otherwise its last line may be incomplete.
 */
bool hd_folded_input_is(const char *text, size_t n, bool whole);

#endif

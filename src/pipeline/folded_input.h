/*
 * folded_input.h - read collapsed stacks: lines of the form `frame;frame;frame COUNT`
 *
 * A line has one stack, outermost frame first, then a blank and a decimal count (the format of Brendan Gregg's
 * stackcollapse scripts).  A count with decimals is rounded down, with a warning.  `_[k]`, `_[j]` and `_[i]` after a
 * name mark kernel, JIT and inlined frames.  The escapes of base/encode.h are undone.  Semicolons at the end of a stack
 * are dropped, as flamegraph.pl drops them; any other frame without text, and any frame `\e`, has the empty name.  `#`
 * lines are comments; other lines that are not stacks are skipped and counted.  The file may be gzipped.
 *
 * Each line is one sample of the event `folded`; its weight is the count, also with --weight samples.  A line with two
 * counts (`hotdrift diff --format folded`, difffolded.pl) is one sample of `folded`, with the second count, and one of
 * the event HD_FOLDED_BASE_EVENT, with the first; a count of 0 in such a line is no sample.  With opts->sample_counts,
 * the first count is the number of samples instead.  The object of JIT frames is `[jit]`, that of all others
 * `[folded]`.  Samples have no pid, tid, cpu or time: a selection by those is an error.  With HD_KEY_COMM the first
 * frame is the thread name (comm) and not a frame of the stack; with --comm alone it is both.
 *
 * The file is read as a stream, and memory grows with its distinct frames and stacks.
 */
#ifndef HD_PIPELINE_FOLDED_INPUT_H
#define HD_PIPELINE_FOLDED_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

#define HD_FOLDED_BASE_EVENT	"base"

/*
 * Read fd to its end and add its samples to p, which is empty or was filled by this function.  fd is borrowed; path is
 * for messages.
 */
int hd_folded_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);
/*
 * Return true if text looks like folded stacks: at least one line ends in a blank and a count.  If text contains NULs,
 * most of its lines must end so.  If `whole` is set, text is the whole input; otherwise its last line may be
 * incomplete.
 */
bool hd_folded_input_is(const char *text, size_t n, bool whole);

#endif

/*
 * callgrind_input.h - read callgrind profiles
 *
 * A callgrind file is a call graph: costs of functions and of calls from one function to another, but no stacks
 * (callgrind_graph.h).  The reader makes stacks that agree with it:
 *
 *     self cost of a function, of its lines     exact
 *     cost of a call; cost with callees         exact but for rounding, if there is no recursion and nothing is omitted
 *     a path of three and more functions        an estimate: the cost of a function is divided among its callers in
 *                                               proportion to the costs of their calls
 *
 * gprof makes the same estimate.  Example: the calls from main() to sort() cost 90, those from report() to sort() cost
 * 10.  Then 90 % of the cost of each callee of sort() is attributed to the stack that begins at main().  A path
 * contains a function once, so recursion is folded.  Paths of less than a millionth of the total are omitted, and so
 * are paths beyond the limits in callgrind_input.c.  The self costs of their functions are added to the other paths of
 * these functions, or to a stack without callers if there are none.  The warning callgrind.paths reports
 * that paths are estimated, and whether some were omitted.
 *
 * Each event (Ir, Dw, ...) becomes an event of the profile.  Objects are kept.  Source files and lines are kept if
 * opts->lines is set.
 */
#ifndef HD_PIPELINE_CALLGRIND_INPUT_H
#define HD_PIPELINE_CALLGRIND_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* Return true if a file that begins with these n bytes is a callgrind profile. */
bool hd_callgrind_input_is(const char *head, size_t n);
/* Read fd to its end and fill p, which is empty.  fd is borrowed; path is for messages. */
int hd_callgrind_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif

/*
 * callgraph.h - choose how the stacks of a program should be recorded
 *
 *     fp       if nearly all functions keep the frame pointer; a sample has 8 bytes per frame
 *     dwarf    otherwise, if the functions have call frame information; a sample has a copy of the stack
 *     none     otherwise; only the processor's last branch records (lbr) can then record stacks
 */
#ifndef HD_UNWIND_CALLGRAPH_H
#define HD_UNWIND_CALLGRAPH_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

enum hd_call_graph { HD_CALL_GRAPH_FP, HD_CALL_GRAPH_DWARF, HD_CALL_GRAPH_NONE };

const char *hd_call_graph_name(enum hd_call_graph how);

/*
 * Choose how to record the stacks of a program of n files (n > 0): its executable first, then its own libraries.  The
 * file that keeps the fewest frame pointers decides, and a clause about this file is appended to `why`.  Returns < 0 if
 * a file cannot be opened or is not an ELF file.
 */
int hd_call_graph_choose(enum hd_call_graph *how, struct hd_buf *why, const char *const *paths, size_t n,
			 struct hd_err *err);

#endif

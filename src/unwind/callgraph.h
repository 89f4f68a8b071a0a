/*
 * callgraph.h - choose how the stacks of a program should be recorded
 *
 *     fp       nearly all functions keep frame pointers: 170 bytes per sample
 *     dwarf    they do not, but call frame information describes them: copies of the stack
 *     none     neither: only the processor's last branch records remain
 */
#ifndef HD_UNWIND_CALLGRAPH_H
#define HD_UNWIND_CALLGRAPH_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

enum hd_call_graph { HD_CALL_GRAPH_FP, HD_CALL_GRAPH_DWARF, HD_CALL_GRAPH_NONE };

const char *hd_call_graph_name(enum hd_call_graph how);

/*
 * Choose for a program of n files: its executable first, then its own libraries.  The file that keeps the fewest frame
 * pointers decides; `why` gets a clause about it.  A file that is not an ELF file is an error.
 */
int hd_call_graph_choose(enum hd_call_graph *how, struct hd_buf *why, const char *const *paths, size_t n,
			 struct hd_err *err);

#endif

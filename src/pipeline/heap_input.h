/*
 * heap_input.h - read heap recordings: which memory was allocated, live at the peak, leaked, short-lived
 *
 * The events, in this order.  Each has one row per stack:
 *
 *     allocated         bytes          requested by all allocations
 *     allocations       allocations    number of them
 *     peak              bytes          live at the time when the process had the most live bytes
 *     peak-blocks       allocations
 *     leaked            bytes          live at the end of the process
 *     leaked-blocks     allocations
 *     temporary         allocations    freed by their thread before it allocated anything else
 *     temporary-bytes   bytes
 *     lifetime          bytes          sum over the blocks of the bytes that the process allocated while the block was
 *                                      live; only with opts->lifetimes, for DHAT
 *
 * A file can have several processes (after a fork or an exec).  Their sums are added; --pid and --comm select.
 * Samples have no time, CPU or thread: a selection by those is an error.
 */
#ifndef HD_PIPELINE_HEAP_INPUT_H
#define HD_PIPELINE_HEAP_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* Read fd to its end and fill p, which is empty.  fd is borrowed; path is for messages. */
int hd_heap_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif

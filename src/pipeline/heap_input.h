/*
 * heap_input.h - heap recordings: what was allocated, live at the peak, leaked, short-lived
 *
 * The events, in this order; each has a row per stack:
 *
 *     allocated         bytes          all that was asked for
 *     allocations       allocations    how often
 *     peak              bytes          live when the process had most
 *     peak-blocks       allocations
 *     leaked            bytes          live at its end
 *     leaked-blocks     allocations
 *     temporary         allocations    freed by their thread before it allocated anything else
 *     temporary-bytes   bytes
 *
 * Several processes (forked, executed) may stand behind each other in a file;
 * their sums are added, --pid and --comm tell them apart.  Samples carry no time,
 * CPU or thread: to select by those is an error.
 */
#ifndef HD_PIPELINE_HEAP_INPUT_H
#define HD_PIPELINE_HEAP_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/* fd is read to its end; path is for messages. */
int hd_heap_input_read(struct hd_profile *p, int fd, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif

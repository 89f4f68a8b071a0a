/*
 * perf_input.h - read a perf.data file: convert records to samples, and their addresses to frames and stacks
 */
#ifndef HD_PIPELINE_PERF_INPUT_H
#define HD_PIPELINE_PERF_INPUT_H

#include "base/err.h"
#include "pipeline/options.h"
#include "pipeline/perf_source.h"
#include "profile/profile.h"

#include <stddef.h>

/* Return true if a file that begins with these n bytes is a perf.data file. */
bool hd_perf_input_is(const char *head, size_t n);

/*
 * Read the recording at `from` into the empty profile *p.  If the recording must be read a second time (see
 * perf_input_state.h), *p is freed and replaced.  from->fd stays open.
 */
int hd_perf_input_read(struct hd_profile **p, const struct hd_perf_source *from, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

#endif

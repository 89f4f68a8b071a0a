/*
 * span_join.h - join the polls of asynchronous spans with the off-CPU times of a recording
 *
 * A span is an asynchronous operation of the program, and a poll is a period in which a thread executes it
 * (pipeline/span_polls.h).  The profile must have been read with --weight off-cpu, opts.span_polls and the field
 * `span`.  Each row of the profile then names the span in whose poll the thread left the CPU.  The resulting table is
 * sorted by descending busy time, then by name.
 */
#ifndef HD_CLI_SPAN_JOIN_H
#define HD_CLI_SPAN_JOIN_H

#include "base/log.h"
#include "pipeline/span_polls.h"
#include "profile/profile.h"
#include "render/span_table.h"

/* Fill *t, and set *rows to its rows, which the caller frees.  Names of the profile may be added to polls->names. */
void hd_span_join(struct hd_span_table *t, struct hd_span_table_row **rows, const struct hd_span_polls *polls,
	const struct hd_profile *p);

/*
 * Warn (spans.other-time) if all polls are before the first sample of the profile or after the last one.  Samples
 * without times are no reason for a warning.
 */
void hd_span_join_check_times(const struct hd_span_polls *polls, const char *file, const struct hd_profile *p,
	struct hd_log *log);

#endif

/*
 * span_table.h - print how long asynchronous tasks ran, and how long their threads were off the CPU meanwhile
 *
 * A span is an asynchronous task that the program recorded with libhotdrift.  A poll is a period in which a thread
 * executes the task; a poll may contain polls of other spans (pipeline/span_polls.h).
 *
 * JSON: {"format":"hotdrift.spans","version":1,"spans_file","unmatched_ns","rows":[{"span","spans","polls","threads",
 * "busy_ns","off_cpu_ns","off_cpu_pct","blocked_ns","queued_ns","preempted_ns"}]}
 */
#ifndef HD_RENDER_SPAN_TABLE_H
#define HD_RENDER_SPAN_TABLE_H

#include "base/buf.h"
#include "render/top.h"

#include <stddef.h>
#include <stdint.h>

/* The spans of one name. */
struct hd_span_table_row {
	const char *name;
	size_t spans, polls, threads;
	uint64_t busy_ns;	/* duration of all polls of these spans, minus the polls of other spans inside them */
	uint64_t blocked_ns, queued_ns, preempted_ns;	/* times off the CPU inside these polls, by reason */
};

struct hd_span_table {
	const char *file;
	const struct hd_span_table_row *rows;
	size_t n;
	uint64_t unmatched_ns;	/* time off the CPU outside of all polls */
};

void hd_span_table_print(struct hd_buf *out, const struct hd_span_table *t, enum hd_format format);

#endif

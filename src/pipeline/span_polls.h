/*
 * span_polls.h - the polls of asynchronous spans, which a program recorded with libhotdrift, by thread and time
 *
 * hd_spans_write_csv() of hotdrift.h writes one row per poll: t_ns,duration_ns,pid,tid,span,parent,name.  Times are
 * CLOCK_MONOTONIC.  Polls of one thread nest: a poll may contain whole polls of other spans.
 *
 *     hd_span_polls_read(&polls, "spans.csv", log, err);
 *     poll = hd_span_polls_at(polls, tid, t_ns);
 *
 * Owns:    the polls and their names.
 * Threads: constant after the read; any thread may look polls up.
 */
#ifndef HD_PIPELINE_SPAN_POLLS_H
#define HD_PIPELINE_SPAN_POLLS_H

#include "base/err.h"
#include "base/log.h"
#include "base/strtab.h"

#include <stddef.h>
#include <stdint.h>

enum { HD_SPAN_POLLS_DEPTH = 64 };	/* the deepest nesting that is accepted */

struct hd_span_poll {
	uint64_t begin_ns, end_ns;
	uint64_t nested_ns;	/* of the polls directly inside of it */
	uint64_t span;
	int32_t tid;
	uint32_t name;		/* in hd_span_polls.names */
	uint32_t outer;		/* index of the poll around it, or HD_SPAN_POLLS_NONE */
};

#define HD_SPAN_POLLS_NONE UINT32_MAX

struct hd_span_polls {
	struct hd_span_poll *items;	/* by thread, then by begin, outer ones first */
	size_t n, cap;
	struct hd_strtab *names;	/* as in the file: visible form (track/csvout.h) */
};

/*
 * Read a file.  HD_EFORMAT: another header, a cell that is not a number, or polls that overlap without nesting.
 * Invalid rows of another length are skipped with a warning.
 */
int hd_span_polls_read(struct hd_span_polls **out, const char *path, struct hd_log *log, struct hd_err *err);
/* The same for a text, which is modified. */
int hd_span_polls_parse(struct hd_span_polls **out, char *text, size_t size, const char *path, struct hd_log *log,
	struct hd_err *err);
void hd_span_polls_free(struct hd_span_polls *polls);		/* accepts NULL */

/* Return the innermost poll of a thread at a time, or NULL. */
const struct hd_span_poll *hd_span_polls_at(const struct hd_span_polls *polls, int32_t tid, uint64_t t_ns);

#endif

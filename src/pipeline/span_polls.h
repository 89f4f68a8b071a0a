/*
 * span_polls.h - look up on which asynchronous operation a thread worked at a time
 *
 * A program records its asynchronous operations with libhotdrift, where they are called spans.  A poll is a period in
 * which one thread works on a span, such as one poll of a future.  hd_spans_write_csv() of hotdrift.h writes one row
 * per poll: t_ns,duration_ns,pid,tid,span,parent,name.  Times are CLOCK_MONOTONIC.  Polls of one thread nest: a poll
 * may contain whole polls of other spans.
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
	uint64_t nested_ns;	/* duration of the polls directly inside this one */
	uint64_t span;
	int32_t tid;
	uint32_t name;		/* id in hd_span_polls.names */
	uint32_t outer;		/* index of the innermost poll that contains this one, or HD_SPAN_POLLS_NONE */
};

#define HD_SPAN_POLLS_NONE UINT32_MAX

struct hd_span_polls {
	struct hd_span_poll *items;	/* sorted by thread, then by begin; an outer poll is before those inside it */
	size_t n, cap;
	struct hd_strtab *names;	/* names in the visible form, as the file has them (track/csvout.h) */
};

/*
 * Read a file of polls.  The caller frees *out, which is NULL after an error.  Returns HD_EIO if the file cannot be
 * read.  Returns HD_EFORMAT if it has more than 4 GiB, the header is not the expected one, a cell other than the name
 * is not a whole number or is too large, or polls overlap without nesting or nest more than HD_SPAN_POLLS_DEPTH deep.
 * Rows with a wrong number of cells, a NUL byte or an invalid quote are skipped with the warning lost.csv-rows.
 */
int hd_span_polls_read(struct hd_span_polls **out, const char *path, struct hd_log *log, struct hd_err *err);
/* Like hd_span_polls_read(), but parse the text of a file, which is modified.  `path` is for messages. */
int hd_span_polls_parse(struct hd_span_polls **out, char *text, size_t size, const char *path, struct hd_log *log,
	struct hd_err *err);
void hd_span_polls_free(struct hd_span_polls *polls);		/* accepts NULL */

/* Return the innermost poll of thread `tid` with begin_ns <= t_ns < end_ns, or NULL. */
const struct hd_span_poll *hd_span_polls_at(const struct hd_span_polls *polls, int32_t tid, uint64_t t_ns);

#endif

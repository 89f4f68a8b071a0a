/*
 * trace_events.h - the container of a Chrome trace: its events one after the other, in bounded memory
 *
 *     {"schemaVersion": 1, "traceEvents": [EVENT, EVENT, ...], "traceName": "..."}
 *     [EVENT, EVENT, ...
 *
 * Both forms are read, plain or gzipped (base/gunzip.h).  In the second the closing bracket is optional.  Source:
 * "Trace Event Format", docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU, section "JSON Array
 * Format".
 *
 * Memory use is bounded by the longest single event or member of the outermost object.  One that is longer than 64 MiB
 * counts as damage.
 *
 * The events before damage are returned.  Then _next() warns with `lost.trace` and the offset, and returns 0.
 */
#ifndef HD_GPU_TRACE_EVENTS_H
#define HD_GPU_TRACE_EVENTS_H

#include "base/err.h"
#include "base/json_scan.h"
#include "base/log.h"

struct hd_trace_events;

struct hd_trace_item {
	/* key of a member of the outermost object, without quotes, valid until the next call; {NULL, 0} for an event */
	struct hd_json_text key;
	struct hd_json_text value;	/* the whole JSON value; valid until the next call */
	/* offset of the value in the text; if the file is gzipped, in the decompressed text */
	uint64_t offset;
};

/* fd, path and log are borrowed. */
struct hd_trace_events *hd_trace_events_new(int fd, const char *path, struct hd_log *log);
void hd_trace_events_free(struct hd_trace_events *t);		/* accepts NULL */
/* Returns 1 with *item, 0 at the end, or HD_EIO. */
int hd_trace_events_next(struct hd_trace_events *t, struct hd_trace_item *item, struct hd_err *err);

/* Return true if a file that begins with these bytes is a Chrome trace, plain or gzipped. */
bool hd_trace_events_is(const char *head, size_t n);

#endif

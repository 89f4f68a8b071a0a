/*
 * timeline.h - the events of a timeline that its ring buffer still has, for summaries and exports
 */
#ifndef HD_TRACK_TIMELINE_H
#define HD_TRACK_TIMELINE_H

#include "track/status.h"

struct hd_timeline_event {
	uint64_t t_ns;				/* CLOCK_MONOTONIC */
	uint32_t tid;
	enum hd_event_kind kind;
	const char *name;			/* owned by the profiler, like the texts of the arguments */
	unsigned nargs;
	struct hd_event_arg args[HD_EVENT_ARGS];
	int64_t partner;			/* index of the END of a BEGIN, or of the BEGIN of an END; -1: none */
};

/*
 * Copy the kept events, in order of time, into *out, which the caller frees.  Returns their number or HD_TRACK_NOMEM.
 * The partner of an END is the innermost open BEGIN of its name and thread.  BEGINs nested in that BEGIN which are
 * still open end with it, so this END is their partner, too.
 */
int64_t hd_timeline_copy(struct hd_profiler *p, struct hd_timeline_event **out);

#endif

/*
 * timeline.h - the kept events of a timeline, for its summaries and exports
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
 * Copy the kept events, which are in order of time, into *out, which the caller frees.  Returns their number or
 * HD_TRACK_NOMEM.  An END belongs to the innermost open BEGIN of its name and thread.  BEGINs inside of that one that
 * are still open end with it, and have it as their partner, too.
 */
int64_t hd_timeline_copy(struct hd_profiler *p, struct hd_timeline_event **out);

#endif

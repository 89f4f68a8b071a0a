/*
 * rate.h - at what rate an event was sampled, and how evenly
 *
 *     asked for      999 Hz | period 4000           the same program sampled otherwise has other samples
 *     throttled      the kernel stopped a counter that sampled too often, until the next tick: samples are missing
 *     shared         more events than counters: it ran for a part of the time only, and its weight is that part's
 *
 * A heap recording and folded text have none of it.  What is not known is 0.
 */
#ifndef HD_PROFILE_RATE_H
#define HD_PROFILE_RATE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_rate {
	uint64_t frequency_hz;		/* asked for; 0: the period is fixed */
	uint64_t period;		/* fixed, in units of the event */
	bool recorded;			/* the recording would have told of what follows */
	uint64_t throttled, unthrottled;	/* records of it */
	double silent;			/* the part of the recording in which those counters were stopped */
	uint64_t enabled_ns, running_ns;	/* summed over the counters whose times were recorded */
	const char *call_graph;		/* how stacks were recorded, one of hd_rate_call_graphs; NULL: not known */
	uint64_t stack_bytes;		/* size of each copy of the stack; 0 unless call_graph is "dwarf" */
};

/* "none", "fp", "dwarf", "lbr". */
enum { HD_RATE_CALL_GRAPHS = 4 };
extern const char *const hd_rate_call_graphs[HD_RATE_CALL_GRAPHS];
/* Return the constant that is equal to `word`, or NULL.  Accepts NULL. */
const char *hd_rate_call_graph(const char *word);

/* "999 Hz", "period 4000"; nothing when it is not known. */
void hd_rate_asked(struct hd_buf *out, const struct hd_rate *s);
/* The part of the time in which the counter did not run, 0 when it is not known. */
double hd_rate_shared(const struct hd_rate *s);
/* All of it in words, "999 Hz, throttled 3 times (0.20 % of the time), on the counter 87.5 % of the time". */
void hd_rate_text(struct hd_buf *out, const struct hd_rate *s);

#endif

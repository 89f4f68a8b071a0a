/*
 * rate.h - the sampling rate of an event, and how evenly it was sampled
 *
 *     requested      999 Hz | period 4000           profiles with different rates have different samples
 *     throttled      the kernel stopped a counter that sampled too often until the next tick: samples are missing
 *     multiplexed    there were more events than counters: the event was counted for a part of the time only
 *
 * Heap recordings and folded text have none of these.  Unknown values are 0.
 */
#ifndef HD_PROFILE_RATE_H
#define HD_PROFILE_RATE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_rate {
	uint64_t frequency_hz;		/* requested; 0: the period is fixed */
	uint64_t period;		/* fixed, in units of the event */
	bool recorded;			/* the recording can have the values below */
	uint64_t throttled, unthrottled;	/* number of records */
	double silent;			/* share of the recording in which throttled counters were stopped */
	uint64_t enabled_ns, running_ns;	/* sums over the counters with recorded times */
	const char *call_graph;		/* one of hd_rate_call_graphs; NULL: unknown */
	uint64_t stack_bytes;		/* size of each copy of the stack; 0 unless call_graph is "dwarf" */
};

/* The ways to record call chains, as for perf record --call-graph: "none", "fp", "dwarf", "lbr". */
enum { HD_RATE_CALL_GRAPHS = 4 };
extern const char *const hd_rate_call_graphs[HD_RATE_CALL_GRAPHS];
/* Return the constant that is equal to `word`, or NULL.  Accepts NULL. */
const char *hd_rate_call_graph(const char *word);

/* Append "999 Hz" or "period 4000"; nothing if unknown. */
void hd_rate_asked(struct hd_buf *out, const struct hd_rate *s);
/* Return the share of the time in which the counter did not run; 0 if unknown. */
double hd_rate_shared(const struct hd_rate *s);
/* Append the known values: "999 Hz, throttled 3 times (0.20 % of the time), on the counter 87.5 % of the time". */
void hd_rate_text(struct hd_buf *out, const struct hd_rate *s);

#endif

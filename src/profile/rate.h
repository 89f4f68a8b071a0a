/*
 * rate.h - the sampling rate of an event, and how evenly it was sampled
 *
 *     requested      999 Hz | period 4000           profiles with different rates are not comparable sample by sample
 *     throttled      a counter sampled too often: the kernel stopped it until the next tick, so samples are missing
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
	uint64_t period;		/* the fixed period, in units of the event */
	bool recorded;			/* the input format has the values below */
	uint64_t throttled, unthrottled;	/* numbers of THROTTLE and UNTHROTTLE records */
	/* share of the recorded time (0 to 1) in which the event's counters were throttled and took no samples */
	double silent;
	uint64_t enabled_ns;		/* time for which the event's counters were enabled, summed over counters */
	uint64_t running_ns;		/* time in which they counted, summed over counters */
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
/* Return the share of the time (0 to 1) in which multiplexing left the event without a counter; 0 if unknown. */
double hd_rate_shared(const struct hd_rate *s);
/* Append the known values: "999 Hz, throttled 3 times (0.20 % of the time), on the counter 87.5 % of the time". */
void hd_rate_text(struct hd_buf *out, const struct hd_rate *s);

#endif

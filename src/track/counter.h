/*
 * counter.h - a cumulative hardware counter that wraps
 *
 *     step = cur >= prev ? cur - prev : cur + range - prev
 *
 * cur and prev are two consecutive readings; for RAPL, `range` is the file max_energy_range_uj, which
 * Documentation/power/powercap/powercap.rst of the Linux kernel describes.  The formula corrects one wrap between two
 * readings.  A second wrap cannot be seen in the values.  hd_counter_add() reports that one more wrap is possible if
 * the counter would then still have risen by at most `limit_per_s` per second.
 *
 * A counter without a range (0) cannot wrap.  If it falls, it was reset, and the energy of that step is lost.
 */
#ifndef HD_TRACK_COUNTER_H
#define HD_TRACK_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct hd_counter {
	uint64_t range;			/* in the counter's unit; 0: it never wraps */
	double limit_per_s;		/* the counter never rises faster than this, in its unit per second */
	bool begun;
	uint64_t last;
	double last_s;
	uint64_t sum;			/* increase since the first reading, with wraps corrected */
};

enum hd_counter_change {
	HD_COUNTER_FIRST,		/* the first reading */
	HD_COUNTER_SAME,
	HD_COUNTER_ROSE,
	HD_COUNTER_WRAPPED,
	HD_COUNTER_RESET,		/* the counter fell although it cannot wrap */
	HD_COUNTER_INVALID,		/* the value is above the range: the reading is not used */
};

/*
 * Add a reading at t_s seconds.  *hidden is set to true if the counter may have wrapped around once more than the
 * readings show.
 */
enum hd_counter_change hd_counter_add(struct hd_counter *c, uint64_t value, double t_s, bool *hidden);

#endif

/*
 * energy.h - joules from a series of watts, or from a counter of joules
 *
 *     watts     sum over neighbours in time of (t2 - t1) (w1 + w2) / 2, the trapezoid rule
 *     counter   its increase; a step down is lost, and counted in `falls`
 *
 * Both are taken over a span: from its start to its end, with the value at either end interpolated between the samples
 * around it.  What the samples do not cover is not extrapolated.
 *
 * Samples are sorted by time first.  Samples of the same time keep their order, so that two of them form a vertical
 * step.  Fewer than two samples are 0 J over 0 s, and `enough` is false.
 *
 * Repeated values are not measurements.  A sensor that is updated every T and read more often repeats its value, so
 * that its curve would be a staircase that is late by T / 2.  T is estimated as the median time between new values,
 * which takes at least HD_ENERGY_PACE of them.  If T is 1.5 to HD_ENERGY_SLOW times the median time between samples:
 *
 *     watts     the curve is a line from each new value to the next one.  A value that stays longer than 1.5 T is held
 *               until T before the next one.
 *     counter   an increase is spread over the T before it was read, so a span can include a part of it
 *
 * Otherwise repeated samples are points of the curve like others.
 *
 * A gap is a time between samples of more than HD_ENERGY_GAP times the median.  Watts are interpolated linearly in it,
 * which is a guess; a counter needs no guess.
 */
#ifndef HD_TRACK_ENERGY_H
#define HD_TRACK_ENERGY_H

#include "track/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { HD_ENERGY_GAP = 10, HD_ENERGY_PACE = 4, HD_ENERGY_SLOW = 16 };

struct hd_energy_sample {
	double t_s;
	double value;		/* watts, or joules of a counter */
	/* set if this is not a new measurement: for counters by hd_energy_counter(), for watts by the caller */
	bool repeated;
};

struct hd_energy_span {
	double from_s, to_s;	/* NaN: the first, the last sample */
};

struct hd_energy {
	bool enough;			/* two samples at two moments, and they cover a part of the span */
	double total_joules;
	/* for watts: mean of the new samples in the span; else joules divided by duration */
	double mean_watts;
	/* largest sample; for a counter, its steepest rise between samples at least half of median_dt_s apart */
	double peak_watts;
	double duration_s;		/* duration of the part of the span that the samples cover */
	size_t n_samples;		/* new ones in the span */
	size_t repeated;		/* repeated samples in the span */
	size_t backwards;		/* samples that were earlier than the one before them */
	size_t same_time;		/* samples with the time of an earlier one */
	size_t falls;			/* of a counter */
	double median_dt_s;		/* between moments */
	double update_period_s;		/* median time between new values; NaN below 3 of them */
	size_t gaps;
	double longest_gap_s, gap_joules;
};

/* Joules of n samples of watts, which are sorted.  0 or HD_TRACK_NOMEM. */
int hd_energy(struct hd_energy *out, struct hd_energy_sample *s, size_t n, struct hd_energy_span span);
/* Joules of n samples of a counter, which are sorted. */
int hd_energy_counter(struct hd_energy *out, struct hd_energy_sample *s, size_t n, struct hd_energy_span span);

#endif

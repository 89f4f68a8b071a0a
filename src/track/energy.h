/*
 * energy.h - joules from a series of watts, or from a counter of joules
 *
 *     watts     sum over neighbours in time of (t2 - t1) (w1 + w2) / 2, the trapezoid rule
 *     counter   the increase of the counter; a decrease is not subtracted, but counted in `falls`
 *
 * Both are computed for a span of time.  The values at the start and at the end of the span are interpolated between
 * the samples around them.  Nothing is extrapolated beyond the first and the last sample.
 *
 * Samples are sorted by time first.  Samples of the same time keep their order, so that two of them form a vertical
 * step.  Fewer than two samples are 0 J over 0 s, and `enough` is false.
 *
 * Repeated values are not measurements.  A sensor that is updated every T and read more often repeats its value, so
 * that its curve would be a staircase that is late by T / 2.  T is estimated as the median of the times between new
 * values, if there are at least HD_ENERGY_PACE such times.  If T is 1.5 to HD_ENERGY_SLOW times the median time between
 * samples:
 *
 *     watts     the curve is a line from each new value to the next one.  A value that is repeated for longer than
 *               1.5 T is held until T before the next one, or until its last repetition if that is earlier
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
	/* true: an old value was read again.  Set by the caller for watts, by hd_energy_counter() for counters. */
	bool repeated;
};

struct hd_energy_span {
	double from_s, to_s;	/* NaN: the first, the last sample */
};

struct hd_energy {
	/* samples at two or more different times exist, and cover a part of the span */
	bool enough;
	double total_joules;
	/*
	 * mean power in the span: for samples of watts, the mean of the new ones; for a counter, or if the span has no
	 * new sample, joules / duration
	 */
	double mean_watts;
	/*
	 * peak power: the largest new sample in the span, or mean_watts if there is none.  For a counter, it is its
	 * steepest rise over at least half of median_dt_s; a rise counts if a part of it is in the span
	 */
	double peak_watts;
	double duration_s;		/* duration of the part of the span that the samples cover */
	size_t n_samples;		/* samples in the span that are not repeated */
	size_t repeated;		/* repeated samples in the span */
	size_t backwards;		/* samples that were earlier than the one before them */
	size_t same_time;		/* samples with the time of an earlier one */
	size_t falls;			/* number of samples at which a counter was lower than before */
	double median_dt_s;		/* median time between samples of different times */
	double update_period_s;		/* median time between new values; NaN with fewer than 3 of them */
	size_t gaps;			/* number of gaps in the span */
	double longest_gap_s, gap_joules;	/* gap_joules: sum over all gaps; 0 for a counter */
};

/*
 * Compute the energy, in joules, of n samples of watts.  The function sorts the samples by time.  Returns 0
 * or HD_TRACK_NOMEM.
 */
int hd_energy(struct hd_energy *out, struct hd_energy_sample *s, size_t n, struct hd_energy_span span);
/* Like hd_energy(), for n samples of a counter of joules.  The function also sets their `repeated`. */
int hd_energy_counter(struct hd_energy *out, struct hd_energy_sample *s, size_t n, struct hd_energy_span span);

#endif

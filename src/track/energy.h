/*
 * energy.h - joules from a series of watts
 *
 *     joules = sum over neighbours in time of (t2 - t1) (w1 + w2) / 2      the trapezoid rule
 *
 * Samples are sorted by time first; those of one moment keep their order and have
 * no width between them, so that a step in power is a step.  Fewer than two samples
 * are 0 J over 0 s, and `enough` says so.
 *
 * A gap is a distance of more than HD_ENERGY_GAP times the median one: what was
 * drawn meanwhile is a straight line, which is a guess.
 */
#ifndef HD_TRACK_ENERGY_H
#define HD_TRACK_ENERGY_H

#include "track/summary.h"

#include <stdbool.h>

enum { HD_ENERGY_GAP = 10 };

struct hd_power {
	double t_s, watts;
	bool repeated;		/* not a new measurement: time goes on, but it counts neither as a sample nor for the mean */
};

struct hd_energy {
	bool enough;			/* two samples at two moments */
	double total_joules, mean_watts, peak_watts, duration_s;
	size_t n_samples;
	size_t repeated;
	size_t backwards;		/* samples that were earlier than the one before them */
	size_t same_time;		/* samples of the same moment as another before them */
	double median_dt_s;		/* between moments */
	size_t gaps;
	double longest_gap_s, gap_joules;
};

/* p: n samples, which are sorted.  0 or HD_TRACK_NOMEM. */
int hd_energy(struct hd_energy *out, struct hd_power *p, size_t n);

#endif

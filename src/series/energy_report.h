/*
 * energy_report.h - compute the joules of a power series, domain by domain
 *
 * Two forms are read (track/form.h): `timestamp_us,watts`, and power by source,
 * `t_ns,source,domain,watts,joules_cum,stale`.
 *
 * A domain with watts is integrated.  A domain with only a cumulative counter uses the counter's increase
 * (track/energy.h).  If a domain has both, the integral is used and the counter is reported for comparison.  Domains
 * overlap; track/power_overlap.h decides which ones are added to the total.
 *
 * The mean of several domains is the sum of their means.  Their peak is the largest sum at the time of any sample,
 * with the other domains interpolated; if one of them has only a counter, it is the sum of the peaks.
 *
 * A counter that falls was reset, or wrapped with a range that the file does not contain: the energy of that step is
 * lost (warning lost.energy-counter).  Files of hotdrift have counters without wraps (track/power.h).
 */
#ifndef HD_SERIES_ENERGY_REPORT_H
#define HD_SERIES_ENERGY_REPORT_H

#include "series/series.h"
#include "track/energy.h"

struct hd_energy_domain {
	const char *source, *domain;	/* NULL in the simple form */
	struct hd_energy watts;		/* integral of its watts */
	struct hd_energy counter;	/* increase of its counter */
	const char *why_not;		/* NULL: part of the total; else the reason: "inside the package" */
	/* The result. */
	const char *method;		/* "trapezoid", "counter" */
	bool enough;
	double joules, mean_watts, peak_watts, duration_s;
	size_t n_samples;		/* rows with a new value */
	double median_dt_s;		/* between rows; NaN below 2 */
	double update_period_s;		/* median time between new values; NaN below 3 */
	double counter_joules;		/* NaN without two samples of a counter */
	double disagreement_pct;	/* integral over counter; NaN unless both are known */
	int64_t wraps;			/* how often the hardware counter wrapped; -1: unknown, as for files */
	const char *quantity;		/* what was read: "energy_uj"; NULL: unknown */
	struct hd_energy_sample *power, *count;		/* watts and counter, sorted by time */
	size_t npower, power_cap, ncount, count_cap;
};

struct hd_energy_report {
	const struct hd_series *series;
	struct hd_energy_domain *domains;
	size_t n, cap;
	/* The total. */
	bool enough;
	const char *method;		/* "trapezoid", "counter", "trapezoid and counter" */
	double total_joules, mean_watts, peak_watts, duration_s;
	double counter_joules, disagreement_pct;	/* NaN unless a domain of the total has both */
	size_t n_samples;
};

/* Compute the report; it borrows `s`.  On failure `out` is released. */
int hd_energy_report_make(struct hd_energy_report *out, const struct hd_series *s, struct hd_log *log,
	struct hd_err *err);
/* Make the report for a part of the series, in seconds of its clock. */
int hd_energy_report_make_span(struct hd_energy_report *out, const struct hd_series *s, struct hd_energy_span span,
			struct hd_log *log, struct hd_err *err);
void hd_energy_report_release(struct hd_energy_report *r);

#endif

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
 * The mean of the total is the sum of the means of its domains.  The peak of the total is the largest sum of their
 * watts at the time of any sample in the span.  A domain without a sample at that time is interpolated; before its
 * first and after its last sample, the value of that sample is used.  If one of the domains has only a counter, if
 * there are more than 32 domains, or if no sample is in the span, the peak is the sum of their peaks.
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
	struct hd_energy watts;		/* energy as the integral of its watts */
	struct hd_energy counter;	/* energy as the increase of its counter */
	/* NULL: the domain is part of the total; otherwise the reason why not: "inside the package" */
	const char *why_not;
	/* The result for the domain. */
	const char *method;		/* "trapezoid", "counter" */
	bool enough;			/* hd_energy.enough; if false, joules and duration_s are 0 */
	double joules, mean_watts, peak_watts, duration_s;
	size_t n_samples;		/* number of samples in the span with a new value (hd_energy.n_samples) */
	double median_dt_s;		/* median time between samples of different times; NaN: unknown */
	double update_period_s;		/* median time between new values; NaN if there are fewer than 3 new values */
	double counter_joules;		/* energy by the counter; NaN: its samples cover no part of the span */
	double disagreement_pct;	/* deviation of the integral from the counter, in per cent; NaN: unknown */
	/* how often the hardware counter wrapped around; -1: unknown, as in energy reports of files */
	int64_t wraps;
	const char *quantity;		/* what was read: "energy_uj"; NULL: unknown */
	struct hd_energy_sample *power, *count;		/* watts and counter, sorted by time */
	size_t npower, power_cap, ncount, count_cap;
};

struct hd_energy_report {
	const struct hd_series *series;
	struct hd_energy_domain *domains;
	size_t n, cap;
	/* The result for the total. */
	bool enough;			/* true if it is true for a domain of the total */
	const char *method;		/* "trapezoid", "counter", "trapezoid and counter" */
	double total_joules, mean_watts, peak_watts, duration_s;
	/*
	 * over the domains of the total that have watts and a valid counter_joules; NaN if there are none.
	 * disagreement_pct is NaN also if counter_joules is 0
	 */
	double counter_joules, disagreement_pct;
	size_t n_samples;
};

/*
 * Compute the report of a power series.  The report borrows the series `s`.  HD_EFORMAT if `s` has neither of the two
 * forms, or too many domains; HD_EIO if memory is exhausted.  The caller releases `out` in any case.
 */
int hd_energy_report_make(struct hd_energy_report *out, const struct hd_series *s, struct hd_log *log,
	struct hd_err *err);
/*
 * Like hd_energy_report_make(), but for the samples of a span only.  `span` is in seconds of the clock of the series;
 * NaN: no bound.
 */
int hd_energy_report_make_span(struct hd_energy_report *out, const struct hd_series *s, struct hd_energy_span span,
			struct hd_log *log, struct hd_err *err);
void hd_energy_report_release(struct hd_energy_report *r);

#endif

/*
 * energy.h - the joules of a power series, source by source
 *
 * Two forms are read (track/form.h): `timestamp_us,watts`, and power by source,
 * `t_ns,source,domain,watts,joules_cum,stale`.
 *
 * A domain with watts is integrated (track/energy.h); one with a cumulative counter
 * only is the counter's increase; with both, the integral counts and the counter
 * stands beside it.  Domains overlap, so that not all are added:
 *
 *     psys            contains the packages: counts only when the file has none
 *     core, uncore    are inside their package: count only when the file has none
 *     dram            beside the package: listed, never added
 *     intel-rapl-mmio repeats what intel-rapl says: counts only where that is absent
 *     battery         the whole machine: counts only where nothing else does
 *
 * The mean of several is the sum of their means; their peak is that of their sum
 * where they were sampled at the same moments, and else the sum of their peaks.
 *
 * The peak of a counter is its steepest rise over at least half of the median distance of its rows.  A counter is
 * updated in steps, so a shorter distance would show the step and not the power.
 *
 * A counter that falls was reset or wrapped with a range that the file does not
 * tell: what was drawn in that step is lost, and said so (lost.energy-counter).
 */
#ifndef HD_METRICS_ENERGY_H
#define HD_METRICS_ENERGY_H

#include "metrics/series.h"
#include "track/energy.h"

struct hd_energy_domain {
	const char *source, *domain;	/* NULL in the simple form */
	struct hd_energy watts;		/* of its watts */
	size_t counter_samples, counter_fresh, falls;	/* rows with a counter; those that are not marked stale; steps down */
	double counter_joules, counter_s, counter_dt_s;	/* valid with two samples of the counter */
	const char *why_not;		/* NULL: it counts; else "inside the package" */
	/* what it comes to */
	const char *method;		/* "trapezoid", "counter" */
	bool enough;
	double joules, mean_watts, peak_watts, duration_s;
	size_t n_samples;		/* rows that are not marked stale */
	double median_dt_s;		/* between rows; NaN below 2 */
	double update_period_s;		/* median time between two of them; NaN below 3 */
	double disagreement_pct;	/* integral over counter; NaN unless both are known */
	int64_t wraps;			/* of the hardware counter; -1: not known, a file does not tell */
	const char *quantity;		/* what was read, "energy_uj"; NULL: not known */
	struct hd_power *power;		/* sorted by time */
	size_t npower, power_cap;
};

struct hd_energy_report {
	const struct hd_series *series;
	struct hd_energy_domain *domains;
	size_t n, cap;
	/* those that count, together */
	bool enough;
	const char *method;		/* "trapezoid", "counter", "trapezoid and counter" */
	double total_joules, mean_watts, peak_watts, duration_s;
	double counter_joules, disagreement_pct;	/* NaN when no domain that counts has both */
	size_t n_samples;
};

int hd_energy_make(struct hd_energy_report *out, const struct hd_series *s, struct hd_log *log, struct hd_err *err);
void hd_energy_release(struct hd_energy_report *r);

#endif

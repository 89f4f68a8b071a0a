/*
 * run_csv.h - read CSV files into the series of a run (run.h)
 *
 *     struct hd_run_csv_set csvs = { 0 };
 *     rc = hd_run_csv_set_add(&csvs, &(struct hd_run_csv_input){ .path = "l.csv", .form = "latency" }, log, err);
 *     ...
 *     run.series = csvs.series, run.nseries = csvs.n;
 *
 * Each column with measured values becomes a series (series/series_stats.h):
 *
 *     KIND     FORM                     NAME              STATISTICS besides n mean std p50 p95 p99 min max outliers
 *     latency  latency                  the column        slope and r2, if a line was fitted
 *     memory   memory                   the column        slope, r2; peak_rss and mean_rss of peak_rss_bytes,
 *                                                         kv_cache_total and activation_total of their columns
 *     power    power                    watts             joules, peak, duration_s; slope, r2
 *     power    sources                  watts             all domains that count: n, mean, joules, peak, duration_s,
 *                                                         counter_joules, disagreement_pct
 *                                       watts SRC/DOMAIN  the same of each domain, and update_period_s
 *     gpu      gpu                      COLUMN GPU N      each column of each device
 *     results  sweep                    the column
 *     other    any, with a name         NAME.column
 *
 * A power series has a method: how its joules were measured, and by which domains of which source.
 *
 * A column that was not measured (series/series_stats.h) is a series without values: n is 0, and it has no other
 * statistic, so that the views of the database show NULL for these.
 *
 * Means, standard deviations and percentiles have 95 % intervals, except the means of form sources.  Energy needs two
 * samples.  With fewer, the statistics joules, peak, duration_s, counter_joules, disagreement_pct and update_period_s
 * are not stored, nor the mean of form sources.
 *
 * A damaged file is rejected (HD_EFORMAT, with the line), since the run would look complete without the lost rows.
 * Other problems cause warnings, which are stored with the run.
 */
#ifndef HD_HISTORY_RUN_CSV_H
#define HD_HISTORY_RUN_CSV_H

#include "base/arena.h"
#include "history/run.h"

struct hd_run_csv_input {
	const char *path;
	const char *form;	/* the required form: latency, memory, power, gpu, results; NULL: any known form */
	const char *name;	/* name that the user gave; NULL: the form of the file decides kind and names */
};

struct hd_run_csv {
	const char *path, *name;
	const char *kind;
	struct hd_buf text;
	char sha256[HD_SHA256_HEX];
};

struct hd_run_csv_set {
	struct hd_arena arena;
	struct hd_run_csv **files;
	size_t nfiles, files_cap;
	struct hd_run_series *series;
	size_t n, cap;
};

/*
 * Read a file and append its series.  HD_EUSAGE: the set has a file of this kind or name already.  On failure the set
 * has the same files and series as before.
 */
int hd_run_csv_set_add(struct hd_run_csv_set *all, const struct hd_run_csv_input *in, struct hd_log *log,
	struct hd_err *err);
void hd_run_csv_set_release(struct hd_run_csv_set *all);

/* Return true if `path` is a regular file that begins with the header of a known form. */
bool hd_run_is_csv(const char *path);

#endif

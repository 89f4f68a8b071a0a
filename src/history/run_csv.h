/*
 * run_csv.h - what CSV files say, in the shape that run.h stores
 *
 *     struct hd_run_csv_set csvs = { 0 };
 *     rc = hd_run_csv_set_add(&csvs, &(struct hd_run_csv_input){ .path = "l.csv", .form = "latency" }, log, err);
 *     ...
 *     run.series = csvs.series, run.nseries = csvs.n;
 *
 * One series for each column that measures something (series/series_stats.h):
 *
 *     KIND     FORM                     NAME              BESIDE n mean std p50 p95 p99 min max outliers
 *     latency  latency                  the column        slope and r2, where stats.h fits a line
 *     memory   memory                   the column        slope, r2; peak_rss and mean_rss of peak_rss_bytes,
 *                                                         kv_cache_total and activation_total of their columns
 *     power    power                    watts             joules, peak, duration_s; slope, r2
 *     power    sources                  watts             all that count together: n, mean, joules, peak, duration_s,
 *                                                         counter_joules, disagreement_pct
 *                                       watts SRC/DOMAIN  the same of one of them, whether it counts or not, and update_period_s
 *     gpu      gpu                      COLUMN GPU N      each column of each device
 *     results  sweep                    the column
 *     other    any, when it has a name  NAME.column
 *
 * A power series has a method: how its joules were measured and, by source, which domains they are of.
 *
 * A mean, std or percentile has its interval of 95 %.  Energy of fewer than two samples is not known, and no
 * statistic of it is kept.
 *
 * A damaged file is refused (HD_EFORMAT, with its line): a run must not say less than was measured and look
 * whole.  What is odd and no damage is warned of, and the warnings belong to the run.
 */
#ifndef HD_HISTORY_RUN_CSV_H
#define HD_HISTORY_RUN_CSV_H

#include "base/arena.h"
#include "history/run.h"

struct hd_run_csv_input {
	const char *path;
	const char *form; /* latency, memory, power, gpu, results: it must be of this; NULL: any that is known */
	const char *name; /* of a file of any form, as the user calls it; NULL: it is what its form says */
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

/* A second file of a kind or of a name is HD_EUSAGE. */
int hd_run_csv_set_add(struct hd_run_csv_set *all, const struct hd_run_csv_input *ask, struct hd_log *log,
	struct hd_err *err);
void hd_run_csv_set_release(struct hd_run_csv_set *all);

/* Does a regular file begin with the header of one of our forms? */
bool hd_run_is_csv(const char *path);

#endif

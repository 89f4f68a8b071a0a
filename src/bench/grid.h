/*
 * grid.h - compare the settings of a grid with its baseline, and judge criteria
 *
 * The folder of a grid is written by scripts/run_bench.sh (docs/grids.md):
 *
 *     settings.csv              setting,lambda,tau,status,run           one row per setting, the baseline among them
 *     csv/SETTING.csv           latency form (track/form.h)
 *     csv/SETTING-memory.csv    memory form; optional
 *     csv/SETTING-power.csv     power or sources form; optional
 *     csv/SETTING-quality.csv   coherence_delta,accuracy; optional
 *
 * lambda and tau are numbers; they are empty for the baseline.  status is ok, failed, interrupted or skipped (not run).
 * Only files of settings with status ok are read.  run is the id in the history, or empty.
 *
 *     VALUE                UNIT  DEFINITION                                             INTERVAL (95 %)
 *     p95_latency_us       us    p95 of wall_time_us, nearest rank                      order statistics (summary.h)
 *     p95_change           1     p95 / p95 of the baseline - 1                          bootstrap (ratio.h)
 *     kv_cache_reduction   1     1 - mean of kv_cache_bytes / that of the baseline      bootstrap
 *     peak_mem_reduction   1     1 - maximum of peak_rss_bytes / that of the baseline   none: a maximum has none
 *     energy_reduction     1     1 - joules per sample / those of the baseline          none: one value per run
 *     coherence_delta      unit  mean of coherence_delta                                mean (summary.h)
 *     accuracy             1     mean of accuracy                                       mean, cut to 0 .. 1
 *
 * A value that was not measured, or whose baseline is 0, is NaN.
 */
#ifndef HD_BENCH_GRID_H
#define HD_BENCH_GRID_H

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "stats/bootstrap.h"

#include <stdbool.h>
#include <stddef.h>

enum hd_grid_value_name {
	/* The first six values are columns of the CSV form `sweep` (track/form.h), in the order of that form. */
	HD_GRID_COHERENCE_DELTA,
	HD_GRID_KV_CACHE_REDUCTION,
	HD_GRID_PEAK_MEM_REDUCTION,
	HD_GRID_ENERGY_REDUCTION,
	HD_GRID_P95_LATENCY_US,
	HD_GRID_ACCURACY,
	HD_GRID_P95_CHANGE,
	HD_GRID_VALUES
};

enum { HD_GRID_SETTINGS_MAX = 10000, HD_GRID_NAME_MAX = 100 };

struct hd_grid_value {
	double v;		/* NaN: not measured */
	struct hd_interval ci;	/* interval of v; a bound that is NaN or infinite is unknown */
};

struct hd_grid_setting {
	char *name, *status, *run;	/* owned */
	double lambda, tau;		/* the two parameters; NaN for the baseline */
	size_t samples;			/* number of rows with a wall time; 0 if the status is not ok */
	double p50_us, kv_cache_bytes, peak_rss_bytes, joules;	/* joules: per sample; NaN: not measured */
	struct hd_grid_value value[HD_GRID_VALUES];
};

struct hd_grid {
	struct hd_grid_setting *settings;	/* the baseline first, then the others in the order of settings.csv */
	size_t n, cap;
	bool measured[HD_GRID_VALUES];		/* at least one setting other than the baseline has the value */
};

const char *hd_grid_value_title(enum hd_grid_value_name name);	/* "p95_latency_us" */
bool hd_grid_setting_is_ok(const struct hd_grid_setting *s);	/* status is ok */

/*
 * Parse the text of settings.csv into *out, which must be zeroed.  The text is modified.  HD_EFORMAT: the text is not
 * a settings.csv, a name or run has characters other than letters, digits and "._+-", begins with "." or "-" or is
 * longer than HD_GRID_NAME_MAX, a name occurs twice, there are more than HD_GRID_SETTINGS_MAX settings, or there is no
 * setting `baseline`.  On failure *out is released.
 */
int hd_grid_parse_settings(struct hd_grid *out, char *text, size_t size, const char *path, struct hd_err *err);

/*
 * Read the folder of a grid into *out, which must be zeroed.  HD_ENOBASE: the status of the baseline is not ok.  On
 * failure *out is released.
 */
int hd_grid_read(struct hd_grid *out, const char *folder, struct hd_log *log, struct hd_err *err);
void hd_grid_release(struct hd_grid *g);

/* ---- criteria ---- */

enum hd_grid_outcome {		/* from the best to the worst */
	HD_GRID_MET,
	HD_GRID_INCOMPLETE,	/* undecided: a setting was not measured to its end, or there is none to judge */
	HD_GRID_NOT_MEASURED,	/* undecided: a setting with status ok lacks the value */
	HD_GRID_MISSED,
};

struct hd_grid_criterion {
	enum hd_grid_value_name name;
	bool at_most;		/* true: the value must be at most `limit`; false: at least `limit` */
	double limit;
	/* Set by hd_grid_judge(). */
	enum hd_grid_outcome outcome;
	size_t missed, judged;	/* numbers of settings that miss the limit, and that were judged */
	const struct hd_grid_setting *worst;	/* the setting that misses the limit by most; NULL: none misses it */
};

/* Return true if the value that the criterion limits was measured with this setting and is within the limit. */
bool hd_grid_meets(const struct hd_grid_setting *s, const struct hd_grid_criterion *c);

/*
 * Judge n criteria over all settings except the baseline.  If need_one is false, every setting must meet each
 * criterion.  If need_one is true, one setting must meet all criteria; a single criterion is then met if any setting
 * meets it.  *one becomes the first setting that meets all criteria, or NULL.  Returns the worst outcome; but if
 * need_one is true, HD_GRID_MET if and only if *one is set.  If n is 0 and need_one is false, the result is
 * HD_GRID_MET, or HD_GRID_INCOMPLETE if a setting was not measured to its end or there is only the baseline.
 */
enum hd_grid_outcome hd_grid_judge(const struct hd_grid *g, struct hd_grid_criterion *criteria, size_t n, bool need_one,
	const struct hd_grid_setting **one);

#endif

/*
 * judge_series.h - latency, memory and energy of the runs of two sides
 *
 *     latency   p50, p95, p99 of each column of time
 *     memory    the peak of peak_rss_bytes
 *     energy    joules, for each unit of work where all runs know theirs
 *
 * Percentiles that are equal in every run (of one sample a run) are one row, the first of them; so are joules of all
 * domains and of the only one.
 * Joules that were measured in different ways (series.method) are not compared; a warning reports it.
 *
 * One value a run, so runs are what is tested: logarithms of the values, Welch's t
 * (stats/twosample.h); where a side is one run, pooled with the spread of the other, which is
 * the prediction limit of one new run.  Verdicts as for symbols (stats/verdict.h), the
 * false-discovery rate over all series rows, no floor.  A value that is not positive cannot
 * be compared; a row without values on both sides is left out.
 */
#ifndef HD_GATE_JUDGE_SERIES_H
#define HD_GATE_JUDGE_SERIES_H

#include "gate/judge.h"

/* The first `base` runs are one side.  Rows and their strings into the arena; *rows is theirs. */
int hd_judge_series_rows(struct hd_judge_series **rows, size_t *n, struct hd_arena *arena, struct hd_db *db,
		    const struct hd_run_set_member *const *runs, size_t nruns, size_t base,
		    const struct hd_judge_opts *o, double level,
		    struct hd_log *log, struct hd_err *err);

#endif

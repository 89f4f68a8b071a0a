/*
 * judge_series.h - judge latency, memory and energy of the runs of two sides
 *
 *     latency   p50, p95, p99 of each column of time
 *     memory    the peak of peak_rss_bytes
 *     energy    joules, per unit of work if all runs know their work
 *
 * Percentiles that are equal in every run (one sample per run) are one row, the first of them; so are the joules of all
 * domains and of the only domain.  Joules that were measured by different methods (series.method) are not compared; a
 * warning reports it.
 *
 * Each run has one value, so runs are what is tested: Welch's t of the logarithms (stats/twosample.h).  If a side is
 * a single run, the standard deviation of the other side is used, which gives the prediction limit of one new run.
 * Verdicts are those of symbols (stats/verdict.h), with the false-discovery rate over all series and no floor.
 * Values that are not positive are skipped; a row without values on both sides is dropped.
 */
#ifndef HD_GATE_JUDGE_SERIES_H
#define HD_GATE_JUDGE_SERIES_H

#include "gate/judge.h"

/*
 * Judge the series of nruns runs, the first `base` of which are the base.  The rows and their strings are in the
 * arena.
 */
int hd_judge_series_rows(struct hd_judge_series **rows, size_t *n, struct hd_arena *arena, struct hd_db *db,
		    const struct hd_run_set_member *const *runs, size_t nruns, size_t base,
		    const struct hd_judge_opts *o, double level,
		    struct hd_log *log, struct hd_err *err);

#endif

/*
 * judge_series.h - judge latency, memory and energy of the runs of two sides
 *
 *     latency   p50, p95, p99 of each series of kind latency (such as wall_time_us) except sample_id and seq_len
 *     memory    the peak of peak_rss_bytes
 *     energy    joules, per unit of work if all runs know their work
 *
 * If several percentiles of a series are equal in every run, only the first of them is a row.  An example is a series
 * with one value per run.  The same holds for joules of several power domains that are equal in every run, as the sum
 * and its only domain are.  Joules that were measured by different methods (series.method) are not compared; a warning
 * reports it.
 *
 * Each run contributes one value to a row.  The logarithms of the values of both sides are compared by Welch's t test
 * (stats/twosample.h).  If one side is a single run, the standard deviation of the other side is used, which gives the
 * prediction limit of one new run.  If both sides are single runs, the row is INCONCLUSIVE.  If each side is one
 * session, the standard error is at least the one that the earlier sessions show (stats/session_variance.h); a row that
 * too few of them have does not FAIL.
 *
 * FAIL, PASS and INCONCLUSIVE are defined as for symbols (stats/verdict.h), with the false-discovery rate over all
 * series, with a guard (alpha is 0.2 %), and without a floor, weights, the level and SHIFT.  Values that are not
 * positive or not finite are skipped.  A row that has no value on one of the sides is dropped; if only the base has
 * values, a warning reports it.  If runs of the history are used, the values before the last change point of the base
 * and its history are left out.
 */
#ifndef HD_GATE_JUDGE_SERIES_H
#define HD_GATE_JUDGE_SERIES_H

#include "gate/judgement.h"

/*
 * Judge the series of all runs of `j`, and set the series of its comparison.  A row FAILs at an adjusted p-value of at
 * most the comparison's `level`.  Only the first 64 rows are judged; a warning reports that there are more.
 */
int hd_judge_series_rows(struct hd_judgement *j, struct hd_err *err);

#endif

/*
 * gate_result.h - the verdicts of gates, kept in the database (history/gate_rows.h)
 */
#ifndef HD_GATE_GATE_RESULT_H
#define HD_GATE_GATE_RESULT_H

#include "gate/judge.h"

/*
 * Determine which look at this comparison this is, and the significance level for it.
 *
 * *look is 1 plus the number of earlier INCONCLUSIVE gates of the same target, event and sides that had fewer runs.
 * *level is Pocock's level for so many looks (at least two if `planned`, one extension is planned), scaled so that
 * `alpha` is the level of a single look.
 */
int hd_gate_result_look(struct hd_db *db, const struct hd_run_set *base, const struct hd_run_set *head, bool planned,
	double alpha, unsigned *look, double *level, struct hd_err *err);

/*
 * Store a comparison: one row for the result, one for each of its runs and one for each finding (FAIL, SHIFT, a
 * material change of the top 5, a score above its limit), in one transaction.  command: "gate" or "drift".  Without
 * runs of the head nothing is stored.
 */
int hd_gate_result_record(struct hd_db *db, const struct hd_comparison *c, const char *command, struct hd_err *err);

#endif

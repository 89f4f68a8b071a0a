/*
 * gate_result.h - the verdicts of gates, kept in the database (history/gate_rows.h)
 */
#ifndef HD_GATE_GATE_RESULT_H
#define HD_GATE_GATE_RESULT_H

#include "gate/judge.h"

/*
 * Sequential testing: a gate that was INCONCLUSIVE and is repeated with more runs is a further look at the same data,
 * which needs a stricter significance level.
 *
 * *look becomes 1 plus the number of earlier INCONCLUSIVE gates of the same target, event and sides that had fewer
 * runs.  *level becomes Pocock's level for so many looks, scaled so that `alpha` is the level of a single look.  If
 * `planned` (the user has planned one extension), it is the level for at least two looks.
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

/*
 * gate_result.h - store the verdicts of gates in the database (history/gate_rows.h)
 */
#ifndef HD_GATE_GATE_RESULT_H
#define HD_GATE_GATE_RESULT_H

#include "gate/judge.h"

/*
 * Sequential testing: a gate that was INCONCLUSIVE and is repeated with more runs is a further look at the same data,
 * which needs a stricter significance level.
 *
 * *look becomes 1 plus the number of earlier looks (hd_gate_rows_looks()): INCONCLUSIVE gates of the same target, mode,
 * event and sides that had fewer runs, where those with equally many runs count once.  *look is at most 99.  *level
 * becomes Pocock's significance level for *look looks (for more than five, that of five), scaled so that `alpha` is the
 * level of a single look.  If `planned` is true (the user has planned one extension with more runs), *level is that for
 * at least two looks.
 */
int hd_gate_result_look(struct hd_db *db, const struct hd_run_set *base, const struct hd_run_set *head, bool planned,
	double alpha, unsigned *look, double *level, struct hd_err *err);

/*
 * Store a comparison in one transaction: one row for the result, one for each of its runs (base, head, history, and
 * base of the pinned comparison), and one for each finding.  A finding is a FAIL or SHIFT that is not acknowledged, a
 * material change of the top 5 (judge.h), or a ranking score above its limit.  command: "gate" or "drift".  If the head
 * has no runs, nothing is stored and the result is 0.
 */
int hd_gate_result_record(struct hd_db *db, const struct hd_comparison *c, const char *command, struct hd_err *err);

#endif

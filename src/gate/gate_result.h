/*
 * gate_result.h - what gates said, kept: tables gate_result, gate_run and drift_event (schema/005_gates.sql)
 */
#ifndef HD_GATE_GATE_RESULT_H
#define HD_GATE_GATE_RESULT_H

#include "gate/judge.h"

/*
 * Which look at this comparison this one is: 1 plus the number of times that a gate of the
 * same target, event and sides was INCONCLUSIVE with fewer runs.  level gets Pocock's level for
 * so many looks (two, when one extension is planned), `alpha` for the first.
 */
int hd_gate_result_look(struct hd_db *db, const struct hd_run_set *base, const struct hd_run_set *head, bool planned,
	double alpha, unsigned *look, double *level, struct hd_err *err);

/*
 * One row for the comparison, one for each of its runs, one in drift_event for each finding
 * (FAIL, SHIFT, a material change of the first five, a score above its limit), in one
 * transaction.  command: "gate", "drift".
 */
int hd_gate_result_record(struct hd_db *db, const struct hd_comparison *c, const char *command, struct hd_err *err);

#endif

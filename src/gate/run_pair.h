/*
 * run_pair.h - is a change of the first five more than noise?  Of render/run_report.c
 */
#ifndef HD_GATE_RUN_PAIR_H
#define HD_GATE_RUN_PAIR_H

#include "render/run_report.h"

/*
 * Set the costs of a pair whose changes are built, and what of it is within noise.  Changes and intervals are those of gate
 * for these two runs (gate/judge.h).  Without an interval a run is taken to vary by 3 % beyond counting.
 */
int hd_run_pair_compare_costs(struct hd_run_pair *pair, struct hd_db *db, const struct hd_stored_run *head,
	size_t event, struct hd_err *err);

#endif

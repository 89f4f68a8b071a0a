/*
 * runs_costs.h - is a change of the first five more than noise?  Of runs.c
 */
#ifndef HD_CLI_RUNS_COSTS_H
#define HD_CLI_RUNS_COSTS_H

#include "cli/runs.h"

/*
 * Set the costs of a pair whose changes are built, and what of it is within noise.  Changes and intervals are those of gate
 * for these two runs (compare/judge.h).  Without an interval a run is taken to vary by 3 % beyond counting.
 */
int hd_runs_costs(struct hd_runs_pair *pair, struct hd_db *db, const struct hd_past *head, size_t event, struct hd_err *err);

#endif

/*
 * history_overview_load.h - the steps of loading a history overview, shared by its files
 */
#ifndef HD_HISTORY_HISTORY_OVERVIEW_LOAD_H
#define HD_HISTORY_HISTORY_OVERVIEW_LOAD_H

#include "history/history_overview.h"

/* Load the top 5 of each slot, and the columns of shares. */
int hd_overview_shares(struct hd_overview *c, struct hd_db *db, struct hd_overview_lane *l, unsigned most,
	struct hd_err *err);
/* Load the columns of series of all lanes. */
int hd_overview_series(struct hd_overview *c, struct hd_db *db, struct hd_err *err);
/* Find the change points and limits of all columns. */
int hd_overview_changes(struct hd_overview *c, struct hd_err *err);
/* Load the findings of gate and drift. */
int hd_overview_verdicts(struct hd_overview *c, struct hd_db *db, struct hd_err *err);

/* Set *at to the index of symbol.id = row in symbols[]; load it if it is new. */
int hd_overview_symbol(struct hd_overview *c, struct hd_db *db, int64_t row, uint32_t *at, struct hd_err *err);

/* Estimate the change of cost for each change of a share.  Drop the changes of shares without a change of cost. */
void hd_overview_costs(struct hd_overview *c, struct hd_overview_lane *l);

#endif

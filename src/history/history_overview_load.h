/*
 * history_overview_load.h - the steps of loading a history overview, for use by the files history_overview*.c
 */
#ifndef HD_HISTORY_HISTORY_OVERVIEW_LOAD_H
#define HD_HISTORY_HISTORY_OVERVIEW_LOAD_H

#include "history/history_overview.h"

/* Return run.id of each run.  The caller frees the array. */
int64_t *hd_overview_rows(const struct hd_overview *c);
/* Load the top 5 symbols of each run in each lane (group of comparable runs). */
int hd_overview_tops(struct hd_overview *c, struct hd_db *db, struct hd_err *err);
/* Load the columns of shares of all lanes, at most `most` for each.  Call it after hd_overview_tops(). */
int hd_overview_shares(struct hd_overview *c, struct hd_db *db, unsigned most, struct hd_err *err);
/* Load the columns of series of all lanes.  Call it after hd_overview_shares(), which makes room for them. */
int hd_overview_series(struct hd_overview *c, struct hd_db *db, struct hd_err *err);
/* Find the change points and limits of all columns. */
int hd_overview_changes(struct hd_overview *c, struct hd_err *err);
/* Load the findings of gate and drift. */
int hd_overview_verdicts(struct hd_overview *c, struct hd_db *db, struct hd_err *err);

/* Set *at to the index in symbols[] of the symbol with symbol.id = row.  Load the symbol if it is new. */
int hd_overview_symbol(struct hd_overview *c, struct hd_db *db, int64_t row, uint32_t *at, struct hd_err *err);

/*
 * Estimate the change of cost for each change of a share.  Drop a change if the 95 % interval of its cost contains 0.
 */
void hd_overview_costs(struct hd_overview *c, struct hd_overview_lane *l);

#endif

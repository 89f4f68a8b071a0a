/*
 * history_overview_load.h - the steps in which a chronicle is loaded, shared by its files
 */
#ifndef HD_HISTORY_HISTORY_OVERVIEW_LOAD_H
#define HD_HISTORY_HISTORY_OVERVIEW_LOAD_H

#include "history/history_overview.h"

/* The top five of each slot, and the columns of shares. */
int hd_overview_shares(struct hd_overview *c, struct hd_db *db, struct hd_overview_lane *l, unsigned most,
	struct hd_err *err);
/* The columns of series, of all lanes. */
int hd_overview_series(struct hd_overview *c, struct hd_db *db, struct hd_err *err);
int hd_overview_changes(struct hd_overview *c, struct hd_err *err);
int hd_overview_verdicts(struct hd_overview *c, struct hd_db *db, struct hd_err *err);

/* The number of a symbol in symbols[], which is read when it is new. */
int hd_overview_symbol(struct hd_overview *c, struct hd_db *db, int64_t row, uint32_t *at, struct hd_err *err);

/* Judge the changes of shares by their cost; drop those that are none. */
void hd_overview_costs(struct hd_overview *c, struct hd_overview_lane *l);

#endif

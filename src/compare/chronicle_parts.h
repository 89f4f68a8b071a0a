/*
 * chronicle_parts.h - the steps in which a chronicle is loaded, shared by its files
 */
#ifndef HD_COMPARE_CHRONICLE_PARTS_H
#define HD_COMPARE_CHRONICLE_PARTS_H

#include "compare/chronicle.h"

/* The top five of each slot, and the columns of shares. */
int hd_chronicle_shares(struct hd_chronicle *c, struct hd_db *db, struct hd_chronicle_lane *l, unsigned most, struct hd_err *err);
/* The columns of series, of all lanes. */
int hd_chronicle_series(struct hd_chronicle *c, struct hd_db *db, struct hd_err *err);
int hd_chronicle_changes(struct hd_chronicle *c, struct hd_err *err);
int hd_chronicle_verdicts(struct hd_chronicle *c, struct hd_db *db, struct hd_err *err);

/* The number of a symbol in symbols[], which is read when it is new. */
int hd_chronicle_symbol(struct hd_chronicle *c, struct hd_db *db, int64_t row, uint32_t *at, struct hd_err *err);

/* Judge the changes of shares by their cost; drop those that are none. */
void hd_chronicle_costs(struct hd_chronicle *c, struct hd_chronicle_lane *l);

#endif

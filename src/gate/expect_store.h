/*
 * expect_store.h - expectations that a database keeps for a target: table expectation
 *
 * measure is self_pct or total_pct; the tolerance is inside of the stored range, and a
 * strict end (<, >) is the number itself.  A symbol with * or ? is a glob, "others" is each
 * function that no other one matches, in quotes the names themselves.
 */
#ifndef HD_GATE_EXPECT_STORE_H
#define HD_GATE_EXPECT_STORE_H

#include "gate/expect.h"
#include "db/db.h"

/* Instead of those that the target has; one transaction.  source: for the column reason. */
int hd_expect_store(struct hd_db *db, const struct hd_expect *e, const char *target, const char *source,
	struct hd_err *err);
/* Those of a target that have not expired.  None is HD_ENOBASE. */
int hd_expect_load(struct hd_expect *e, struct hd_db *db, const char *target, struct hd_err *err);

#endif

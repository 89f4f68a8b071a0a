/*
 * expect_store.h - store the expectations of a target in the database, and load them (history/expectation_rows.h)
 *
 * The stored range is widened by the tolerance at both ends.  Stored bounds are inclusive, so a strict bound (<, >) is
 * stored as the neighbouring floating-point number.  A stored name with * or ? is a pattern, unless its range is for
 * the total cost, and "others" means each function that no other item matches.  A literal name that contains * or ?, or
 * is "others", is stored in quotes.
 */
#ifndef HD_GATE_EXPECT_STORE_H
#define HD_GATE_EXPECT_STORE_H

#include "gate/expect.h"

struct hd_db;

/* Replace the expectations of `target` in one transaction.  source: the file, for the column `reason`. */
int hd_expect_store(struct hd_db *db, const struct hd_expect *e, const char *target, const char *source,
	struct hd_err *err);
/*
 * Load the expectations of `target`, and those stored without a target, that have not expired.  Tolerances are part of
 * their ranges.  HD_ENOBASE if there are none.  On failure `e` is released.
 */
int hd_expect_load(struct hd_expect *e, struct hd_db *db, const char *target, struct hd_err *err);

#endif

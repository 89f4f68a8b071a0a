/*
 * expect_store.h - store the expectations of a target in the database, and load them (history/expectation_rows.h)
 *
 * The stored range is widened by the tolerance at both ends.  Stored bounds are inclusive, so a strict bound (<, >) is
 * stored as the neighbouring floating-point number.  A lower bound that the tolerance extends below 0 is stored as 0.
 * A stored name with * or ? is a pattern, unless its range is for the total cost, and "others" means each function that
 * no other item matches.  A literal name that contains * or ?, or is "others", is stored in quotes.
 *
 * Names and the event are stored in their visible form (base/encode.h), and loaded in this form.
 */
#ifndef HD_GATE_EXPECT_STORE_H
#define HD_GATE_EXPECT_STORE_H

#include "gate/expect.h"

struct hd_db;

/*
 * Replace the expectations of `target` in one transaction.  The strings are raw bytes.  source: the file, for the
 * column `reason`.
 */
int hd_expect_store(struct hd_db *db, const struct hd_expect *e, const char *target, const char *source,
	struct hd_err *err);
/*
 * Load the expectations of `target` (raw bytes), and those stored without a target, that have not expired; at most
 * HD_EXPECT_ITEMS.  Tolerances are part of their ranges.  The caller releases `e`, except on failure.  HD_ENOBASE:
 * there are none.
 */
int hd_expect_load(struct hd_expect *e, struct hd_db *db, const char *target, struct hd_err *err);

#endif

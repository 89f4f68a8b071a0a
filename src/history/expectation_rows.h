/*
 * expectation_rows.h - store and load the declared shares of a target: table expectation
 *
 * gate/expect_store.c converts between these rows and the items of a file.
 */
#ifndef HD_HISTORY_EXPECTATION_ROWS_H
#define HD_HISTORY_EXPECTATION_ROWS_H

#include "base/arena.h"
#include "db/db.h"

struct hd_expectation_row {
	const char *symbol, *event;	/* visible form (base/encode.h); event may be NULL */
	bool total;			/* the range is for total_pct, otherwise for self_pct */
	double at_least, at_most;	/* per cent; NaN: no bound */
	const char *reason;		/* stored, but not loaded */
};

struct hd_expectation_rows {
	struct hd_arena arena;		/* owns the texts that were loaded */
	struct hd_expectation_row *items;
	size_t n, cap;
};

/* Replace all declared shares of `target` (visible form), and add a journal entry, in one transaction. */
int hd_expectation_rows_replace(struct hd_db *db, const char *target, const struct hd_expectation_row *rows, size_t n,
	struct hd_err *err);
/*
 * Load at most `most` declared shares that have not expired: those of `target` (visible form), and those stored without
 * a target.  The caller releases `out`, except on failure.
 */
int hd_expectation_rows_load(struct hd_expectation_rows *out, struct hd_db *db, const char *target, size_t most,
	struct hd_err *err);
void hd_expectation_rows_release(struct hd_expectation_rows *rows);

#endif

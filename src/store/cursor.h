/*
 * cursor.h - texts of a row of the database, kept in an arena
 *
 * A name has two columns: its visible form, and its bytes where they differ from that (NAME_raw).
 * A text ends at its first NUL byte; NULL is NULL.
 */
#ifndef HD_STORE_CURSOR_H
#define HD_STORE_CURSOR_H

#include "base/arena.h"
#include "profile/rate.h"
#include "store/db.h"

/* Column i, and columns i and i + 1: the bytes where there are any. */
const char *hd_kept_text(struct hd_arena *a, const struct hd_db_rows *r, int i);
const char *hd_kept_name(struct hd_arena *a, const struct hd_db_rows *r, int i);
/* "" for NULL: of columns that are NOT NULL in a schema that a foreign file may not keep. */
const char *hd_sure(const char *s);

/* Walks over the columns of a row, in the order of the SELECT; at is the next one. */
struct hd_cursor {
	struct hd_arena *arena;
	const struct hd_db_rows *r;
	int at;
};

const char *hd_cursor_text(struct hd_cursor *c);
const char *hd_cursor_name(struct hd_cursor *c);
/* An integer or a real; anything else is `none`. */
double hd_cursor_number(struct hd_cursor *c, double none);
#define HD_CURSOR_RATE_COLUMNS "frequency_hz, period, throttled, unthrottled, silent, enabled_ns, running_ns, call_graph, stack_bytes"
/* HD_CURSOR_RATE_COLUMNS of event. */
struct hd_rate hd_cursor_rate(struct hd_cursor *c);

#endif

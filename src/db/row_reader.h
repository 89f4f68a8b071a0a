/*
 * row_reader.h - texts of a row of the database, kept in an arena
 *
 * A name has two columns: its visible form, and its bytes where they differ from that (NAME_raw).
 * A text ends at its first NUL byte; NULL is NULL.
 */
#ifndef HD_DB_ROW_READER_H
#define HD_DB_ROW_READER_H

#include "base/arena.h"
#include "db/db.h"

/* Column i, and columns i and i + 1: the bytes where there are any. */
const char *hd_row_text(struct hd_arena *a, const struct hd_db_rows *r, int i);
const char *hd_row_name(struct hd_arena *a, const struct hd_db_rows *r, int i);
/* "" for NULL: of columns that are NOT NULL in a schema that a foreign file may not keep. */
const char *hd_or_empty(const char *s);

/* Walks over the columns of a row, in the order of the SELECT; at is the next one. */
struct hd_row_reader {
	struct hd_arena *arena;
	const struct hd_db_rows *r;
	int at;
};

const char *hd_row_reader_text(struct hd_row_reader *c);
const char *hd_row_reader_name(struct hd_row_reader *c);
/* An integer or a real; anything else is `none`. */
double hd_row_reader_number(struct hd_row_reader *c, double none);

#endif

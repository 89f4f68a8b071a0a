/*
 * row_reader.h - read the rows of a query into structs
 *
 * A table of fields assigns each column to a member; the SELECT list is generated from it:
 *
 *     static const struct hd_row_field artifact_fields[] = {
 *             HD_ROW(struct artifact, path, "path", NAME),
 *             HD_ROW(struct artifact, bytes, "bytes", INT),
 *     };
 *     static const struct hd_row_query artifacts = HD_ROW_QUERY(struct artifact, artifact_fields,
 *             "FROM artifact WHERE run_id = $1 ORDER BY ordinal");
 *
 *     struct hd_row_list list = { 0 };
 *     rc = hd_row_load(&list, &artifacts, db, &arena, err, "i", run);
 *
 * A name has two columns: NAME, its visible form, and NAME_raw, its bytes if they differ (db.h, letter v).
 * Texts end at their first NUL byte.  They are copied into the arena; without an arena they are malloc()ed and owned by
 * the caller.  Databases may be hostile: a column of another type is converted as db.h describes.
 */
#ifndef HD_DB_ROW_READER_H
#define HD_DB_ROW_READER_H

#include "base/arena.h"
#include "db/db.h"

enum hd_row_type {
	HD_ROW_TEXT,		/* const char *; NULL for NULL */
	HD_ROW_TEXT_OR_EMPTY,	/* const char *; "" for NULL, but hotdrift writes no NULL to these columns */
	HD_ROW_NAME,		/* const char *: the bytes of a name; the query selects COLUMN and COLUMN_raw */
	HD_ROW_NAME_OR_EMPTY,
	HD_ROW_CHARS,		/* char[room], filled up with NUL; empty if the text is too long or NULL */
	HD_ROW_INT,		/* int64_t; -1 for NULL */
	HD_ROW_INT_OR_0,	/* int64_t; 0 for NULL */
	HD_ROW_COUNT,		/* uint64_t; 0 for anything but an integer above 0 */
	HD_ROW_KNOWN,		/* bool: the column holds an integer of 0 or more */
	HD_ROW_TRUE,		/* bool: the column holds an integer above 0 */
	HD_ROW_REAL,		/* double; NaN for NULL */
	HD_ROW_REAL_OR_0,	/* double; 0 for NULL */
};

struct hd_row_field {
	/* an SQL expression; for HD_ROW_NAME and HD_ROW_NAME_OR_EMPTY, the name of a column */
	const char *column;
	enum hd_row_type type;
	uint16_t offset, room;	/* offset: of the member; room: its size */
};
#define HD_ROW(type, member, column, kind) \
	{ column, HD_ROW_##kind, offsetof(type, member), sizeof(((type *)0)->member) }

/* A query must be a static object: its prepared statement is cached under its address. */
struct hd_row_query {
	const struct hd_row_field *fields;
	size_t n, size;		/* fields; bytes of the struct that a row fills */
	const char *from;	/* the SQL after the SELECT list */
};
#define HD_ROW_QUERY(type, fields, from) { fields, sizeof(fields) / sizeof(*(fields)), sizeof(type), from }

/* Start the query with its values, as for hd_db_query().  The caller ends it with hd_db_end(). */
int hd_row_query(struct hd_db_rows *r, const struct hd_row_query *q, struct hd_db *db, struct hd_err *err,
	const char *types, ...);
/*
 * Read the next row into *row.  Returns 1; 0 at the end (*row is then unchanged); < 0 on error.  Members of *row
 * without a field are unchanged.
 */
int hd_row_next(struct hd_db_rows *r, const struct hd_row_query *q, struct hd_arena *a, void *row, struct hd_err *err);
/* Run a query that returns at most one row and read this row.  Returns 1; 0 if there is no row; < 0 on error. */
int hd_row_get(void *row, const struct hd_row_query *q, struct hd_db *db, struct hd_arena *a, struct hd_err *err,
	const char *types, ...);

struct hd_row_list {
	void *items;		/* an array of n structs, owned by the caller; NULL for none */
	size_t n;
};

/*
 * Append all rows of a query to a list.  Each row becomes a zeroed struct whose fields are then set.  After an error,
 * the list has the rows that were read before it.
 */
int hd_row_load(struct hd_row_list *list, const struct hd_row_query *q, struct hd_db *db, struct hd_arena *a,
	struct hd_err *err, const char *types, ...);

/*
 * Return the index of the first row whose first member, an int64_t, is at least `key`; list->n if there is none.  The
 * rows are sorted by that member.
 */
size_t hd_row_list_find(const struct hd_row_list *list, const struct hd_row_query *q, int64_t key);

/* ---- single columns ---- */

/*
 * Copy into an arena: hd_row_text() the text of column i; hd_row_name() a name, which has the two columns i and i + 1
 * (db.h, letter v).  The copy of NULL is NULL.
 */
const char *hd_row_text(struct hd_arena *a, const struct hd_db_rows *r, int i);
const char *hd_row_name(struct hd_arena *a, const struct hd_db_rows *r, int i);
/* Return "" for NULL. */
const char *hd_or_empty(const char *s);

#endif

/*
 * content_hash.h - the rows of a run, and the hash of them
 *
 * The content of a run is the rows of its parts: the run itself, its commit, machine and
 * configuration, then artifacts, losses, events, hotspots and series.  Rows are in the order of their
 * key, and a row that refers to another by its id contains the other's names instead.
 *
 * The text that is hashed has forms, and run.form says which one a run has.  chain.h describes them.
 * New runs get HD_CONTENT_HASH_FORM; hashes of older forms stay as they are and are still checked.
 *
 * `verify` reads the rows from a database, a witness (witness.h) contains them.
 */
#ifndef HD_TRUST_CONTENT_HASH_H
#define HD_TRUST_CONTENT_HASH_H

#include "base/sha256.h"
#include "db/db.h"

enum {
	HD_CONTENT_HASH_COLUMNS = 32,	/* no part has more */
	HD_CONTENT_HASH_FORM = 2,		/* of new runs */
};

/* One column of a row; p is borrowed. */
struct hd_content_cell {
	enum hd_col_kind kind;
	int64_t i;
	double d;
	const char *p;
	size_t n;
};

bool hd_content_hash_has_form(int64_t form);			/* does this program know the form? */
size_t hd_content_hash_parts(int form);
const char *hd_content_hash_part_name(int form, size_t part);		/* "hotspot" */
size_t hd_content_hash_find_part(int form,
	const char *name); /* the part of this name, hd_content_hash_parts() when there is none */
/* Query the rows of a part. */
int hd_content_hash_query(struct hd_db_rows *r, struct hd_db *db, int form, size_t part, int64_t run,
	struct hd_err *err);
/* Copy the columns of the current row to `cells` (HD_CONTENT_HASH_COLUMNS); return how many there are. */
size_t hd_content_hash_cells(const struct hd_db_rows *r, struct hd_content_cell *cells);

/* A row of a part, for reading columns by their name. */
struct hd_content_row {
	int form;
	size_t part;
	const struct hd_content_cell *cells;
	size_t n;
};

/* Return true if the row belongs to the part of this name. */
bool hd_content_row_is_of(const struct hd_content_row *row, const char *part);
/* Return the cell of a column, as the part's SELECT names it; a NULL cell if the row does not have it. */
const struct hd_content_cell *hd_content_row_cell(const struct hd_content_row *row, const char *column);
/* Return an integer column; 0 for anything else. */
int64_t hd_content_row_int(const struct hd_content_row *row, const char *column);
/* Copy a text column up to its first NUL; NULL for anything else.  The caller frees it. */
char *hd_content_row_text(const struct hd_content_row *row, const char *column);

struct hd_content_hash {
	struct hd_sha256 *sum;
	struct hd_buf text;
	int form;
	size_t part;			/* whose name was hashed, and 1; 0: none yet */
};

void hd_content_hash_begin(struct hd_content_hash *c, int form);
/* Parts in ascending order, rows in theirs; -1 when this part's turn is over. */
int hd_content_hash_row(struct hd_content_hash *c, size_t part, const struct hd_content_cell *cells, size_t n);
void hd_content_hash_end(struct hd_content_hash *c, char hex[HD_SHA256_HEX]);

/* A row as form 2 hashes it. */
void hd_content_hash_row_text(struct hd_buf *text, const struct hd_content_cell *cells, size_t n);

#endif

/*
 * content_hash.h - read the rows of a run and hash them
 *
 * The content of a run consists of parts: the run itself, its commit, machine and configuration, then artifacts,
 * dropped samples, warnings, events, hotspots, series, their summaries, and the symbols that benchmarks cover.  The
 * rows of a part are in the order of their key.  Where a row refers to another one by an id, it contains the names of
 * the other row instead.
 *
 * run.form selects how the hashed text is built; chain.h describes the forms.  New runs get HD_CONTENT_HASH_FORM.  Runs
 * of older forms keep their hashes, which are still verified.
 *
 * `verify` reads the rows from a database; a witness (witness.h) contains them.
 */
#ifndef HD_TRUST_CONTENT_HASH_H
#define HD_TRUST_CONTENT_HASH_H

#include "base/sha256.h"
#include "db/db.h"

enum {
	HD_CONTENT_HASH_COLUMNS = 32,	/* upper limit of the columns of a part */
	HD_CONTENT_HASH_PARTS = 18,	/* upper limit of the parts of a form */
	HD_CONTENT_HASH_FORM = 2,	/* the form in which new runs are hashed */
};

/* One column of a row; p is borrowed. */
struct hd_content_cell {
	enum hd_col_kind kind;
	int64_t i;
	double d;
	const char *p;
	size_t n;
};

bool hd_content_hash_has_form(int64_t form);			/* true if the form is supported */
size_t hd_content_hash_parts(int form);
const char *hd_content_hash_part_name(int form, size_t part);		/* name of a part, such as "hotspot" */
/* Return the number of the part with this name; hd_content_hash_parts() if there is none. */
size_t hd_content_hash_find_part(int form, const char *name);
/* Start a query for the rows of one part ("hotspot") of the content of n runs (run.id), by ascending run.id. */
int hd_content_hash_query(struct hd_db_rows *r, struct hd_db *db, int form, size_t part, const int64_t *runs, size_t n,
	struct hd_err *err);
/*
 * Copy the cells of the current row of a hd_content_hash_query() to `cells` and return their number.  *run becomes the
 * run.id of the row.
 */
size_t hd_content_hash_run_cells(const struct hd_db_rows *r, struct hd_content_cell *cells, int64_t *run);
/* Copy the columns of the current row to `cells` (HD_CONTENT_HASH_COLUMNS); return how many there are. */
size_t hd_content_hash_cells(const struct hd_db_rows *r, struct hd_content_cell *cells);

/* A row of a part, for reading columns by their name. */
struct hd_content_row {
	int form;
	size_t part;
	const struct hd_content_cell *cells;
	size_t n;
};

/* Return true if the row belongs to the part of a run's content with this name, such as "hotspot". */
bool hd_content_row_is_of(const struct hd_content_row *row, const char *part);
/* Return the cell of a column, as the part's SELECT names it; a NULL cell if the row does not have it. */
const struct hd_content_cell *hd_content_row_cell(const struct hd_content_row *row, const char *column);
/* Return an integer column; 0 for anything else. */
int64_t hd_content_row_int(const struct hd_content_row *row, const char *column);
/* Copy a text column up to its first NUL; NULL if the column is no text.  The caller frees it. */
char *hd_content_row_text(const struct hd_content_row *row, const char *column);

/* A hash in progress. */
struct hd_content_hash {
	struct hd_sha256 *sum;
	struct hd_buf text;
	int form;
	size_t part;			/* 1 + index of the last part whose name was hashed; 0: none yet */
};

void hd_content_hash_begin(struct hd_content_hash *c, int form);
/* Hash a row of this part of a run's content.  Returns -1 if the part precedes that of the previous row. */
int hd_content_hash_row(struct hd_content_hash *c, size_t part, const struct hd_content_cell *cells, size_t n);
/* Finish the hash and release *c. */
void hd_content_hash_end(struct hd_content_hash *c, char hex[HD_SHA256_HEX]);

/* Append the text of a row in form 2. */
void hd_content_hash_row_text(struct hd_buf *text, const struct hd_content_cell *cells, size_t n);

#endif

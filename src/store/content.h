/*
 * content.h - what a run says, row by row, and the hash of it
 *
 * The content of a run is the rows of its parts: the run itself, its commit, machine and
 * configuration, then artifacts, losses, events, hotspots and series, each in the order of its
 * key and with the names that it refers to instead of numbers.  chain.h has the text that is hashed.
 * verify reads the rows from a database, a witness (witness.h) carries them along.
 */
#ifndef HD_STORE_CONTENT_H
#define HD_STORE_CONTENT_H

#include "base/sha256.h"
#include "store/db.h"

enum { HD_CONTENT_COLUMNS = 24 };	/* no part has more */

/* One column of a row; p is borrowed. */
struct hd_cell {
	enum hd_col_kind kind;
	int64_t i;
	double d;
	const char *p;
	size_t n;
};

size_t hd_content_parts(void);
const char *hd_content_name(size_t part);			/* "hotspot" */
size_t hd_content_find(const char *name);			/* the part of this name, hd_content_parts() when there is none */
/* Ask for the rows of a part. */
int hd_content_ask(struct hd_db_rows *r, struct hd_db *db, size_t part, int64_t run, struct hd_err *err);
/* The columns of its row, at most HD_CONTENT_COLUMNS; how many. */
size_t hd_content_cells(const struct hd_db_rows *r, struct hd_cell *cells);

struct hd_content {
	struct hd_sha256 *sum;
	struct hd_buf text;
	size_t part;			/* whose name was hashed, and 1; 0: none yet */
};

void hd_content_begin(struct hd_content *c);
/* Parts in ascending order, rows in theirs; -1 when this part's turn is over. */
int hd_content_row(struct hd_content *c, size_t part, const struct hd_cell *cells, size_t n);
void hd_content_end(struct hd_content *c, char hex[HD_SHA256_HEX]);

#endif

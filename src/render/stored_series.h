/*
 * stored_series.h - print the rows of CSV files that a run stores
 *
 * JSON, all rows:
 *
 * {"format":"hotdrift.series","version":1,"run","files":[{"kind","series":[name],"columns":[name],"rows":[[cell]]}]}
 *
 * A cell without quotes that is a valid JSON number is written unchanged, an empty cell is null, and any other cell is
 * a string.
 */
#ifndef HD_RENDER_STORED_SERIES_H
#define HD_RENDER_STORED_SERIES_H

#include "base/err.h"
#include "base/jsonw.h"
#include "history/run_load.h"

/*
 * A stored CSV file of a run.  It contains the series first .. first + n - 1 of the run.  `text` is its content, which
 * the functions below modify.
 */
struct hd_stored_series_file {
	const struct hd_stored_run *run;
	size_t first, n;
	struct hd_buf *text;
};

/* Print at most `limit` rows as a table; 0: all.  HD_EFORMAT if the text is no CSV file with rows of one length. */
int hd_stored_series_text(struct hd_buf *out, const struct hd_stored_series_file *f, size_t limit, struct hd_err *err);
/* Add the rows of a file as an object to the open array "files".  Fails as hd_stored_series_text() does. */
int hd_stored_series_json(struct hd_jsonw *w, const struct hd_stored_series_file *f, struct hd_err *err);

#endif

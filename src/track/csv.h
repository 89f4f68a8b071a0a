/*
 * csv.h - the records of a CSV text, one after another
 *
 * RFC 4180, and what is met besides: LF, CRLF or CR ends a line, a byte order
 * mark is passed over, the last line may lack its end, blank lines are none.  A
 * quoted cell may hold commas, line ends and, doubled, quotes.  A quote inside
 * of a cell that does not begin with one is a character like another.
 *
 *     struct hd_csv csv = hd_csv_init(text, size);
 *     while ((what = hd_csv_next(&csv, cells, HD_COUNT(cells), &n)) != HD_CSV_END)
 *             ...     the n cells of the record that begins on line csv.row_line
 *
 * A record that cannot be one is told by its kind, and costs as little as it can:
 * reading goes on behind the line on which the broken cell begins.  Every byte is
 * looked at three times at most: whatever a broken quote ran over has quotes only
 * in pairs, which never run over a line again.
 *
 * Owns:   nothing, allocates nothing.  The text is the caller's, and cells are
 *         views of it: doubled quotes are made single in place.
 * Needs:  libc only; it will live in other processes, too.
 */
#ifndef HD_TRACK_CSV_H
#define HD_TRACK_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_csv_cell {
	const char *s;
	size_t n;
	bool quoted;
};

struct hd_csv {
	char *p, *end;		/* what is left */
	uint64_t line;		/* of the text at p, from 1 */
	uint64_t row_line;	/* on which the last record begins */
};

enum hd_csv_record_kind {
	HD_CSV_END,		/* no more */
	HD_CSV_ROW,
	/* no records: the cells are not to be used */
	HD_CSV_UNCLOSED,	/* a quote that never closes */
	HD_CSV_TRAILING,		/* text behind a closing quote */
	HD_CSV_NUL,		/* a NUL byte */
};

struct hd_csv hd_csv_init(char *text, size_t size);

/*
 * The next record.  *n: its number of cells, of which the first `cap` are in
 * `cells`; there may be more than that.
 */
enum hd_csv_record_kind hd_csv_next(struct hd_csv *csv, struct hd_csv_cell *cells, size_t cap, size_t *n);

#endif

/*
 * csv.h - split a CSV text into records and cells
 *
 * RFC 4180 with extensions: LF, CRLF or CR ends a line, a byte order mark is skipped, the last line may lack its line
 * end, blank lines are skipped.  A quoted cell may contain commas, line ends and doubled quotes.  A quote inside a
 * cell that does not begin with one is an ordinary character.
 *
 *     struct hd_csv csv = hd_csv_init(text, size);
 *     while ((what = hd_csv_next(&csv, cells, HD_COUNT(cells), &n)) != HD_CSV_END)
 *             ...     the n cells of the record that begins on line csv.row_line
 *
 * An invalid record is reported by its kind.  After a record with a NUL byte, the next record is read.  After a wrong
 * quote, reading continues after the line on which the invalid cell begins.
 * Each byte is examined at most a few times, so that a text with many unclosed quotes takes linear time.
 *
 * Ownership: allocates nothing.  Cells are views of the caller's text, which is modified: doubled quotes become single.
 * Needs libc only, because it is part of libhotdrift.
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
	char *p, *end;		/* the rest of the text */
	uint64_t line;		/* number of the line at p, from 1 */
	uint64_t row_line;	/* line on which the last record begins */
};

enum hd_csv_record_kind {
	HD_CSV_END,		/* end of the text */
	HD_CSV_ROW,
	/* Invalid records; their cells must not be used. */
	HD_CSV_UNCLOSED,	/* an unclosed quote */
	HD_CSV_TRAILING,		/* text after a closing quote */
	HD_CSV_NUL,		/* a NUL byte */
};

struct hd_csv hd_csv_init(char *text, size_t size);

/*
 * Read the next record.  *n: its number of cells, which may exceed `cap`; only the first `cap` are stored in `cells`.
 */
enum hd_csv_record_kind hd_csv_next(struct hd_csv *csv, struct hd_csv_cell *cells, size_t cap, size_t *n);

#endif

/*
 * csv.c - see csv.h
 */
#include "track/csv.h"

#include <string.h>

struct hd_csv hd_csv_init(char *text, size_t size)
{
	struct hd_csv csv = { .p = text, .end = size ? text + size : text, .line = 1 };

	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		csv.p += 3;
	return csv;
}

/* Return the position after the line end at p. */
static char *after_line_end(const struct hd_csv *csv, char *p)
{
	return *p == '\r' && p + 1 < csv->end && p[1] == '\n' ? p + 2 : p + 1;
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static bool ends_cell(const struct hd_csv *csv, const char *p)
{
	return p == csv->end || *p == ',' || is_line_end(*p);
}

/*
 * Continue after the line that has `from`, which is the end of a complete record or the start of an invalid cell.
 * csv->line is advanced by one.
 */
static void skip_line(struct hd_csv *csv, char *from)
{
	while (from < csv->end && !is_line_end(*from))
		from++;
	csv->p = from;
	if (from < csv->end) {
		csv->p = after_line_end(csv, from);
		csv->line++;
	}
}

/* Count the line ends in [p, to); CRLF is one. */
static uint64_t count_lines(const char *p, const char *to)
{
	uint64_t n = 0;

	for (; p < to; p++)
		n += *p == '\n' || (*p == '\r' && (p + 1 == to || p[1] != '\n'));
	return n;
}

/* Replace each pair of quotes in [s, end) by one quote, in place.  Returns the new length. */
static size_t undouble(char *s, const char *end)
{
	char *to = s;

	for (const char *p = s; p < end; p++) {
		*to++ = *p;
		p += *p == '"';		/* skip the second of a pair of quotes */
	}
	return (size_t)(to - s);
}

/* Read the quoted cell at csv->p.  The text is modified only if the cell is valid. */
static enum hd_csv_record_kind quoted_cell(struct hd_csv *csv, struct hd_csv_cell *cell)
{
	char *open = csv->p, *p = open + 1;
	bool doubled = false;

	for (;;) {
		p = memchr(p, '"', (size_t)(csv->end - p));
		if (!p) {
			skip_line(csv, open);
			return HD_CSV_UNCLOSED;
		}
		if (p + 1 == csv->end || p[1] != '"')
			break;
		doubled = true;
		p += 2;
	}
	if (!ends_cell(csv, p + 1)) {
		skip_line(csv, open);
		return HD_CSV_TRAILING;
	}
	csv->line += count_lines(open + 1, p);
	csv->p = p + 1;
	*cell = (struct hd_csv_cell){ open + 1, doubled ? undouble(open + 1, p) : (size_t)(p - open - 1), true };
	return HD_CSV_ROW;
}

static void plain_cell(struct hd_csv *csv, struct hd_csv_cell *cell)
{
	char *from = csv->p, *p = from;

	while (!ends_cell(csv, p))
		p++;
	csv->p = p;
	*cell = (struct hd_csv_cell){ from, (size_t)(p - from), false };
}

static void skip_blank_lines(struct hd_csv *csv)
{
	while (csv->p < csv->end && is_line_end(*csv->p)) {
		csv->p = after_line_end(csv, csv->p);
		csv->line++;
	}
}

enum hd_csv_record_kind hd_csv_next(struct hd_csv *csv, struct hd_csv_cell *cells, size_t cap, size_t *n)
{
	const char *from;

	*n = 0;
	skip_blank_lines(csv);
	csv->row_line = csv->line;
	from = csv->p;
	if (from == csv->end)
		return HD_CSV_END;
	for (;;) {
		struct hd_csv_cell cell;

		if (csv->p < csv->end && *csv->p == '"') {
			enum hd_csv_record_kind what = quoted_cell(csv, &cell);

			if (what != HD_CSV_ROW)
				return what;
		} else {
			plain_cell(csv, &cell);
		}
		if (*n < cap)
			cells[*n] = cell;
		++*n;
		if (csv->p == csv->end || *csv->p != ',')
			break;
		csv->p++;
	}
	if (memchr(from, '\0', (size_t)(csv->p - from))) {
		skip_line(csv, csv->p);
		return HD_CSV_NUL;
	}
	skip_line(csv, csv->p);
	return HD_CSV_ROW;
}

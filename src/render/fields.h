/*
 * fields.h - describe the columns of a report once, for its text, Markdown, JSON and CSV forms
 *
 *     struct row { size_t rank; double self_pct; const char *symbol; };
 *     static const struct hd_field fields[] = {
 *             HD_FIELD("rank", "rank", COUNT, struct row, rank),
 *             HD_FIELD("self_pct", "self", PERCENT, struct row, self_pct),
 *             HD_FIELD("symbol", "symbol", NAME, struct row, symbol),
 *     };
 *
 * A report fills one row after the other; hd_fields_cells(), hd_fields_json() and hd_fields_csv() write it.  JSON has
 * the fields in the order of the array.  Tables and CSV sort them by `place` first.
 */
#ifndef HD_RENDER_FIELDS_H
#define HD_RENDER_FIELDS_H

#include "base/jsonw.h"
#include "render/table.h"
#include "stats/summary.h"

/* The C type at the offset, and its forms.  NaN, NULL and negative counts mean "not known". */
enum hd_field_kind {
	HD_FIELD_COUNT,		/* int64_t or size_t; not known: "-" in text, null in JSON */
	HD_FIELD_RANK,		/* size_t; 0 is "-" in text */
	HD_FIELD_WEIGHT,	/* uint64_t: JSON only */
	HD_FIELD_REAL,		/* double: six digits in text, 17 in JSON; not known: "-", null */
	HD_FIELD_PERCENT,	/* double: "12.34%" in text, six decimals in JSON and CSV */
	HD_FIELD_PERCENT_SHORT,	/* the same with one decimal in text: "1.2%" */
	HD_FIELD_POINTS,	/* double, a difference of shares: "+1.23" in text, "" if not known */
	HD_FIELD_INTERVAL,	/* struct hd_interval: "1 .. 2" in text, [1,2] in JSON */
	HD_FIELD_TEXT,		/* const char *: our own words; not known: "", null */
	HD_FIELD_NAME,		/* const char *: raw bytes of the input; not known: "", null */
	HD_FIELD_SYMBOL,	/* struct hd_field_name */
	HD_FIELD_BOOL,		/* bool: JSON only */
	HD_FIELD_FLAG,		/* bool: JSON only, and only if it is true */
	HD_FIELD_TEXT_IF,	/* const char *: JSON only, and only if it is known */
};

struct hd_field_name {
	const char *full;	/* for JSON and CSV */
	const char *shown;	/* for tables, may be shorter */
	bool pseudo;		/* `shown` is a pseudo-name such as [unknown], not a name of the input */
};

struct hd_field {
	const char *key;	/* of JSON and CSV; NULL: not in these */
	const char *title;	/* of text and Markdown; NULL: not in these */
	enum hd_field_kind kind;
	size_t offset;
	unsigned when;		/* the field exists if the report's flags contain these bits */
	unsigned place;		/* position in tables and CSV; equal ones keep the order of the array */
};

/* One row of an array of hd_field: HD_FIELD("rank", "rank", COUNT, struct row, rank, .place = 1) */
#define HD_FIELD(k, t, kind_, type, member, ...)							\
	{ .key = (k), .title = (t), .kind = HD_FIELD_##kind_, .offset = offsetof(type, member), ##__VA_ARGS__ }

struct hd_fields {
	const struct hd_field *items;
	size_t n;
	unsigned flags;		/* of this report; see hd_field.when */
};

/* Initialise `t` with the columns of `f`.  hd_table_release() frees them. */
void hd_fields_table(struct hd_table *t, const struct hd_fields *f);
/* Append one row to a table of hd_fields_table(). */
void hd_fields_cells(struct hd_table *t, const struct hd_fields *f, const void *row);
/* Append the members of one row to an open object. */
void hd_fields_json(struct hd_jsonw *w, const struct hd_fields *f, const void *row);
/*
 * Append the fields of one row, separated by commas, without a line end.  Of the kinds, CSV knows counts, ranks, shares
 * and texts.
 */
void hd_fields_csv(struct hd_buf *out, const struct hd_fields *f, const void *row);

/* Append a number with 17 significant digits; null if it is not finite. */
void hd_json_real(struct hd_jsonw *w, const char *key, double v);
/* Append [lo,hi]; an infinite end is null. */
void hd_json_interval(struct hd_jsonw *w, const char *key, struct hd_interval ci);

#endif

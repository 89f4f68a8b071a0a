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
 * A report fills one struct per row and passes it to hd_fields_cells(), hd_fields_json() or hd_fields_csv().  JSON
 * members are in the order of the array.  The columns of tables and CSV are sorted by `place`, then by the order of
 * the array.
 */
#ifndef HD_RENDER_FIELDS_H
#define HD_RENDER_FIELDS_H

#include "base/jsonw.h"
#include "render/table.h"
#include "stats/summary.h"

/* The C type of a field's member, and how it is printed.  NaN, NULL and negative counts mean "unknown". */
enum hd_field_kind {
	HD_FIELD_COUNT,		/* int64_t or size_t; unknown: "-" in text, null in JSON, "" in CSV */
	HD_FIELD_RANK,		/* size_t; 0 is "-" in text */
	HD_FIELD_WEIGHT,	/* uint64_t */
	HD_FIELD_REAL,		/* double: six significant digits in text, all in JSON, CSV; unknown: "-", null, "" */
	HD_FIELD_PERCENT,	/* double: "12.34%" in text, six decimals in JSON, CSV; if unknown, "-", null and "" */
	HD_FIELD_PERCENT_SHORT,	/* as PERCENT, but with one decimal in text: "1.2%" */
	HD_FIELD_POINTS,	/* double, a difference of shares: "+1.23" in text, "" if unknown; else as PERCENT */
	HD_FIELD_CELL,		/* const char *: a formatted number, in tables only */
	HD_FIELD_INTERVAL,	/* struct hd_interval: "1 .. 2" in text, [1,2] in JSON.  Not in CSV */
	HD_FIELD_TEXT,		/* const char *: a fixed word; if unknown, "" in text and null in JSON */
	HD_FIELD_NAME,		/* const char *: raw bytes from the input; if unknown, "" in text and null in JSON */
	HD_FIELD_SYMBOL,	/* struct hd_field_name */
	HD_FIELD_BOOL,		/* bool: "yes" or "" in text.  Not in CSV */
	HD_FIELD_INT,		/* int64_t; fields of this kind and the following ones are for JSON only */
	HD_FIELD_FLAG,		/* bool; printed only if it is true */
	HD_FIELD_TEXT_IF,	/* const char *; printed only if it is not NULL */
	HD_FIELD_COUNT_IF,	/* int64_t; printed only if it is not negative */
	HD_FIELD_REAL_IF,	/* double; printed only if it is not NaN */
};

struct hd_field_name {
	const char *full;	/* the name in JSON and CSV */
	const char *shown;	/* the name in tables, which may be shorter */
	bool pseudo;		/* `shown` is a pseudo-name such as [unknown], not a name from the input */
	const char *guide;	/* lines of a tree before the name, in tables; see hd_table_guide().  NULL: none */
};

struct hd_field {
	const char *key;	/* name in JSON and CSV; NULL: the field is not in JSON and CSV */
	const char *title;	/* title in tables; NULL: the field is not in tables */
	enum hd_field_kind kind;
	size_t offset;		/* of the member in the struct of a row */
	unsigned when;		/* the field exists if hd_fields.flags contains all these bits */
	unsigned place;		/* rank of the column in tables and CSV: 0, the default, is first; at most 4 */
};

/*
 * Initialiser of a struct hd_field.  Example, for member `rank` of struct row:
 *
 *     HD_FIELD("rank", "rank", COUNT, struct row, rank, .place = 1)
 */
#define HD_FIELD(k, t, kind_, type, member, ...)							\
	{ .key = (k), .title = (t), .kind = HD_FIELD_##kind_, .offset = offsetof(type, member), ##__VA_ARGS__ }

struct hd_fields {
	const struct hd_field *items;
	size_t n;
	unsigned flags;		/* properties of this report; see hd_field.when */
};

/* Initialiser of a struct hd_fields at file scope: HD_FIELDS(HD_FIELD(...), HD_FIELD(...), ...) */
#define HD_FIELDS(...)											\
	{ (const struct hd_field[]){ __VA_ARGS__ },							\
	  sizeof((const struct hd_field[]){ __VA_ARGS__ }) / sizeof(struct hd_field), 0 }

/* Initialise `t` with the columns of `f`. hd_table_release() frees the column array. */
void hd_fields_table(struct hd_table *t, const struct hd_fields *f);
/* Append one row to a table that hd_fields_table() initialised. */
void hd_fields_cells(struct hd_table *t, const struct hd_fields *f, const void *row);
/* Append the members of one row to the open JSON object. */
void hd_fields_json(struct hd_jsonw *w, const struct hd_fields *f, const void *row);
/* Append an array with one object for each of n rows, which are `size` bytes apart. */
void hd_fields_array(struct hd_jsonw *w, const char *key, const struct hd_fields *f, const void *rows, size_t n,
	size_t size);
/* Append one row as a JSON object, on a line of its own, to an open JSON array. */
void hd_fields_object(struct hd_jsonw *w, const struct hd_fields *f, const void *row);
/* Append the line of keys that begins CSV. */
void hd_fields_csv_header(struct hd_buf *out, const struct hd_fields *f);
/*
 * Append the fields of one row, separated by commas, without a line end.  Fields of the kind INTERVAL, and of the kinds
 * after HD_FIELD_SYMBOL in enum hd_field_kind, are skipped.
 */
void hd_fields_csv(struct hd_buf *out, const struct hd_fields *f, const void *row);

/* Append a count, or null if it is negative. */
void hd_json_known(struct hd_jsonw *w, const char *key, int64_t v);
/* Append a number with the shortest digits that read back as the same double, or null if it is not finite. */
void hd_json_real(struct hd_jsonw *w, const char *key, double v);
/* Append [lo,hi] with this number of decimals; an end that is not finite is null. */
void hd_json_range(struct hd_jsonw *w, const char *key, double lo, double hi, int decimals);
/* Append [lo,hi], each end as hd_json_real() writes it; an end that is not finite is null. */
void hd_json_interval(struct hd_jsonw *w, const char *key, struct hd_interval ci);

#endif

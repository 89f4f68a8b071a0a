/*
 * jsonw.h - write JSON: commas, keys and nesting; strings are encoded by encode.h
 *
 *     struct hd_jsonw w = hd_jsonw_document(&buf, "hotdrift.top", 1);
 *     hd_jsonw_open(&w, "rows", '[');  ...  hd_jsonw_close(&w, ']');
 *     hd_jsonw_close(&w, '}');
 *
 * `key` is NULL inside arrays.  The indentation is two blanks; the last line ends with a newline.
 */
#ifndef HD_BASE_JSONW_H
#define HD_BASE_JSONW_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_jsonw {
	struct hd_buf *out;
	unsigned depth;
	bool first;		/* the current array or object is empty */
	bool flat;		/* inside of hd_jsonw_row(): no line breaks */
	unsigned flat_depth;	/* depth inside of that row */
};

struct hd_jsonw hd_jsonw_to(struct hd_buf *out);
/* Open the object of a whole output, such as "hotdrift.top", with its members "format" and "version". */
struct hd_jsonw hd_jsonw_document(struct hd_buf *out, const char *format, unsigned version);
void hd_jsonw_open(struct hd_jsonw *w, const char *key, char bracket);	/* '{' or '[' */
/* like hd_jsonw_open(), but the array or object is written on one line */
void hd_jsonw_row(struct hd_jsonw *w, const char *key, char bracket);
void hd_jsonw_close(struct hd_jsonw *w, char bracket);			/* '}' or ']' */
void hd_jsonw_str(struct hd_jsonw *w, const char *key, const char *s);	/* NULL writes null */
void hd_jsonw_strn(struct hd_jsonw *w, const char *key, const char *s, size_t n);
void hd_jsonw_u64(struct hd_jsonw *w, const char *key, uint64_t v);
void hd_jsonw_i64(struct hd_jsonw *w, const char *key, int64_t v);
void hd_jsonw_num(struct hd_jsonw *w, const char *key, double v, int decimals);	/* null if not finite */
void hd_jsonw_bool(struct hd_jsonw *w, const char *key, bool v);
void hd_jsonw_null(struct hd_jsonw *w, const char *key);
void hd_jsonw_raw(struct hd_jsonw *w, const char *key, const char *json);	/* `json` is written unchanged */

#endif

/*
 * json.h - a JSON document in memory
 *
 * The parser is strict (RFC 8259): the text must be UTF-8, without duplicate keys, and only white space may follow the
 * value.  A text with a byte order mark, or with more than 64 MiB, 8 Mi values or 512 nested containers is rejected.
 * Numbers keep their text, because a configuration fingerprint must distinguish 18446744073709551615 and 0.1 from the
 * nearest double.
 *
 * Values and strings are borrowed from the document and live until hd_json_free().  jsonw.h writes JSON; json_scan.h
 * finds values in texts that are too large for a document.
 */
#ifndef HD_BASE_JSON_H
#define HD_BASE_JSON_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum hd_json_kind { HD_JSON_NULL, HD_JSON_BOOL, HD_JSON_NUMBER, HD_JSON_STRING, HD_JSON_ARRAY, HD_JSON_OBJECT };

struct hd_json_doc;
struct hd_json;			/* one value */

/*
 * Parse a JSON text.  If the text is invalid or exceeds a limit, returns HD_EFORMAT.  The message has `path`, line and
 * column; it has no line if the text has more than 64 MiB.  The caller owns *out.
 */
int hd_json_parse(struct hd_json_doc **out, const char *text, size_t len, const char *path, struct hd_err *err);
void hd_json_free(struct hd_json_doc *doc);		/* accepts NULL */
const struct hd_json *hd_json_root(const struct hd_json_doc *doc);

enum hd_json_kind hd_json_kind(const struct hd_json *v);
bool hd_json_bool(const struct hd_json *v);
/* the number as it is written; "" if the value is not a number */
const char *hd_json_number(const struct hd_json *v);
const char *hd_json_string(const struct hd_json *v, size_t *len);	/* UTF-8; may contain NUL */
size_t hd_json_count(const struct hd_json *v);				/* items of an array or object; else 0 */
const struct hd_json *hd_json_at(const struct hd_json *array, size_t i);
const struct hd_json *hd_json_get(const struct hd_json *object, const char *key);	/* NULL if absent */
/* Return the i-th member in the order of the text, or NULL. */
const struct hd_json *hd_json_member(const struct hd_json *object, size_t i, const char **key, size_t *key_len);

#endif

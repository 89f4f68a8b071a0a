/*
 * json.h - reading JSON, the one door to jansson
 *
 * RFC 8259, strict: UTF-8, no duplicate keys, nothing behind the value, depth
 * and size bounded.  Numbers keep their text, because a fingerprint must see
 * 18446744073709551615 and 0.1 as they were written, not as a double.
 *
 * A value is borrowed from its document and dies with it.  Writing JSON needs
 * no library: the sinks write it with encode.h.
 */
#ifndef HD_BASE_JSON_H
#define HD_BASE_JSON_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum hd_json_kind { HD_JSON_NULL, HD_JSON_BOOL, HD_JSON_NUMBER, HD_JSON_STRING, HD_JSON_ARRAY, HD_JSON_OBJECT };

struct hd_json_doc;
struct hd_json;			/* one value */

/* path: for the messages, which give line and column. */
int hd_json_parse(struct hd_json_doc **out, const char *text, size_t len, const char *path, struct hd_err *err);
void hd_json_free(struct hd_json_doc *doc);	/* NULL is fine */
const struct hd_json *hd_json_root(const struct hd_json_doc *doc);

enum hd_json_kind hd_json_kind(const struct hd_json *v);
bool hd_json_bool(const struct hd_json *v);
const char *hd_json_number(const struct hd_json *v);			/* its text, as written */
const char *hd_json_string(const struct hd_json *v, size_t *len);	/* UTF-8, may hold NUL */
size_t hd_json_count(const struct hd_json *v);				/* of an array or object */
const struct hd_json *hd_json_at(const struct hd_json *array, size_t i);
const struct hd_json *hd_json_get(const struct hd_json *object, const char *key);	/* or NULL */
/* Members in the order of the text; *key is borrowed.  For sorting, collect them first. */
const struct hd_json *hd_json_member(const struct hd_json *object, size_t i, const char **key, size_t *key_len);

#endif

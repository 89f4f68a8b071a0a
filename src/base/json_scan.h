/*
 * json_scan.h - find values in JSON text without building them
 *
 * A profiler's trace is gigabytes of JSON objects, of which a reader needs a few members.  hd_json_parse() builds all
 * of them, at 32 MB a second.  The functions here only find where a value ends, and where its members are:
 *
 *     hd_json_scan(s, n, &len)          find the end of the value at s
 *     hd_json_scan_member(&at, end, ..) get the next member of a complete object
 *
 * Structure is checked: brackets, quotes, commas and colons.  The text between them is not, because real traces have
 * numbers such as `inf` and strings with raw control characters.  Nesting is at most 64 deep.
 *
 * Everything is borrowed from the text.  Strings keep their quotes and escapes until hd_json_scan_string() is called.
 */
#ifndef HD_BASE_JSON_SCAN_H
#define HD_BASE_JSON_SCAN_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_json_text {
	const char *s;
	size_t len;
};

enum hd_json_scan_result {
	HD_JSON_WHOLE,		/* *len is the length of the value */
	/* the text ends before or inside the value, or right after a number or word, which may continue: *len is n */
	HD_JSON_CUT,
	HD_JSON_BAD,		/* *len is the offset of the first invalid byte */
};

/* Find the end of the JSON value at s, and set *len (see above).  White space before it is HD_JSON_BAD. */
enum hd_json_scan_result hd_json_scan(const char *s, size_t n, size_t *len);

/* Return the length of the white space at s. */
size_t hd_json_scan_blanks(const char *s, size_t n);

/*
 * Get the next member of a complete object; *at starts at its `{`.  The key has no quotes; its escapes are not decoded.
 * Returns false after the last member, or if the next one is invalid.
 */
bool hd_json_scan_member(const char **at, const char *end, struct hd_json_text *key, struct hd_json_text *value);
/* Get the next item of a whole array; *at starts at its `[`. */
bool hd_json_scan_item(const char **at, const char *end, struct hd_json_text *value);

bool hd_json_text_is(struct hd_json_text t, const char *s);

/*
 * Append the text of a string value with its escapes decoded.  If it has escapes and is not valid JSON, it is appended
 * undecoded.  Returns false if the value is not a string.
 */
bool hd_json_scan_string(struct hd_json_text value, struct hd_buf *out);

/*
 * Read a number, multiply it by 10^scale and round to the nearest integer, half away from zero.  The digits are never
 * converted to a double, so 1661203462598738.125 microseconds are exactly 1661203462598738125 ns.  A number in a string
 * ("12") is accepted.  Returns false if it is not a number or does not fit.
 */
bool hd_json_scan_int(struct hd_json_text value, int scale, int64_t *out);

#endif

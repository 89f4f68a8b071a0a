/*
 * config_values.h - read a JSON text into an array of its values
 *
 * config_text.c uses this reader.  The items of an array and the members of an object are a linked list (the field
 * `next`).  When an object ends, its list is sorted by the UTF-16 units of the keys (RFC 8785).
 */
#ifndef HD_TRACK_CONFIG_VALUES_H
#define HD_TRACK_CONFIG_VALUES_H

#include "track/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_CONFIG_NONE UINT32_MAX

enum { HD_CONFIG_DEPTH_MAX = 512 };	/* nested arrays and objects */

/* HD_CONFIG_WORD: null, true or false */
enum hd_config_kind { HD_CONFIG_WORD, HD_CONFIG_NUMBER, HD_CONFIG_STRING, HD_CONFIG_ARRAY, HD_CONFIG_OBJECT };

/* A growing array of bytes.  After a failed allocation nothing is added any more. */
struct hd_config_bytes {
	char *data;
	size_t len, cap;
	bool failed;
};

struct hd_config_value {
	enum hd_config_kind kind;
	/* for a word, number or string: offset and length of its text in hd_config_reader.texts; a NUL follows */
	uint32_t text, len;
	uint32_t key, key_len;		/* key of a member of an object: offset and length, as `text` and `len` */
	uint32_t parent;		/* index of the container; HD_CONFIG_NONE for the root */
	uint32_t next;			/* index of the next value in the container; HD_CONFIG_NONE for the last one */
	/* of an array or object: first item; item that was read last, which sorting does not change; number of items */
	uint32_t first, last, n;
};

struct hd_config_member {
	const char *key;
	uint32_t len, value;
};

struct hd_config_reader {
	const char *json;
	size_t n, at;
	struct hd_config_bytes texts;
	struct hd_config_value *values;
	size_t nvalues, values_cap;
	struct hd_config_member *members;	/* scratch space for sorting */
	size_t members_cap;
};

void hd_config_bytes_add(struct hd_config_bytes *b, const char *s, size_t n);
void hd_config_bytes_add_byte(struct hd_config_bytes *b, char c);
/*
 * Read the text r->json of r->n bytes; the caller zeroes the other fields.  Returns HD_TRACK_OK, NOMEM, or INVALID if
 * the text is not valid or is nested too deeply.  The caller releases r in any case.
 */
int hd_config_read_values(struct hd_config_reader *r);
void hd_config_reader_release(struct hd_config_reader *r);

#endif

/*
 * tuple.h - the values of sample fields that are part of a row's key
 *
 * A report by prev_comm and prev_pid has a tuple of two values for each row.  Equal tuples have equal ids, so a row
 * stores one integer:
 *
 *     0   no fields
 *     1   ("bash", 812)      2   ("bash", none)
 *
 * A value is a number or a text of the profile's string table.  Values are ordered by kind, then as numbers or bytes.
 *
 * Owns: the values and their index.  Zero-initialise except for `width`.
 */
#ifndef HD_PROFILE_TUPLE_H
#define HD_PROFILE_TUPLE_H

#include "base/hash_index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_value_kind {
	HD_VALUE_NONE,		/* the sample has no such field */
	HD_VALUE_SIGNED,
	HD_VALUE_UNSIGNED,
	HD_VALUE_ADDRESS,	/* written 0x... */
	HD_VALUE_NAMELESS,	/* an ID whose name is unknown, such as that of a cgroup: [cgroup 99] */
	HD_VALUE_TEXT,		/* a string id */
};

struct hd_value {
	enum hd_value_kind kind;
	uint64_t v;
};

struct hd_tuples {
	size_t width;		/* values per tuple; 0: no tuples */
	struct hd_value *values;
	size_t n, cap;		/* numbers of values, not of tuples */
	struct hd_index index;
};

/* Return the id of a tuple of `width` values; add it if it is new. */
uint32_t hd_tuples_add(struct hd_tuples *t, const struct hd_value *values);
/* Return the values of the tuple with this id; the array is valid until the next hd_tuples_add(). */
const struct hd_value *hd_tuples_get(const struct hd_tuples *t, uint32_t id);
void hd_tuples_release(struct hd_tuples *t);

#endif

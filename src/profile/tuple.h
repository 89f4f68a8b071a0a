/*
 * tuple.h - values of the fields that samples are kept apart by
 *
 * A report by prev_comm and prev_pid has a tuple of two values for each sample
 * row.  Equal tuples get equal ids, so that a row carries one integer:
 *
 *     0   nothing was asked for
 *     1   ("bash", 812)      2   ("bash", none)
 *
 * A value is a number, or a text of the profile's string table.  Values order
 * by kind, then as numbers or as bytes.
 *
 * Owns: the values and their index.  Zero-initialise but for `width`.
 */
#ifndef HD_PROFILE_TUPLE_H
#define HD_PROFILE_TUPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_value_kind {
	HD_VALUE_NONE,		/* the sample has no such field */
	HD_VALUE_SIGNED,
	HD_VALUE_UNSIGNED,
	HD_VALUE_ADDRESS,	/* written 0x... */
	HD_VALUE_NAMELESS,	/* the number of something whose name is not known: [cgroup 99] */
	HD_VALUE_TEXT,		/* a string id */
};

struct hd_value {
	enum hd_value_kind kind;
	uint64_t v;
};

struct hd_tuples {
	size_t width;		/* values of a tuple; 0: there are none */
	struct hd_value *values;
	size_t n, cap;		/* in values */
	uint32_t *slots;	/* ids; 0 is empty */
	size_t nslots;
};

uint32_t hd_tuples_add(struct hd_tuples *t, const struct hd_value *values);	/* `width` of them */
/* The values of an id from hd_tuples_add; good until the next one. */
const struct hd_value *hd_tuples_get(const struct hd_tuples *t, uint32_t id);
void hd_tuples_release(struct hd_tuples *t);

#endif

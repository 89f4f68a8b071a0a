/*
 * group.h - self cost by any keys: `report --by comm,dso`
 *
 * Rows of the profile summed by a tuple of keys.  The event is always part of
 * the tuple: weights of different events do not add up.
 *
 * Holds: the self of one event's rows sums to the event's weight.  Order: event
 *        as recorded, then self falling, then the keys' texts.
 */
#ifndef HD_PROFILE_GROUP_H
#define HD_PROFILE_GROUP_H

#include "base/err.h"
#include "base/string_list.h"
#include "profile/profile.h"

#include <stdbool.h>

enum hd_by {
	HD_BY_EVENT = 1 << 0,
	HD_BY_COMM = 1 << 1,
	HD_BY_PID = 1 << 2,
	HD_BY_TID = 1 << 3,
	HD_BY_CPU = 1 << 4,
	HD_BY_DSO = 1 << 5,
	HD_BY_SYMBOL = 1 << 6,
	HD_BY_LINE = 1 << 7,
	HD_BY_FIELDS = 1 << 8,		/* all fields that the profile keeps apart (hd_profile.fields) */
};

struct hd_group_row {
	uint32_t rank;			/* within its event */
	uint32_t event;
	uint32_t comm, dso;		/* string ids; of a key not asked for: 0 */
	int32_t pid, tid;
	uint32_t cpu;			/* UINT32_MAX: not recorded */
	uint32_t symbol;		/* of the profile */
	uint32_t file, line;
	uint32_t tuple;			/* of the profile; 0: none */
	bool dso_unknown;
	uint64_t self, samples;
	double var;			/* of self */
};

struct hd_groups {
	struct hd_group_row *rows;
	size_t n, cap;
	unsigned by;			/* enum hd_by */
};

/*
 * The profile must keep the keys apart (hd_by_keys) and, for lines, addresses.  inlined: the
 * self cost is that of the innermost inlined function, and one function is one row (functions.h).
 */
void hd_groups_build(struct hd_groups *g, const struct hd_profile *p, unsigned by, bool inlined);
void hd_groups_release(struct hd_groups *g);

/*
 * "comm,dso" -> enum hd_by.  A word that is no key is the name of a field: it goes into `fields`, once, as a string of
 * yours, and HD_BY_FIELDS into `by`.  < 0 for an empty word, and without `fields` for any other: *bad is where.
 */
int hd_by_parse(const char *text, unsigned *by, struct hd_string_list *fields, const char **bad);
/* enum hd_profile_keys that `by` needs. */
unsigned hd_by_keys(unsigned by);

#endif

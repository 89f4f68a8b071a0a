/*
 * group.h - sum self cost by any keys: `report --by comm,dso`
 *
 * The rows of the profile are summed by a tuple of keys.  The event is always one of the keys, because weights of
 * different events cannot be added.
 *
 * Invariant: the sum of self of an event's rows = the event's weight.
 * Order:     event as recorded, descending self, then the texts of the keys.
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
	HD_BY_FIELDS = 1 << 8,		/* the values of all fields in hd_profile.fields */
};

struct hd_group_row {
	uint32_t rank;			/* 1, 2, ... within the event */
	uint32_t event;
	uint32_t comm, dso;		/* string ids; 0 if not a key */
	int32_t pid, tid;
	uint32_t cpu;			/* UINT32_MAX: not recorded */
	uint32_t symbol;		/* symbol id of the profile; 0 if not a key */
	uint32_t file, line;
	uint32_t tuple;			/* tuple id of the profile (tuple.h); 0: none */
	bool dso_unknown;
	uint64_t self, samples;
	double var;			/* variance of `self` */
};

struct hd_groups {
	struct hd_group_row *rows;
	size_t n, cap;
	unsigned by;			/* the keys, bits of enum hd_by */
};

/*
 * Sum the rows of p by the keys `by` (enum hd_by).  The profile must have been read with hd_by_keys(by) and, for
 * HD_BY_LINE, with hd_pipeline_opts.lines.  With `inlined`, self cost belongs to the innermost inlined function, and
 * all symbols of a function are one row (functions.h).
 */
void hd_groups_build(struct hd_groups *g, const struct hd_profile *p, unsigned by, bool inlined);
void hd_groups_release(struct hd_groups *g);

/*
 * Parse "comm,dso" into enum hd_by.  A word that is not a key is the name of a field: it is added to `fields` once,
 * as a string that the caller frees, and `by` gets HD_BY_FIELDS.  Returns 0, or HD_EUSAGE for an empty word or, if
 * `fields` is NULL, for an unknown word; *bad then points to it, and `fields` has the fields before it.
 */
int hd_by_parse(const char *text, unsigned *by, struct hd_string_list *fields, const char **bad);
/* Return the enum hd_profile_keys with which the profile must be read for `by`. */
unsigned hd_by_keys(unsigned by);

#endif

/*
 * names.h - the distinct names of one part of a profiler
 *
 * Equal names have equal ids, which count from 0.  Names are copied and cut to HD_NAME_BYTES - 1 bytes; the copies keep
 * their addresses until hd_names_release().
 *
 * The owner may keep a row of its own per name.  Rows move when a name is added.  Without memory for its row, a name is
 * not added.
 *
 * Thread safety: none.  The part that owns the table holds its lock.
 */
#ifndef HD_TRACK_NAMES_H
#define HD_TRACK_NAMES_H

#include "track/status.h"

struct hd_names {
	char **texts;			/* by id */
	void *rows;			/* by id: row_size bytes per name, which begin as zeros */
	size_t row_size;		/* set by the owner before the first name; 0: no rows */
	size_t n, cap, max;
	uint32_t *slots;		/* hash table of id + 1; 0: free */
	size_t nslots;			/* a power of two, or 0 */
};

/* Return the id of a name, which is added if it is new; HD_TRACK_INVALID, NOMEM, or FULL beyond n->max names. */
int64_t hd_names_add(struct hd_names *n, const char *name);
void hd_names_release(struct hd_names *n);

#endif

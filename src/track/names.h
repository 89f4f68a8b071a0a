/*
 * names.h - the distinct names in one part of a profiler, such as its operations or its allocations
 *
 * Equal names have equal ids, which count from 0.  Names are copied and cut to HD_NAME_BYTES - 1 bytes; the copies keep
 * their addresses until hd_names_release().
 *
 * The owner of the table may have a row of data per name.  The rows can move in memory when a name is added.  If there
 * is no memory for its row, a name is not added.
 *
 * Not thread-safe.  The part of the profiler that owns the table holds a lock of its own.
 */
#ifndef HD_TRACK_NAMES_H
#define HD_TRACK_NAMES_H

#include "track/status.h"

struct hd_names {
	char **texts;			/* the names, indexed by id */
	void *rows;			/* indexed by id: row_size bytes per name, which are zero at first */
	size_t row_size;		/* set by the owner before the first name; 0: no rows */
	size_t n, cap, max;
	uint32_t *slots;		/* hash table of id + 1; 0: free */
	size_t nslots;			/* a power of two, or 0 */
};

/*
 * Return the id of a name.  A new name is added.  Errors: HD_TRACK_INVALID, NOMEM, or FULL if the table has n->max
 * names already.
 */
int64_t hd_names_add(struct hd_names *n, const char *name);
void hd_names_release(struct hd_names *n);

#endif

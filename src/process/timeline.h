/*
 * timeline.h - store values that change over time, for many owners
 *
 * An entry holds the values of its owner (a thread, a process or a kernel) from its time until the
 * owner's next entry.  Entries are pushed in order of time, with owners mixed.  hd_timeline_freeze()
 * sorts them by owner.  hd_timeline_at() then finds the entry that is valid at a time: in O(1) if times
 * advance by little, else by bisection.
 *
 * An entry is not valid at its own time, only after it: a lookup at (time, seq) sees the entries
 * strictly before it.
 */
#ifndef HD_PROCESS_TIMELINE_H
#define HD_PROCESS_TIMELINE_H

#include "base/record_time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_timeline_entry {
	struct hd_record_time when;
	uint32_t owner;
	uint32_t a, b;			/* values; their meaning depends on the timeline */
	int32_t pid;
};

/* Zero-initialise. */
struct hd_timeline {
	struct hd_timeline_entry *items;
	size_t n, cap;
	uint32_t *first;		/* owners + 1 indexes: owner o has items[first[o]] to items[first[o + 1] - 1] */
	/* cursor[owner]: index of the entry after the last result; first[owner] means that there was no result */
	uint32_t *cursor;
	size_t owners;
};

void hd_timeline_release(struct hd_timeline *tl);
void hd_timeline_push(struct hd_timeline *tl, const struct hd_timeline_entry *m);
void hd_timeline_freeze(struct hd_timeline *tl, size_t owners);

/* *tl is a copy of another timeline's struct: give it a cursor array of its own, which the caller frees. */
void hd_timeline_view(struct hd_timeline *tl);

/*
 * Return the last entry of the owner that is before `when`, or NULL.  If until is not NULL, *until is lowered to the
 * time of the owner's next entry: lookups up to and including that time have the same result.  Updates a cursor, so it
 * is not thread-safe.
 */
const struct hd_timeline_entry *hd_timeline_at(struct hd_timeline *tl, uint32_t owner, struct hd_record_time when,
				       struct hd_record_time *until);

#endif

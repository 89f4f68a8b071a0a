/*
 * hotspot_changes.h - how the top N of one run differs from that of another
 *
 * What is measured, not judged: whether a change is more than noise is for `drift`.
 * A symbol is the same when (object name, linkage name) is; of several entries of one
 * name the nth is compared with the nth, and addresses that nobody names by address.
 */
#ifndef HD_HISTORY_HOTSPOT_CHANGES_H
#define HD_HISTORY_HOTSPOT_CHANGES_H

#include "history/run_load.h"

enum hd_hotspot_change_kind {
	HD_HOTSPOT_CHANGE_NONE,		/* same place in both */
	HD_HOTSPOT_CHANGE_MOVED,	/* in both, another rank */
	HD_HOTSPOT_CHANGE_ENTERED,	/* only head has it in the top N */
	HD_HOTSPOT_CHANGE_LEFT,		/* only base has */
};

struct hd_hotspot_change {
	enum hd_hotspot_change_kind kind;
	const struct hd_stored_hotspot *spot;	/* of head, of base for one that left */
	int64_t base_rank, head_rank;		/* beyond the top N too; 0: no cost there at all */
	double base_pct, head_pct;		/* self share */
	int64_t base_self, head_self;
};

struct hd_hotspot_changes {
	struct hd_hotspot_change *items;		/* head's top N by rank, then those that left, by base rank */
	size_t n;
	bool set_changed, order_changed; /* order: two of them passed each other, also one that entered or left */
};

/*
 * base and head must be loaded with at least top hotspots.  Events are numbers in
 * events[].  HD_ENOBASE, naming the field, when they cannot be compared.
 */
int hd_hotspot_changes_build(struct hd_hotspot_changes *c, struct hd_db *db, const struct hd_stored_run *base,
	size_t base_event, const struct hd_stored_run *head, size_t head_event, unsigned top, struct hd_err *err);
void hd_hotspot_changes_release(struct hd_hotspot_changes *c);

/*
 * Return true if one of the two is before the other in the base and after it in the head.  One that took the place of
 * another in the top N changed the set and is not counted here.
 */
bool hd_hotspot_change_passed(const struct hd_hotspot_change *a, const struct hd_hotspot_change *b);

#endif

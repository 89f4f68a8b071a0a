/*
 * hotspot_changes.h - compare the top N symbols of two runs
 *
 * The changes are reported as measured; `drift` decides whether a change exceeds the noise.  Two symbols are the
 * same if object name and linkage name are equal.  If a run has several entries of one name, the nth one is
 * compared with the nth one of the other run.  Unresolved addresses are compared by address.
 */
#ifndef HD_HISTORY_HOTSPOT_CHANGES_H
#define HD_HISTORY_HOTSPOT_CHANGES_H

#include "history/run_load.h"

enum hd_hotspot_change_kind {
	HD_HOTSPOT_CHANGE_NONE,		/* in the top N of base and head, with the same rank */
	HD_HOTSPOT_CHANGE_MOVED,	/* in the top N of base and head, with another rank */
	HD_HOTSPOT_CHANGE_ENTERED,	/* in the top N of head only */
	HD_HOTSPOT_CHANGE_LEFT,		/* in the top N of base only */
};

struct hd_hotspot_change {
	enum hd_hotspot_change_kind kind;
	const struct hd_stored_hotspot *spot;	/* the hotspot in head, or in base if it left; borrowed from the run */
	/*
	 * rank in the base and in the head, even if it is not in the top N; 0: the run has no row with samples for the
	 * symbol, whose cost is then 0 or a part of the rest (hotspot_rest.h)
	 */
	int64_t base_rank, head_rank;
	double base_pct, head_pct;		/* self share, per cent; 0 if there is no row */
	int64_t base_self, head_self;
};

struct hd_hotspot_changes {
	/* the top N hotspots of head by rank, then those that left the top N, by their rank in the base */
	struct hd_hotspot_change *items;
	size_t n;
	/* order_changed: hd_hotspot_change_passed() is true for some pair of items */
	bool set_changed, order_changed;
};

/*
 * Compare the top hotspots of two runs, which must be loaded with at least `top` hotspots and must outlive *c.
 * base_event and head_event are indices into events[].  HD_ENOBASE: the runs cannot be compared; the message names the
 * field that differs.  On failure *c is released.
 */
int hd_hotspot_changes_build(struct hd_hotspot_changes *c, struct hd_db *db, const struct hd_stored_run *base,
	size_t base_event, const struct hd_stored_run *head, size_t head_event, unsigned top, struct hd_err *err);
void hd_hotspot_changes_release(struct hd_hotspot_changes *c);

/*
 * Return true if one of the two symbols ranks before the other in the base and after it in the head.  A symbol without
 * a rank comes after all others.  Returns false if one of them entered the top N and the other one left it: such a pair
 * changes the set, not the order.
 */
bool hd_hotspot_change_passed(const struct hd_hotspot_change *a, const struct hd_hotspot_change *b);

#endif

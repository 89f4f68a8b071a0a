/*
 * run_from_profile.h - what a profile says, in the shape that run.h stores
 *
 * A profile read with inlines has two costs (profile/functions.h), and both are
 * stored: self and total by the symbol table, one row per entry, and beside
 * them inline_self and inline_total by inlined functions.  All entries of one
 * name and its inlined copies are one function: its inline cost stands at the
 * costliest of its rows, the others have none.  A function that only its inlined
 * copies were sampled in is a row behind those, with self 0.  Folded text that
 * marks no frame as inlined has no inline cost.
 *
 * With `inlined` self and total are by inlined functions too, one row per function.
 *
 * Names stay borrowed from the profile, which must live until the run is added.
 */
#ifndef HD_HISTORY_RUN_FROM_PROFILE_H
#define HD_HISTORY_RUN_FROM_PROFILE_H

#include "profile/profile.h"
#include "history/run.h"

struct hd_run_profile_arrays {
	struct hd_run_event *events;
	struct hd_run_hotspot **hotspots;	/* one array per event */
	struct hd_run_dropped *dropped;
	size_t nevents;
};

/* Set run's events, counts and losses; the caller adds folded text to parts->events. */
void hd_run_from_profile(struct hd_run *run, struct hd_run_profile_arrays *parts, const struct hd_profile *p,
	bool inlined);
void hd_run_profile_arrays_release(struct hd_run_profile_arrays *parts);

#endif

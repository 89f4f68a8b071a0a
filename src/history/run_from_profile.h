/*
 * run_from_profile.h - convert a profile to the events of a run (run.h)
 *
 * A profile that was read with inlined functions has two costs (profile/functions.h), and both are stored: self and
 * total by symbol table entry, one row per entry, and inline_self and inline_total by function.  All entries of one
 * name and its inlined copies are one function.  Its inline cost is stored in the costliest of its rows.  A
 * function that was only sampled in inlined copies gets a row with self 0 after the others.  Folded text without
 * marks of inlined frames has no inline cost.
 *
 * With `inlined`, self and total are by function as well, one row per function.
 *
 * Names are borrowed from the profile, which must live until the run is added.
 */
#ifndef HD_HISTORY_RUN_FROM_PROFILE_H
#define HD_HISTORY_RUN_FROM_PROFILE_H

#include "profile/profile.h"
#include "history/run.h"

struct hd_run_profile_arrays {
	struct hd_run_event *events;
	struct hd_run_hotspot **hotspots;	/* an array per event */
	struct hd_run_dropped *dropped;
	size_t nevents;
};

/*
 * Set the events, sample counts, drops and inline mode of *run.  The arrays are in *parts, which the caller releases.
 * The caller can add folded text to parts->events.
 */
void hd_run_from_profile(struct hd_run *run, struct hd_run_profile_arrays *parts, const struct hd_profile *p,
	bool inlined);
void hd_run_profile_arrays_release(struct hd_run_profile_arrays *parts);

#endif

/*
 * from_profile.h - what a profile says, in the shape that run.h stores
 *
 * Names stay borrowed from the profile, which must live until the run is added.
 */
#ifndef HD_STORE_FROM_PROFILE_H
#define HD_STORE_FROM_PROFILE_H

#include "profile/profile.h"
#include "store/run.h"

struct hd_run_parts {
	struct hd_run_event *events;
	struct hd_run_hotspot **hotspots;	/* one array per event */
	struct hd_run_dropped *dropped;
	size_t nevents;
};

/* Set run's events, counts and losses; the caller adds folded text to parts->events. */
void hd_run_from_profile(struct hd_run *run, struct hd_run_parts *parts, const struct hd_profile *p);
void hd_run_parts_release(struct hd_run_parts *parts);

#endif

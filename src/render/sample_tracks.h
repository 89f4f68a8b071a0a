/*
 * sample_tracks.h - the samples of a profile by event and thread, for formats that show each thread in time
 *
 *     for (size_t t = 0; t < tracks.n; t++)
 *             for (size_t i = 0; i < tracks.items[t].n; i++)
 *                     hd_sample_tracks_get(&tracks, &tracks.items[t], i)
 *
 * A track has the samples of one event in one thread, in order of time (profile/timed_samples.h).  An event whose
 * samples were not kept in time (folded text, heap recordings, GPU events) is one track with `merged`: its samples are
 * the rows of the profile, without times.
 *
 * Order:     by event, then by falling weight, then by pid and tid.
 * Invariant: the weights of an event's tracks add up to the weight of the event.
 * Borrows:   the profile.
 * Owns:      the tracks, and 4 bytes per sample and row.
 */
#ifndef HD_RENDER_SAMPLE_TRACKS_H
#define HD_RENDER_SAMPLE_TRACKS_H

#include "base/buf.h"
#include "profile/profile.h"

struct hd_sample_track {
	uint32_t event;
	int32_t pid, tid;		/* 0 if merged */
	uint32_t comm;			/* string id: the last name of the thread; 0 if merged */
	bool merged;			/* the track has the samples of all threads, one for each row of the profile */
	uint64_t weight;
	size_t first, n;		/* range of hd_sample_tracks.order */
};

struct hd_sample_tracks {
	const struct hd_profile *p;
	struct hd_sample_track *items;
	size_t n;
	/*
	 * The samples of all tracks, one track after another.  An element is an index in hd_profile.timed, or in a
	 * merged track, an index in hd_profile.rows.
	 */
	uint32_t *order;
};

struct hd_track_sample {
	uint64_t time_ns;		/* 0 if the track is merged or the recording has no times */
	uint64_t weight;
	const struct hd_sample_row *row;
	uint32_t cpu;			/* UINT32_MAX: unknown */
};

void hd_sample_tracks_init(struct hd_sample_tracks *t, const struct hd_profile *p);
void hd_sample_tracks_release(struct hd_sample_tracks *t);

/* Return sample i of a track. */
struct hd_track_sample hd_sample_tracks_get(const struct hd_sample_tracks *t, const struct hd_sample_track *track,
	size_t i);
/* Append the title of a track: "app (10/11) cycles"; "cycles" if it is merged.  Raw bytes. */
void hd_sample_tracks_title(struct hd_buf *out, const struct hd_sample_tracks *t, const struct hd_sample_track *track);

#endif

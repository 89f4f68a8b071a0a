/*
 * trace_tracks.h - assign the activities of a timeline to tracks
 *
 * Viewers draw the slices of one track nested in each other.  They drop or shift a slice that overlaps another one
 * without being inside it.  GPU captures contain such slices, because of rounded times and graph nodes.  So a stream
 * of a device, or a thread, has as many lanes as its slices need in order to nest; each lane is a track.
 *
 * Activities must be added by rising start.  Memory grows with streams, threads and nesting, not with activities.
 */
#ifndef HD_RENDER_TRACE_TRACKS_H
#define HD_RENDER_TRACE_TRACKS_H

#include "base/map.h"
#include "gpu/activity.h"

/* Limit of the lanes per stream or thread.  A slice that nests in none of them is added to the last lane. */
enum { HD_TRACE_TRACK_LANES = 64 };

struct hd_trace_track {
	bool on_device;
	uint32_t group;			/* the device, or the pid */
	uint32_t line;			/* the stream, or the tid */
	uint32_t lane;			/* 0, 1, ... */
	bool described;			/* free for the writer; initially false */
	uint32_t next_lane;		/* index of the track of lane + 1; 0: there is none */
	int64_t *ends;			/* end times of the open slices, outermost first */
	size_t n, cap;
};

struct hd_trace_tracks {
	struct hd_trace_track *items;
	size_t n, cap;
	struct hd_map first[2];		/* [0] threads, [1] devices: group and line -> index of the track of lane 0 */
};

void hd_trace_tracks_release(struct hd_trace_tracks *t);
/* Return the index of the track of an activity that has a duration.  Add the track if it is new. */
size_t hd_trace_tracks_find(struct hd_trace_tracks *t, const struct hd_gpu_activity *a);

#endif

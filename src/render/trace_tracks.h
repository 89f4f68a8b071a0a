/*
 * trace_tracks.h - which line of a timeline an activity is drawn on
 *
 * Viewers draw the slices of one track nested in each other, and drop or shift one that overlaps another without being
 * inside of it.  GPU captures have such slices: rounded times, nodes of a graph.  So a stream of a device, or a thread,
 * has as many lanes as are needed for its slices to nest; each lane is a track.
 *
 * Activities must come by rising start.  Memory grows with streams, threads and nesting, not with activities.
 */
#ifndef HD_RENDER_TRACE_TRACKS_H
#define HD_RENDER_TRACE_TRACKS_H

#include "base/map.h"
#include "gpu/activity.h"

enum { HD_TRACE_TRACK_LANES = 64 }; /* of a stream or thread; a slice that fits in none is put in the last */

struct hd_trace_track {
	bool on_device;
	uint32_t group;			/* the device, or the pid */
	uint32_t line;			/* the stream, or the tid */
	uint32_t lane;			/* 0, 1, ... */
	bool described;			/* for the writer; false at first */
	uint32_t next_lane;		/* index of the track of lane + 1; 0: there is none */
	int64_t *ends;			/* of the slices that are open, outermost first */
	size_t n, cap;
};

struct hd_trace_tracks {
	struct hd_trace_track *items;
	size_t n, cap;
	struct hd_map first[2];		/* of threads, of devices: group and line -> index of the track of lane 0 */
};

void hd_trace_tracks_release(struct hd_trace_tracks *t);
/* Return the index of the track of an activity that has a duration.  Add the track if it is new. */
size_t hd_trace_tracks_find(struct hd_trace_tracks *t, const struct hd_gpu_activity *a);

#endif

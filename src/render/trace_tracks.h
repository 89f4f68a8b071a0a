/*
 * trace_tracks.h - assign the activities of a timeline to tracks
 *
 * Viewers draw the slices of one track nested in each other.  They drop or shift a slice that overlaps another one
 * without being inside it.  GPU captures contain such slices, because of rounded times and graph nodes.  So the
 * slices of a stream of a device, or of a thread, are distributed over lanes such that they nest in each lane.  Each
 * lane is a track.
 *
 * Activities must be added by rising start.  Memory grows with streams, threads and nesting, not with activities.
 */
#ifndef HD_RENDER_TRACE_TRACKS_H
#define HD_RENDER_TRACE_TRACKS_H

#include "base/map.h"
#include "gpu/activity.h"

/*
 * Limit for the number of tracks (lanes) to which the slices of one stream or thread are distributed.  A slice that
 * overlaps open slices in all of them without nesting is added to the last one.
 */
enum { HD_TRACE_TRACK_LANES = 64 };

struct hd_trace_track {
	bool on_device;
	uint32_t group;			/* device id for a stream, pid for a thread */
	uint32_t line;			/* stream number, or tid */
	uint32_t lane;			/* number of the lane: 0, 1, ... */
	bool described;			/* for use by the writer of the format; initially false */
	uint32_t next_lane;		/* index of the next track (lane) of the same stream or thread; 0: none */
	int64_t *ends;			/* end times of the open slices, outermost first */
	size_t n, cap;
};

struct hd_trace_tracks {
	struct hd_trace_track *items;
	size_t n, cap;
	/*
	 * first[0] maps a thread, (pid, tid), to the index of the track with its first lane.  first[1] does the same
	 * for a stream, (device, stream).
	 */
	struct hd_map first[2];
};

void hd_trace_tracks_release(struct hd_trace_tracks *t);
/* Return the index of the track of an activity that has a duration.  Add the track if it is new. */
size_t hd_trace_tracks_find(struct hd_trace_tracks *t, const struct hd_gpu_activity *a);

#endif

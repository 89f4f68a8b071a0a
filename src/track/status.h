/*
 * status.h - what functions of track/ return: 0 or more, or one of these
 */
#ifndef HD_TRACK_STATUS_H
#define HD_TRACK_STATUS_H

enum hd_track_status {
	HD_TRACK_OK = 0,
	HD_TRACK_NOMEM = -1,
	HD_TRACK_NONE = -2,	/* no value, or no such source */
	HD_TRACK_FULL = -3,	/* the caller's buffer is too small */
};

#endif

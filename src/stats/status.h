/*
 * status.h - return values of the functions of stats/: 0 or more on success, else one of these negative codes
 */
#ifndef HD_STATS_STATUS_H
#define HD_STATS_STATUS_H

enum hd_stats_status {
	HD_STATS_OK = 0,
	HD_STATS_NOMEM = -1,
	HD_STATS_NONE = -2,	/* the input has no result, usually because it has too few values */
};

#endif

/*
 * status.h - what functions of stats/ return: 0 or more, or one of these
 */
#ifndef HD_STATS_STATUS_H
#define HD_STATS_STATUS_H

enum hd_stats_status {
	HD_STATS_OK = 0,
	HD_STATS_NOMEM = -1,
	HD_STATS_NONE = -2,	/* too few values */
};

#endif

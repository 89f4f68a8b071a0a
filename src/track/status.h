/*
 * status.h - what functions of track/ return: 0 or more, or one of enum hd_track_status
 */
#ifndef HD_TRACK_STATUS_H
#define HD_TRACK_STATUS_H

#include "hotdrift.h"

#endif

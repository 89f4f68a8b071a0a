/*
 * nsys_capture.h - the tables of an nsys export that describe the capture
 */
#ifndef HD_GPU_NSYS_CAPTURE_H
#define HD_GPU_NSYS_CAPTURE_H

#include "gpu/nsys_activity.h"

/*
 * Fill r->sink->capture, and intern the names of GPU metrics (r->names) and the CPU stacks of API calls (r->stacks).  A
 * damaged table is read up to the damage.
 */
void hd_nsys_describe(struct hd_nsys_reader *r);

#endif

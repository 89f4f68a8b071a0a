/*
 * process_memory.h - resident memory of this process, from /proc
 *
 * Both functions read into a small buffer on the stack and allocate nothing.  HD_TRACK_UNSUPPORTED: /proc is not
 * mounted or has no such line.  Thread-safe.
 */
#ifndef HD_TRACK_PROCESS_MEMORY_H
#define HD_TRACK_PROCESS_MEMORY_H

#include "track/status.h"

/* The second field of /proc/self/statm, in bytes. */
int hd_process_memory_rss(uint64_t *bytes);
/* VmHWM of /proc/self/status: the largest value so far. */
int hd_process_memory_peak(uint64_t *bytes);

#endif
